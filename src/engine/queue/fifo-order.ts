// Which messages a receive on a FIFO queue would get: as many as possible of one group, in order, then of the next.
// A group's messages are handed out from its first one on, up to the first that is in flight or delayed: so nothing
// overtakes a message that somebody is working on, and a message made visible early can be taken again although
// later ones of its group are still held. Reads only.

import type { Group } from "./group.ts";
import { NONE, READY } from "./message-table.ts";
import type { Partition } from "./partition.ts";

/** Offers available slots to `take` in order until it says to stop. */
export function offerFifo(partition: Partition, take: (slot: number) => boolean): void {
  const { table } = partition;
  for (const index of partition.readyGroups.ascending()) {
    const group = partition.groups[index] as Group;
    let slot = group.fresh.head;
    while (slot !== NONE && table.status.get(slot) === READY) {
      if (!take(slot)) return;
      slot = table.next.get(slot);
    }
  }
}
