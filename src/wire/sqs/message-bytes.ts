// A message body as the engine wants it, text and digest as bytes. Both are cut from shared slabs: a digest that comes
// as a buffer of its own costs half as much again as the digest, and more work for the garbage collector.

import { hash } from "node:crypto";

const SLAB_BYTES = 64 * 1024;
/** Longer bodies get memory of their own, so that no slab is kept for the sake of one that fills it. */
const SHARED_BYTES_MAX = SLAB_BYTES / 8;
const MD5_BYTES = 16;

export interface MessageBytes {
  body: Uint8Array;
  /** Raw. */
  md5: Uint8Array;
  /** The same as text, which is what the answer shows. */
  md5Hex: string;
}

let slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
let slabUsed = 0;

/** A text that is known to be ASCII is as long in bytes as it is in characters, and need not be measured. */
export function messageBytes(text: string, isAscii: boolean): MessageBytes {
  const bodyBytes = isAscii ? text.length : Buffer.byteLength(text);
  const bytes = bodyBytes + MD5_BYTES;
  if (bytes > SHARED_BYTES_MAX) return fill(Buffer.allocUnsafeSlow(bytes), 0, bodyBytes, text, isAscii);
  if (slabUsed + bytes > SLAB_BYTES) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    slabUsed = 0;
  }
  const start = slabUsed;
  slabUsed += bytes;
  return fill(slab, start, bodyBytes, text, isAscii);
}

function fill(into: Buffer, start: number, bodyBytes: number, text: string, isAscii: boolean): MessageBytes {
  const end = start + bodyBytes;
  into.write(text, start, isAscii ? "latin1" : "utf8");
  const body = into.subarray(start, end);
  const md5Hex = hash("md5", body, "hex");
  into.write(md5Hex, end, "hex");
  return { body, md5: into.subarray(end, end + MD5_BYTES), md5Hex };
}
