// A message group in a snapshot. Its places in the heaps of groups are not in it: the heaps are.

import type { ByteReader, ByteWriter } from "../../base/bytes.ts";
import { type Group, newGroup } from "./group.ts";

export function encodeGroup(out: ByteWriter, group: Group): void {
  out.text(group.id);
  for (const list of [group.fresh, group.returned]) {
    out.u32(list.head + 1);
    out.u32(list.tail + 1);
  }
  out.u32(group.messageCount);
  out.u32(group.inFlightCount);
  out.u8(group.noisy ? 1 : 0);
  out.f64(group.lastActiveMs);
}

export function decodeGroup(input: ByteReader, index: number): Group {
  const group = newGroup(input.text(), index);
  for (const list of [group.fresh, group.returned]) {
    list.head = input.u32() - 1;
    list.tail = input.u32() - 1;
  }
  group.messageCount = input.u32();
  group.inFlightCount = input.u32();
  group.noisy = input.u8() === 1;
  group.lastActiveMs = input.f64();
  return group;
}
