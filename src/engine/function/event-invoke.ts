// What becomes of asynchronous calls: how often and how long they are tried, and who is told (fanout.md C9).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { Refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import type { FunctionCommand } from "./function-command.ts";
import {
  type EventInvokeConfig,
  type FunctionKey,
  type FunctionRecord,
  functionArn,
  LATEST,
  recordFunction,
} from "./function-record.ts";
import { invalidParameter, notFound, requireVersion } from "./function-refusals.ts";

type CommandOf<Kind extends FunctionCommand["kind"]> = Extract<FunctionCommand, { kind: Kind }>;

export function decidePutEventInvoke(
  state: ShardState,
  command: CommandOf<"putEventInvoke">,
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const { function: key, qualifier = LATEST, config, isUpdate } = command;
  const found = requireVersion(state.catalog, key, command.qualifier);
  if (!found.ok) return found;
  const current = found.value.record;
  const before = current.eventInvokes?.[qualifier];
  if (isUpdate && before === undefined) return refuse(noEventInvoke(key, qualifier));
  if (Object.keys(config).length === 0) {
    return refuse(invalidParameter("You must specify at least one of error handling or destination setting."));
  }
  const problem = refuseDestination(config.onSuccess, key) ?? refuseDestination(config.onFailure, key);
  if (problem !== undefined) return refuse(problem);
  const changed: EventInvokeConfig = { ...(isUpdate ? before : {}), ...config, modifiedAtMs: state.nowMs };
  // "" takes a destination off.
  if (changed.onSuccess === "") delete changed.onSuccess;
  if (changed.onFailure === "") delete changed.onFailure;
  const eventInvokes = { ...current.eventInvokes, [qualifier]: changed };
  return accept(recordFunction({ ...current, eventInvokes }, record));
}

export function decideDeleteEventInvoke(
  state: ShardState,
  { function: key, qualifier }: CommandOf<"deleteEventInvoke">,
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const found = requireVersion(state.catalog, key, qualifier);
  if (!found.ok) return found;
  const { [qualifier ?? LATEST]: gone, ...eventInvokes } = found.value.record.eventInvokes ?? {};
  if (gone === undefined) return refuse(noEventInvoke(key, qualifier ?? LATEST));
  return accept(recordFunction({ ...found.value.record, eventInvokes }, record));
}

export function getEventInvoke(
  state: ShardState,
  { function: key, qualifier }: CommandOf<"getEventInvoke">,
): Result<EventInvokeConfig, Refusal> {
  const found = requireVersion(state.catalog, key, qualifier);
  if (!found.ok) return found;
  const config = found.value.record.eventInvokes?.[qualifier ?? LATEST];
  return config === undefined ? refuse(noEventInvoke(key, qualifier ?? LATEST)) : accept(config);
}

function noEventInvoke(key: FunctionKey, qualifier: string): Refusal {
  return notFound(`The function ${functionArn(key, qualifier)} doesn't have an EventInvokeConfig`);
}

function refuseDestination(arn: string | undefined, key: FunctionKey): Refusal | undefined {
  if (arn === undefined || arn === "") return undefined;
  const [scheme, , service, region, account] = arn.split(":");
  if (scheme !== "arn" || !region || !account || !["sqs", "sns", "lambda"].includes(service ?? "")) {
    return invalidParameter(
      `The destination ${arn} is not one that this server delivers to: queues, topics and functions.`,
    );
  }
  const own = functionArn(key);
  if (arn !== own && !arn.startsWith(`${own}:`)) return undefined;
  return invalidParameter("You can't specify the function as a destination for itself.");
}
