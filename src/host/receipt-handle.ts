// Receipt handles: where a message is and which receive handed it out, as opaque text. The partition in it lets a
// delete go straight to the right shard. The check sum tells a handle of ours from garbage; it is no secret and no
// permission: who may delete is for access control to say.
//
//   u8 version=1 | u32 partition | u32 slot | f64 seq | u32 receiveSeq | u32 CRC-32 | u16 zero, as base64; then a tail
//
// The tail means nothing. AWS's handles are longer than the 80 characters that a batch entry id may have and hold
// characters that an id may not; a client that uses handles as ids has to find that out here, too (case C024).

import { crc32 } from "node:zlib";
import type { Receipt } from "../engine/index.ts";

const VERSION = 1;
const CHECKED_BYTES = 21;
const HANDLE_BYTES = 27;
const HANDLE_CHARACTERS = (HANDLE_BYTES / 3) * 4;
const TAIL = `${"A".repeat(50)}==`;
const scratch = Buffer.alloc(HANDLE_BYTES);
const checked = scratch.subarray(0, CHECKED_BYTES);

export function encodeReceiptHandle(partition: number, slot: number, seq: number, receiveSeq: number): string {
  scratch[0] = VERSION;
  scratch.writeUInt32LE(partition, 1);
  scratch.writeUInt32LE(slot, 5);
  scratch.writeDoubleLE(seq, 9);
  scratch.writeUInt32LE(receiveSeq, 17);
  scratch.writeUInt32LE(crc32(checked), CHECKED_BYTES);
  return scratch.toString("base64") + TAIL;
}

/** The text itself when it is no handle of ours: the engine refuses it with AWS's words. */
export function decodeReceiptHandle(text: string): Receipt | string {
  if (text.length !== HANDLE_CHARACTERS + TAIL.length || !text.endsWith(TAIL)) return text;
  const bytes = scratch.write(text.slice(0, HANDLE_CHARACTERS), "base64");
  if (bytes !== HANDLE_BYTES || scratch[0] !== VERSION) return text;
  if (scratch.readUInt32LE(CHECKED_BYTES) !== crc32(checked)) return text;
  return {
    partition: scratch.readUInt32LE(1),
    slot: scratch.readUInt32LE(5),
    seq: scratch.readDoubleLE(9),
    receiveSeq: scratch.readUInt32LE(17),
    text,
  };
}
