// Ids from a seed: the same seed gives the same message ids, receipt handles and request order in every run.
// A counter runs through the murmur3 finaliser: small, even, and good enough for ids that only have to differ.

import type { IdSource } from "../host/index.ts";

export function seededIds(seed: number): IdSource {
  let state = seed >>> 0;

  function next32(): number {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  }

  return {
    uuid() {
      const bytes = Buffer.allocUnsafe(16);
      for (let offset = 0; offset < 16; offset += 4) bytes.writeUInt32BE(next32(), offset);
      bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
      bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
      const hex = bytes.toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
  };
}
