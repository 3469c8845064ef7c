// Published versions, which never change, and the aliases that point at them.

import { accept, type Result, refuse } from "../../base/result.ts";
import type { Refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import type { FunctionCommand } from "./function-command.ts";
import {
  type FunctionAlias,
  type FunctionKey,
  type FunctionRecord,
  type FunctionVersion,
  functionArn,
  recordFunction,
  versionOf,
} from "./function-record.ts";
import {
  conflict,
  functionNotFound,
  invalidParameter,
  notFound,
  refuseRevision,
  requireFunction,
} from "./function-refusals.ts";

type CommandOf<Kind extends FunctionCommand["kind"]> = Extract<FunctionCommand, { kind: Kind }>;

/** A version is only made of what has changed since the last one; else the last one is the answer. */
export function decidePublishVersion(
  state: ShardState,
  command: CommandOf<"publishVersion"> & { publishedRevisionId: string },
  record: Recorder,
): Result<{ record: FunctionRecord; version: FunctionVersion }, Refusal> {
  const found = requireFunction(state.catalog, command.function);
  if (!found.ok) return found;
  const { form, revisionId } = found.value;
  const { sha256, description, ifRevision, publishedRevisionId } = command;
  const stale = refuseRevision(ifRevision, revisionId, "GetFunction/GetFunctionConfiguration");
  if (stale !== undefined) return refuse(stale);
  if (sha256 !== undefined && (form.is !== "zip" || form.sha256 !== sha256)) {
    const current = form.is === "zip" ? form.sha256 : "";
    return refuse(
      invalidParameter(
        `CodeSHA256 (${sha256}) is different from current CodeSHA256 in $LATEST (${current}). Please try again with the CodeSHA256 in $LATEST.`,
      ),
    );
  }
  const last = found.value.versions?.at(-1);
  if (last !== undefined && isSameCode(last, found.value)) return accept({ record: found.value, version: last });
  const published = publish(found.value, publishedRevisionId, description);
  recordFunction(published, record);
  return accept({ record: published, version: published.versions?.at(-1) as FunctionVersion });
}

/** The function with $LATEST as its newest version. */
export function publish(current: FunctionRecord, revisionId: string, description?: string): FunctionRecord {
  const number = (current.lastVersion ?? 0) + 1;
  const { form, runtime, handler, role, environment, timeoutMs, memoryMb } = current;
  const { architecture, storageMb, tracing, deadLetterArn, modifiedAtMs } = current;
  const version: FunctionVersion = {
    version: String(number),
    form,
    runtime,
    handler,
    role,
    description: description ?? current.description,
    environment,
    timeoutMs,
    memoryMb,
    architecture,
    storageMb,
    tracing,
    ...(deadLetterArn === undefined ? {} : { deadLetterArn }),
    revisionId,
    modifiedAtMs,
  };
  return { ...current, versions: [...(current.versions ?? []), version], lastVersion: number };
}

export function decideCreateAlias(
  state: ShardState,
  command: CommandOf<"createAlias"> & { revisionId: string },
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const { function: key, name, version, description, revisionId } = command;
  const found = requireFunction(state.catalog, key);
  if (!found.ok) return found;
  const { aliases = [] } = found.value;
  if (aliases.some((alias) => alias.name === name)) {
    return refuse(conflict(`Alias already exists: ${functionArn(key, name)}`));
  }
  if (!isVersion(found.value, version)) return refuse(functionNotFound(key, version));
  const alias: FunctionAlias = { name, version, description, revisionId };
  return accept(recordFunction({ ...found.value, aliases: [...aliases, alias] }, record));
}

export function decideUpdateAlias(
  state: ShardState,
  command: CommandOf<"updateAlias"> & { revisionId: string },
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const { function: key, name, revisionId } = command;
  const found = requireFunction(state.catalog, key);
  if (!found.ok) return found;
  const { aliases = [] } = found.value;
  const current = aliases.find((alias) => alias.name === name);
  if (current === undefined) return refuse(aliasNotFound(key, name));
  const stale = refuseRevision(command.ifRevision, current.revisionId, "GetFunction/GetAlias");
  if (stale !== undefined) return refuse(stale);
  const { version = current.version, description = current.description } = command;
  if (!isVersion(found.value, version)) return refuse(functionNotFound(key, version));
  const changed: FunctionAlias = { name, version, description, revisionId };
  return accept(
    recordFunction({ ...found.value, aliases: aliases.map((alias) => (alias === current ? changed : alias)) }, record),
  );
}

export function decideDeleteAlias(
  state: ShardState,
  { function: key, name }: CommandOf<"deleteAlias">,
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const found = requireFunction(state.catalog, key);
  if (!found.ok) return found;
  const aliases = (found.value.aliases ?? []).filter((alias) => alias.name !== name);
  return accept(recordFunction({ ...found.value, aliases }, record));
}

export function getAlias(
  state: ShardState,
  { function: key, name }: CommandOf<"getAlias">,
): Result<FunctionAlias, Refusal> {
  const found = requireFunction(state.catalog, key);
  if (!found.ok) return found;
  const alias = found.value.aliases?.find((each) => each.name === name);
  return alias === undefined ? refuse(aliasNotFound(key, name)) : accept(alias);
}

function aliasNotFound(key: FunctionKey, name: string): Refusal {
  return notFound(`Cannot find alias arn: ${functionArn(key, name)}`);
}

/** An alias points at a version, never at another alias. */
function isVersion(record: FunctionRecord, version: string): boolean {
  return versionOf({ ...record, aliases: [] }, version) !== undefined;
}

function isSameCode(version: FunctionVersion, latest: FunctionRecord): boolean {
  return version.modifiedAtMs === latest.modifiedAtMs && JSON.stringify(version.form) === JSON.stringify(latest.form);
}
