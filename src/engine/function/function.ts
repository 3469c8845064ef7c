// Functions: made, given other code or settings, deleted. Code is in the data folder before a decision names it.

import { accept, type Result, refuse } from "../../base/result.ts";
import { FUNCTION_ENVIRONMENT_BYTES_MAX } from "../function-limits.ts";
import type { Refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import type { FunctionCommand, GivenSettings } from "./function-command.ts";
import {
  type FunctionForm,
  type FunctionKey,
  type FunctionRecord,
  functionArn,
  LATEST,
  recordFunction,
} from "./function-record.ts";
import { conflict, functionNotFound, invalidParameter, refuseRevision, requireFunction } from "./function-refusals.ts";
import { refuseTags } from "./function-tags.ts";
import { publish } from "./function-version.ts";

type CommandOf<Kind extends FunctionCommand["kind"]> = Extract<FunctionCommand, { kind: Kind }>;

/** What the host adds to a decision that changes a function. */
export interface Revision {
  /** Fresh UUIDs: for the function, and for a version that is published with it. */
  revisionId: string;
  publishedRevisionId: string;
}

export function decideCreateFunction(
  state: ShardState,
  command: CommandOf<"createFunction"> & Revision & { form: FunctionForm },
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const { function: key, settings, tags, form, revisionId } = command;
  if (state.catalog.resources.get("function", functionArn(key)) !== undefined) return refuse(alreadyThere(key));
  const problem = refuseSettings(settings) ?? refuseTags(tags, {});
  if (problem !== undefined) return refuse(problem);
  const nowMs = state.nowMs;
  const created: FunctionRecord = {
    ...withoutDeadLetter(settings),
    function: key,
    form,
    tags,
    revisionId,
    createdAtMs: nowMs,
    modifiedAtMs: nowMs,
  };
  return accept(recordFunction(command.publish ? publish(created, command.publishedRevisionId) : created, record));
}

/** Whether the name is free, before the code is kept. */
export function refuseCreateFunction(state: ShardState, key: FunctionKey): Refusal | undefined {
  return state.catalog.resources.get("function", functionArn(key)) === undefined ? undefined : alreadyThere(key);
}

export function decideUpdateFunctionCode(
  state: ShardState,
  command: CommandOf<"updateFunctionCode"> & Revision & { form: FunctionForm },
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const found = requireFunction(state.catalog, command.function);
  if (!found.ok) return found;
  const stale = refuseRevision(command.ifRevision, found.value.revisionId, "GetFunction/GetFunctionConfiguration");
  if (stale !== undefined) return refuse(stale);
  const { form, revisionId, architecture = found.value.architecture } = command;
  const changed = { ...found.value, form, architecture, revisionId, modifiedAtMs: state.nowMs };
  if (command.dryRun) return accept(changed);
  return accept(recordFunction(command.publish ? publish(changed, command.publishedRevisionId) : changed, record));
}

export function decideUpdateFunctionSettings(
  state: ShardState,
  command: CommandOf<"updateFunctionSettings"> & Revision,
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const found = requireFunction(state.catalog, command.function);
  if (!found.ok) return found;
  const { changes, ifRevision, revisionId } = command;
  const problem =
    refuseRevision(ifRevision, found.value.revisionId, "GetFunction/GetFunctionConfiguration") ??
    refuseSettings({ ...found.value, ...changes });
  if (problem !== undefined) return refuse(problem);
  const changed = withoutDeadLetter({ ...found.value, ...changes, revisionId, modifiedAtMs: state.nowMs });
  return accept(recordFunction(changed, record));
}

export function decideReserveConcurrency(
  state: ShardState,
  { function: key, reservedConcurrency }: CommandOf<"reserveConcurrency">,
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const found = requireFunction(state.catalog, key);
  if (!found.ok) return found;
  const { reservedConcurrency: _, ...others } = found.value;
  const changed = reservedConcurrency === undefined ? others : { ...others, reservedConcurrency };
  return accept(recordFunction(changed, record));
}

/** The value is the function as it is now: undefined when it is gone. Its mappings stay (fanout.md C3). */
export function decideDeleteFunction(
  state: ShardState,
  { function: key, qualifier }: CommandOf<"deleteFunction">,
  record: Recorder,
): Result<FunctionRecord | undefined, Refusal> {
  const found = requireFunction(state.catalog, key);
  if (!found.ok) return found;
  if (qualifier === undefined) {
    record({ kind: "ResourceForgotten", type: "function", key: functionArn(key) });
    return accept(undefined);
  }
  if (qualifier === LATEST) {
    return refuse(invalidParameter("$LATEST version cannot be deleted without deleting the function."));
  }
  const { versions = [], aliases = [] } = found.value;
  const kept = versions.filter(({ version }) => version !== qualifier);
  if (kept.length === versions.length) return refuse(functionNotFound(key, qualifier));
  const pointing = aliases.filter(({ version }) => version === qualifier).map(({ name }) => name);
  if (pointing.length > 0) {
    return refuse(
      conflict(
        `Version [ ${functionArn(key, qualifier)} ] is referenced by these aliases: [ ${pointing.join(", ")} ]. ` +
          "Delete these aliases or update them before deleting this version.",
      ),
    );
  }
  return accept(recordFunction({ ...found.value, versions: kept }, record));
}

/** In the order of their names, from behind `marker` on. */
export function listFunctions(
  state: ShardState,
  { scope, marker = "", itemsMax }: CommandOf<"listFunctions">,
): Result<{ functions: FunctionRecord[]; nextMarker?: string }, Refusal> {
  const found: FunctionRecord[] = [];
  for (const record of state.catalog.resources.values("function")) {
    const { account, region, name } = record.function;
    if (account === scope.account && region === scope.region && name > marker) found.push(record);
  }
  found.sort((a, b) => (a.function.name < b.function.name ? -1 : 1));
  const functions = found.slice(0, itemsMax);
  const last = functions.at(-1);
  return accept(
    found.length > functions.length && last ? { functions, nextMarker: last.function.name } : { functions },
  );
}

/** Variables that are Lambda's own; those of the region and the credentials among them. */
const RESERVED_VARIABLES = new Set([
  "_HANDLER",
  "_X_AMZN_TRACE_ID",
  "AWS_ACCESS_KEY",
  "AWS_ACCESS_KEY_ID",
  "AWS_DEFAULT_REGION",
  "AWS_EXECUTION_ENV",
  "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
  "AWS_LAMBDA_FUNCTION_NAME",
  "AWS_LAMBDA_FUNCTION_VERSION",
  "AWS_LAMBDA_INITIALIZATION_TYPE",
  "AWS_LAMBDA_LOG_GROUP_NAME",
  "AWS_LAMBDA_LOG_STREAM_NAME",
  "AWS_LAMBDA_RUNTIME_API",
  "AWS_REGION",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "LAMBDA_RUNTIME_DIR",
  "LAMBDA_TASK_ROOT",
]);

const UNCONFIGURABLE =
  "Lambda was unable to configure your environment variables because the environment variables you have provided";

function refuseSettings({ environment, deadLetterArn = "" }: GivenSettings): Refusal | undefined {
  const reserved = Object.keys(environment).filter((name) => RESERVED_VARIABLES.has(name));
  if (reserved.length > 0) {
    return invalidParameter(
      `${UNCONFIGURABLE} contains reserved keys that are currently not supported for modification. ` +
        `Reserved keys used in this request: ${reserved.join(", ")}`,
    );
  }
  const measured = JSON.stringify(environment);
  if (Buffer.byteLength(measured) > FUNCTION_ENVIRONMENT_BYTES_MAX) {
    return invalidParameter(`${UNCONFIGURABLE} exceeded the 4KB limit. String measured: ${measured}`);
  }
  if (deadLetterArn === "" || /^arn:[^:]+:(?:sqs|sns):[^:]+:\d{12}:[^:]+$/.test(deadLetterArn)) return undefined;
  return invalidParameter(`The provided dead-letter target ${deadLetterArn} is not the ARN of a queue or a topic.`);
}

function withoutDeadLetter<Settings extends { deadLetterArn?: string }>(settings: Settings): Settings {
  if (settings.deadLetterArn !== "") return settings;
  const { deadLetterArn: _, ...others } = settings;
  return others as Settings;
}

function alreadyThere({ name }: FunctionKey): Refusal {
  return conflict(`Function already exist: ${name}`);
}
