// The SenderId of a message: who sent it, as a made-up IAM user id.

import { hash } from "node:crypto";
import type { Call } from "../protocol/call.ts";

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
