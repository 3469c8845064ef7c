// Message groups of one queue. On FIFO queues a group is its messages in order and is available while its first
// message is ready; on standard queues (fair queues) a group is a tenant, and a noisy one is served last.
// Groups exist while they hold a message; their records are reused.

import { IndexedHeap } from "../../base/indexed-heap.ts";
import { type MessageTable, NONE } from "./message-table.ts";
import { emptyList, type SlotList } from "./slot-list.ts";

export interface Group {
  id: string;
  index: number;
  /** FIFO: every message, by seq. Standard: ready messages that were never, or already often, received. */
  fresh: SlotList;
  /** Standard only: ready messages that came back; they go first. */
  returned: SlotList;
  messageCount: number;
  inFlightCount: number;
  /** Standard only; see fair-order.ts. */
  noisy: boolean;
  lastActiveMs: number;
  /** FIFO only: the seq that came next when a message of the group was last handed out; 0 when none was. */
  turn: number;
  /** Position in the heap of available (or quiet) groups; -1 when not there. */
  readyIndex: number;
  /** Position in the heap of noisy groups; -1 when not there. */
  noisyIndex: number;
}

export function newGroup(id: string, index: number): Group {
  return {
    id,
    index,
    fresh: emptyList(),
    returned: emptyList(),
    messageCount: 0,
    inFlightCount: 0,
    noisy: false,
    lastActiveMs: 0,
    turn: 0,
    readyIndex: NONE,
    noisyIndex: NONE,
  };
}

/** The message that the group would give first; NONE when it has none. */
export function groupHead(group: Group): number {
  return group.returned.head === NONE ? group.fresh.head : group.returned.head;
}

/**
 * Groups with something to give, the one with the oldest first message on top. A FIFO group that was handed out from
 * counts as new then: AWS serves the groups that wait before one whose messages came back, and so no group that keeps
 * failing holds up the others (the order in tests/scenarios/fifo-group-turns.txt was seen there).
 */
export class ReadyGroupHeap extends IndexedHeap {
  readonly #table: MessageTable;
  readonly #groups: Group[];

  constructor(table: MessageTable, groups: Group[]) {
    super();
    this.#table = table;
    this.#groups = groups;
  }

  protected override before(a: number, b: number): boolean {
    const [left, right] = [this.#placeOf(a), this.#placeOf(b)];
    return left < right || (left === right && this.#headSeq(a) < this.#headSeq(b));
  }

  protected override positionOf(member: number): number {
    return (this.#groups[member] as Group).readyIndex;
  }

  protected override setPosition(member: number, position: number): void {
    (this.#groups[member] as Group).readyIndex = position;
  }

  #placeOf(member: number): number {
    return Math.max((this.#groups[member] as Group).turn, this.#headSeq(member));
  }

  #headSeq(member: number): number {
    return this.#table.seq.get(groupHead(this.#groups[member] as Group));
  }
}

/** Noisy groups with something to give, the one with the fewest messages in flight on top. */
export class NoisyGroupHeap extends IndexedHeap {
  readonly #groups: Group[];

  constructor(groups: Group[]) {
    super();
    this.#groups = groups;
  }

  protected override before(a: number, b: number): boolean {
    const left = this.#groups[a] as Group;
    const right = this.#groups[b] as Group;
    return left.inFlightCount < right.inFlightCount || (left.inFlightCount === right.inFlightCount && a < b);
  }

  protected override positionOf(member: number): number {
    return (this.#groups[member] as Group).noisyIndex;
  }

  protected override setPosition(member: number, position: number): void {
    (this.#groups[member] as Group).noisyIndex = position;
  }
}
