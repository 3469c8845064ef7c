// What the catalog keeps of one function: how it is run and who may call it. Its code is in the data folder, by its
// digest, or where its owner keeps it. The record itself is the version $LATEST; published versions are beside it.

import type { Scope } from "../command.ts";
import type { Recorder } from "../state.ts";

export interface FunctionKey extends Scope {
  name: string;
}

export type FunctionForm =
  /** Uploaded: kept and unpacked under its digest, SHA-256 in base64. */
  | { is: "zip"; sha256: string; bytes: number }
  /** A file and its folder on this machine, watched and reloaded. */
  | { is: "file"; path: string }
  /** Speaks the invoke contract. */
  | { is: "http"; url: string };

/** What makes one version of a function. */
export interface FunctionSettings {
  form: FunctionForm;
  /** As given: `nodejs20.x`, `python3.12`, `provided.al2023`. */
  runtime: string;
  handler: string;
  role: string;
  description: string;
  environment: Record<string, string>;
  timeoutMs: number;
  memoryMb: number;
  /** Kept and shown; a function runs on the machine it is on. */
  architecture: string;
  storageMb: number;
  tracing: string;
  /** ARN of the queue or topic for events that failed for good. */
  deadLetterArn?: string;
  /** UUID, a new one with each change. */
  revisionId: string;
  modifiedAtMs: number;
}

export interface FunctionVersion extends FunctionSettings {
  /** `1`, `2`, ... */
  version: string;
}

export interface FunctionAlias {
  name: string;
  version: string;
  description: string;
  revisionId: string;
}

/** For asynchronous calls. What is absent is AWS's own: 2 retries, 6 hours, nowhere. */
export interface EventInvokeConfig {
  retriesMax?: number;
  eventAgeMsMax?: number;
  /** ARNs. */
  onSuccess?: string;
  onFailure?: string;
  modifiedAtMs: number;
}

export interface FunctionRecord extends FunctionSettings {
  function: FunctionKey;
  /** Absent: as many at once as the server runs. */
  reservedConcurrency?: number;
  /** By qualifier: `$LATEST`, a version or an alias. */
  eventInvokes?: Record<string, EventInvokeConfig>;
  /** Resource policy, JSON. */
  policy?: string;
  tags: Record<string, string>;
  /** Published, oldest first. */
  versions?: FunctionVersion[];
  aliases?: FunctionAlias[];
  /** Numbers are not given twice, even when their versions are gone. */
  lastVersion?: number;
  createdAtMs: number;
}

export const LATEST = "$LATEST";

export function functionArn({ region, account, name }: FunctionKey, qualifier?: string): string {
  const arn = `arn:aws:lambda:${region}:${account}:function:${name}`;
  return qualifier === undefined ? arn : `${arn}:${qualifier}`;
}

/** The version that a qualifier means; undefined when there is none. Absent, it is $LATEST. */
export function versionOf(record: FunctionRecord, qualifier: string = LATEST): FunctionVersion | undefined {
  if (qualifier === LATEST) return { ...record, version: LATEST };
  const alias = record.aliases?.find(({ name }) => name === qualifier);
  const number = alias?.version ?? qualifier;
  if (number === LATEST) return { ...record, version: LATEST };
  return record.versions?.find(({ version }) => version === number);
}

export function recordFunction(changed: FunctionRecord, record: Recorder): FunctionRecord {
  record({
    kind: "ResourceRecorded",
    entry: { type: "function", key: functionArn(changed.function), record: changed },
  });
  return changed;
}
