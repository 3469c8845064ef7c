// A message group in a snapshot. Its places in the heaps of groups are not in it: the heaps are. A FIFO group's turn
// and a standard one's last activity share a field, since no queue has both; where FIFO groups had no turns yet, it is 0.

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
  out.f64(group.turn === 0 ? group.lastActiveMs : group.turn);
}

export function decodeGroup(input: ByteReader, index: number, fifo: boolean): Group {
  const group = newGroup(input.text(), index);
  for (const list of [group.fresh, group.returned]) {
    list.head = input.u32() - 1;
    list.tail = input.u32() - 1;
  }
  group.messageCount = input.u32();
  group.inFlightCount = input.u32();
  group.noisy = input.u8() === 1;
  if (fifo) group.turn = input.f64();
  else group.lastActiveMs = input.f64();
  return group;
}
