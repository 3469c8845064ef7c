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
  table.next[slot] = NONE;
  table.prev[slot] = list.tail;
  if (list.tail === NONE) list.head = slot;
  else table.next[list.tail] = slot;
  list.tail = slot;
}

/** Keeps the list ordered by seq. Walks from the head: for messages that come back to the front of their group. */
export function insertBySeq(table: MessageTable, list: SlotList, slot: number): void {
  const seq = table.seq[slot] as number;
  let after = list.head;
  while (after !== NONE && (table.seq[after] as number) < seq) after = table.next[after] as number;
  if (after === NONE) {
    append(table, list, slot);
    return;
  }
  const before = table.prev[after] as number;
  table.next[slot] = after;
  table.prev[slot] = before;
  table.prev[after] = slot;
  if (before === NONE) list.head = slot;
  else table.next[before] = slot;
}

export function unlink(table: MessageTable, list: SlotList, slot: number): void {
  const next = table.next[slot] as number;
  const prev = table.prev[slot] as number;
  if (prev === NONE) list.head = next;
  else table.next[prev] = next;
  if (next === NONE) list.tail = prev;
  else table.prev[next] = prev;
  table.next[slot] = NONE;
  table.prev[slot] = NONE;
}
