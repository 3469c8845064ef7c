// A doubly linked list of message slots; the links are columns of the table. A slot is in one list at a time.

import { type MessageTable, NONE } from "./message-table.ts";

export interface SlotList {
  head: number;
  tail: number;
}

export function emptyList(): SlotList {
  return { head: NONE, tail: NONE };
}

export function append(table: MessageTable, list: SlotList, slot: number): void {
  table.next.set(slot, NONE);
  table.prev.set(slot, list.tail);
  if (list.tail === NONE) list.head = slot;
  else table.next.set(list.tail, slot);
  list.tail = slot;
}

/** Keeps the list ordered by seq. Walks from the head: for messages that come back to the front of their group. */
export function insertBySeq(table: MessageTable, list: SlotList, slot: number): void {
  const seq = table.seq.get(slot);
  let after = list.head;
  while (after !== NONE && table.seq.get(after) < seq) after = table.next.get(after);
  if (after === NONE) {
    append(table, list, slot);
    return;
  }
  const before = table.prev.get(after);
  table.next.set(slot, after);
  table.prev.set(slot, before);
  table.prev.set(after, slot);
  if (before === NONE) list.head = slot;
  else table.next.set(before, slot);
}

export function unlink(table: MessageTable, list: SlotList, slot: number): void {
  const next = table.next.get(slot);
  const prev = table.prev.get(slot);
  if (prev === NONE) list.head = next;
  else table.next.set(prev, next);
  if (next === NONE) list.tail = prev;
  else table.prev.set(next, prev);
  table.next.set(slot, NONE);
  table.prev.set(slot, NONE);
}
