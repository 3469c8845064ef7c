// Which messages a receive on a standard queue would get, oldest first, and fairly between tenants: message groups
// that hold too much of what is in flight are noisy and wait until no quiet one has anything (developer guide,
// "fair queues"). Reads only; the receive then records what it takes.

import { NOISY_GROUP_IN_FLIGHT_MIN, NOISY_GROUP_SHARE, NOISY_GROUP_SILENCE_MS } from "../limits.ts";
import { type Group, groupHead } from "./group.ts";
import { type MessageTable, NONE } from "./message-table.ts";
import type { Partition } from "./partition.ts";

export function holdsNoisyShare(groupInFlight: number, queueInFlight: number): boolean {
  return groupInFlight >= NOISY_GROUP_IN_FLIGHT_MIN && groupInFlight > queueInFlight * NOISY_GROUP_SHARE;
}

/** A tenant that nobody received from for a while is no neighbour to anybody. */
export function isSilent(group: Group, nowMs: number): boolean {
  return nowMs - group.lastActiveMs > NOISY_GROUP_SILENCE_MS;
}

/** Offers ready slots to `take` in order until it says to stop. */
export function offerStandard(partition: Partition, nowMs: number, take: (slot: number) => boolean): void {
  if (partition.readyGroups.size === 0 && partition.noisyGroups.size === 0) {
    offerAll(partition.table, partition.ungrouped, take);
    return;
  }
  if (!offerQuiet(partition, nowMs, take)) return;
  for (const index of partition.noisyGroups.ascending()) {
    const group = partition.groups[index] as Group;
    if (!isSilent(group, nowMs) && !offerAll(partition.table, group, take)) return;
  }
}

/** Messages without a group and those of quiet groups, merged by age. Returns whether `take` wants more. */
function offerQuiet(partition: Partition, nowMs: number, take: (slot: number) => boolean): boolean {
  const { table } = partition;
  const cursors: { group: Group; slot: number }[] = [];
  const first = groupHead(partition.ungrouped);
  if (first !== NONE) cursors.push({ group: partition.ungrouped, slot: first });
  // A noisy tenant has over a tenth of what is in flight: there are never many of them.
  for (const index of partition.noisyGroups.members()) {
    const group = partition.groups[index] as Group;
    if (isSilent(group, nowMs)) cursors.push({ group, slot: groupHead(group) });
  }
  const walk = partition.readyGroups.ascending();
  let upcoming = walk.next();
  for (;;) {
    let best = oldest(table, cursors);
    if (!upcoming.done) {
      const group = partition.groups[upcoming.value] as Group;
      const head = groupHead(group);
      const bestSlot = best === -1 ? NONE : (cursors[best] as { slot: number }).slot;
      if (best === -1 || table.seq.get(head) < table.seq.get(bestSlot)) {
        best = cursors.push({ group, slot: head }) - 1;
        upcoming = walk.next();
      }
    }
    const cursor = cursors[best];
    if (cursor === undefined) return true;
    if (!take(cursor.slot)) return false;
    cursor.slot = after(table, cursor.group, cursor.slot);
    if (cursor.slot === NONE) cursors.splice(best, 1);
  }
}

function oldest(table: MessageTable, cursors: { slot: number }[]): number {
  let best = -1;
  let bestSeq = Number.POSITIVE_INFINITY;
  for (let i = 0; i < cursors.length; i++) {
    const seq = table.seq.get((cursors[i] as { slot: number }).slot);
    if (seq < bestSeq) {
      best = i;
      bestSeq = seq;
    }
  }
  return best;
}

function offerAll(table: MessageTable, group: Group, take: (slot: number) => boolean): boolean {
  let slot = groupHead(group);
  while (slot !== NONE) {
    if (!take(slot)) return false;
    slot = after(table, group, slot);
  }
  return true;
}

/** The next ready slot of a group: returned ones first, then fresh ones. */
function after(table: MessageTable, group: Group, slot: number): number {
  const next = table.next.get(slot);
  return next === NONE && slot === group.returned.tail ? group.fresh.head : next;
}
