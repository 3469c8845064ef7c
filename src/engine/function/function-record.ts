// What the catalog keeps of one function: how it is run and who may call it. Its code is in the data folder, by its
// digest, or where its owner keeps it.

import type { Scope } from "../command.ts";

export interface FunctionKey extends Scope {
  name: string;
}

export type FunctionForm =
  /** Uploaded: unpacked under its digest. */
  | { is: "zip"; sha256: string; bytes: number }
  /** A file and its folder on this machine, watched and reloaded. */
  | { is: "file"; path: string }
  /** Speaks the invoke contract. */
  | { is: "http"; url: string };

export interface FunctionRecord {
  function: FunctionKey;
  form: FunctionForm;
  /** As given: `nodejs20.x`, `python3.12`, `provided.al2023`. */
  runtime: string;
  handler: string;
  role: string;
  description: string;
  environment: Record<string, string>;
  timeoutMs: number;
  memoryMb: number;
  /** Absent: as many at once as the server runs. */
  reservedConcurrency?: number;
  /** For asynchronous calls; absent: AWS's own (2 retries, 6 hours). */
  eventInvoke?: {
    retriesMax?: number;
    eventAgeMsMax?: number;
    /** ARNs. */
    onSuccess?: string;
    onFailure?: string;
  };
  /** ARN of the queue or topic for events that failed for good. */
  deadLetterArn?: string;
  /** Resource policy, JSON. */
  policy?: string;
  tags: Record<string, string>;
  /** UUID, a new one with each change. */
  revisionId: string;
  createdAtMs: number;
  modifiedAtMs: number;
}

export function functionArn({ region, account, name }: FunctionKey): string {
  return `arn:aws:lambda:${region}:${account}:function:${name}`;
}
