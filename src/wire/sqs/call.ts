// What an operation knows of the request besides its input: who calls, from which region, under which address, and
// the two headers that matter to SQS. The same for both protocols.

import { hash } from "node:crypto";
import type { Scope } from "../../engine/command.ts";

export interface Call {
  /** The caller's account and region; a queue URL may name another account, never another region. */
  scope: Scope;
  /** Whether the signature named the region; when not, a queue URL's host may. */
  regionIsSigned: boolean;
  accessKey?: string;
  /** Where queue URLs in answers begin, without a slash at the end. Asked by few operations, so worked out late. */
  urlBase: () => string;
  /** Parts of the path that the request was sent to; a queue's address when it is not empty. */
  pathParts: readonly string[];
  /** X-Amzn-Trace-Id. */
  traceHeader?: string;
}

const SENDER_IDS_KEPT_MAX = 1000;
const ANONYMOUS = "AIDAANONYMOUSCALLER00";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const senderIds = new Map<string, string>();

/** A made-up IAM user id that is always the same for an access key: AIDA and 17 letters and digits. */
export function senderIdOf(call: Call): string {
  if (call.accessKey === undefined) return ANONYMOUS;
  let senderId = senderIds.get(call.accessKey);
  if (senderId === undefined) {
    if (senderIds.size >= SENDER_IDS_KEPT_MAX) senderIds.clear();
    const digest = hash("sha256", call.accessKey, "buffer").subarray(0, 17);
    senderId = `AIDA${Array.from(digest, (byte) => LETTERS[byte % LETTERS.length]).join("")}`;
    senderIds.set(call.accessKey, senderId);
  }
  return senderId;
}
