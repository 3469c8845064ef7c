// One partition of a queue: which of its messages are ready, delayed or in flight, in what order they go out, and
// the counts. Every change of a message's standing is one of the few transitions here, so lists, heaps, groups and
// counts cannot disagree:
//
//   enqueue -> READY or DELAYED;  DELAYED -> READY;  READY -> IN_FLIGHT;  IN_FLIGHT -> READY;  any -> withdrawn
//
// Nothing here reads a clock, and nothing scans the queue except `memberSlots` for purge and inspection.

import { assert } from "../../base/assert.ts";
import { IndexedHeap } from "../../base/indexed-heap.ts";
import { WriteWatch } from "../../base/write-watch.ts";
import type { QueueKey } from "../command.ts";
import { RECEIVES_BEFORE_BACK_OF_QUEUE } from "../limits.ts";
import { DeduplicationTable } from "./deduplication-table.ts";
import { ExpiringMap } from "./expiring-map.ts";
import { holdsNoisyShare, isSilent } from "./fair-order.ts";
import { type Group, groupHead, NoisyGroupHeap, newGroup, ReadyGroupHeap } from "./group.ts";
import { DELAYED, IN_FLIGHT, type MessageTable, NONE, READY } from "./message-table.ts";
import type { MoveTask } from "./move-task.ts";
import { append, insertBySeq, unlink } from "./slot-list.ts";
import { newTraffic } from "./traffic.ts";

/** What a partition must know of its queue; the catalog holds the rest. */
export interface PartitionConfig {
  queue: QueueKey;
  fifo: boolean;
  delayMs: number;
  visibilityTimeoutMs: number;
  retentionMs: number;
  messageBytesMax: number;
  contentBasedDeduplication: boolean;
  deduplicationScope: "queue" | "messageGroup";
  /** With a redrive policy only. */
  maxReceiveCount?: number;
}

/** What one FIFO receive handed out, for a retry with the same ReceiveRequestAttemptId. */
export interface ReceiveAttempt {
  slots: number[];
  seqs: number[];
  receiveSeqs: number[];
  visibleAtMs: number;
  expiresAtMs: number;
}

const PLACE_NONE = 0;
const PLACE_RETURNED = 1;
const PLACE_FRESH = 2;

/** Groups that a snapshot copies at once. */
const GROUP_BLOCK_BITS = 6;

export class Partition {
  readonly id: number;
  config: PartitionConfig;
  readonly table: MessageTable;

  readyCount = 0;
  delayedCount = 0;
  inFlightCount = 0;
  readonly traffic = newTraffic();

  /** Delayed and in-flight messages by when they become visible. */
  readonly timers: TimerHeap;
  /** Every message of the queue by its retention clock: also the list of members. */
  readonly ages: AgeHeap;

  readonly groups: Group[] = [];
  /** Over the indexes of groups; a group may be changed only after it was got by `#group`. */
  readonly groupWatch = new WriteWatch(GROUP_BLOCK_BITS);
  readonly groupIndexes = new Map<string, number>();
  readonly freeGroups: number[] = [];
  /** Standard queues: messages without a group, each its own tenant. */
  readonly ungrouped: Group = newGroup("", NONE);
  readonly readyGroups: ReadyGroupHeap;
  readonly noisyGroups: NoisyGroupHeap;

  readonly deduplicated = new DeduplicationTable();
  readonly attempts = new ExpiringMap<ReceiveAttempt>();
  /** Newest first. */
  moveTasks: MoveTask[] = [];
  /** 0 when never. */
  purgedAtMs = 0;

  /** Position in the shard's heap of partitions by wake time. */
  wakeIndex = NONE;
  wakeAtMs = Number.POSITIVE_INFINITY;

  constructor(id: number, config: PartitionConfig, table: MessageTable) {
    this.id = id;
    this.config = config;
    this.table = table;
    this.timers = new TimerHeap(table);
    this.ages = new AgeHeap(table);
    this.readyGroups = new ReadyGroupHeap(table, this.groups);
    this.noisyGroups = new NoisyGroupHeap(this.groups);
  }

  get messageCount(): number {
    return this.ages.size;
  }

  groupOf(slot: number): Group {
    const index = this.table.group.get(slot);
    return index === NONE ? this.ungrouped : this.#group(index);
  }

  #group(index: number): Group {
    this.groupWatch.touch(index);
    return this.groups[index] as Group;
  }

  /** A message that is new here. Its row is filled; `readyAtMs` in the future makes it delayed. */
  enqueue(slot: number, groupId: string | undefined, readyAtMs: number, nowMs: number): void {
    const group = this.#joinGroup(slot, groupId);
    this.traffic.arrivedCount += 1;
    group.messageCount += 1;
    this.ages.push(slot);
    if (this.config.fifo) append(this.table, group.fresh, slot);
    if (readyAtMs > nowMs) {
      this.table.status.set(slot, DELAYED);
      this.table.deadlineMs.set(slot, readyAtMs);
      this.delayedCount += 1;
      this.timers.push(slot);
      this.#refresh(group);
    } else this.#becomeReady(slot, group);
  }

  /** A message that had left for another queue and came back, to its old place on FIFO. */
  readmit(slot: number): void {
    const group = this.groupOf(slot);
    this.ages.push(slot);
    if (this.config.fifo) insertBySeq(this.table, group.fresh, slot);
    this.#becomeReady(slot, group);
  }

  /** A delay or a visibility timeout has ended, or a consumer set the timeout to 0. */
  release(slot: number): void {
    const group = this.groupOf(slot);
    this.#leaveTimers(slot, group);
    this.#becomeReady(slot, group);
  }

  /** READY or IN_FLIGHT -> IN_FLIGHT until `visibleAtMs`. */
  hold(slot: number, visibleAtMs: number, nowMs: number): void {
    const { table } = this;
    const group = this.groupOf(slot);
    table.deadlineMs.set(slot, visibleAtMs);
    if (table.status.get(slot) === IN_FLIGHT) {
      this.timers.update(slot);
      return;
    }
    assert(table.status.get(slot) === READY, "only ready messages are handed out");
    this.#leaveReady(slot, group);
    table.status.set(slot, IN_FLIGHT);
    this.inFlightCount += 1;
    group.inFlightCount += 1;
    if (group !== this.ungrouped && !this.config.fifo) this.#weighNoise(group, nowMs);
    this.timers.push(slot);
    this.#refresh(group);
  }

  /** FIFO: a message of the group was handed out, so the group goes behind all that wait; `nextSeq` is the shard's. */
  passTurn(slot: number, nextSeq: number): void {
    const group = this.groupOf(slot);
    group.turn = nextSeq;
    this.#refresh(group);
  }

  /**
   * Takes the message out of the queue whatever its standing. Its row and its group stay: free them with `leaveGroup`,
   * or give the message back with `readmit`.
   */
  withdraw(slot: number): void {
    const { table } = this;
    const group = this.groupOf(slot);
    if (table.status.get(slot) === READY) this.#leaveReady(slot, group);
    else this.#leaveTimers(slot, group);
    if (this.config.fifo) unlink(table, group.fresh, slot);
    this.ages.remove(slot);
    this.#refresh(group);
  }

  /** A withdrawn message will not come back: a group without messages is forgotten. */
  leaveGroup(slot: number): void {
    const index = this.table.group.get(slot);
    if (index === NONE) return;
    this.table.group.set(slot, NONE);
    const group = this.#group(index);
    group.messageCount -= 1;
    if (group.messageCount > 0) return;
    this.groupIndexes.delete(group.id);
    this.freeGroups.push(index);
  }

  /** FIFO: the queue's delay changed, and on FIFO that holds for stored messages too (API reference, DelaySeconds). */
  reschedule(slot: number, readyAtMs: number, nowMs: number): void {
    this.table.deadlineMs.set(slot, readyAtMs);
    if (readyAtMs <= nowMs) this.release(slot);
    else this.timers.update(slot);
  }

  /** All messages, in no order; a copy. */
  memberSlots(): Int32Array {
    return this.ages.members();
  }

  #joinGroup(slot: number, groupId: string | undefined): Group {
    if (groupId === undefined) return this.ungrouped;
    let index = this.groupIndexes.get(groupId);
    if (index === undefined) {
      index = this.freeGroups.pop() ?? this.groups.length;
      this.groupWatch.touch(index);
      this.groups[index] = newGroup(groupId, index);
      this.groupIndexes.set(groupId, index);
    }
    this.table.group.set(slot, index);
    return this.#group(index);
  }

  #becomeReady(slot: number, group: Group): void {
    const { table } = this;
    table.status.set(slot, READY);
    this.readyCount += 1;
    if (!this.config.fifo) {
      const receives = table.receiveCount.get(slot);
      const goesFirst = receives > 0 && receives < RECEIVES_BEFORE_BACK_OF_QUEUE;
      table.place.set(slot, goesFirst ? PLACE_RETURNED : PLACE_FRESH);
      append(table, goesFirst ? group.returned : group.fresh, slot);
    }
    this.#refresh(group);
  }

  #leaveReady(slot: number, group: Group): void {
    const { table } = this;
    this.readyCount -= 1;
    if (this.config.fifo) return;
    unlink(table, table.place.get(slot) === PLACE_RETURNED ? group.returned : group.fresh, slot);
    table.place.set(slot, PLACE_NONE);
  }

  #leaveTimers(slot: number, group: Group): void {
    this.timers.remove(slot);
    if (this.table.status.get(slot) === DELAYED) {
      this.delayedCount -= 1;
      return;
    }
    this.inFlightCount -= 1;
    group.inFlightCount -= 1;
  }

  /** Standard queues: does handing out one more make this tenant a noisy neighbour? (fair-order.ts) */
  #weighNoise(group: Group, nowMs: number): void {
    if (isSilent(group, nowMs)) this.#setNoisy(group, false);
    group.lastActiveMs = nowMs;
    if (holdsNoisyShare(group.inFlightCount, this.inFlightCount)) this.#setNoisy(group, true);
  }

  #setNoisy(group: Group, noisy: boolean): void {
    if (group.noisy === noisy) return;
    if (group.readyIndex !== NONE) this.readyGroups.remove(group.index);
    if (group.noisyIndex !== NONE) this.noisyGroups.remove(group.index);
    group.noisy = noisy;
  }

  /** Puts the group where its first message and its noise say; called after every change to it. */
  #refresh(group: Group): void {
    if (group === this.ungrouped) return;
    const head = groupHead(group);
    const available = head !== NONE && this.table.status.get(head) === READY;
    // A tenant whose backlog is gone is quiet again.
    if (!available) this.#setNoisy(group, false);
    const heap = group.noisy ? this.noisyGroups : this.readyGroups;
    const isIn = heap.has(group.index);
    if (available && isIn) heap.update(group.index);
    else if (available) heap.push(group.index);
    else if (isIn) heap.remove(group.index);
  }
}

export class TimerHeap extends IndexedHeap {
  readonly #table: MessageTable;

  constructor(table: MessageTable) {
    super();
    this.#table = table;
  }

  protected override before(a: number, b: number): boolean {
    const { deadlineMs, seq } = this.#table;
    const left = deadlineMs.get(a);
    const right = deadlineMs.get(b);
    return left < right || (left === right && seq.get(a) < seq.get(b));
  }

  protected override positionOf(member: number): number {
    return this.#table.timerIndex.get(member);
  }

  protected override setPosition(member: number, position: number): void {
    this.#table.timerIndex.set(member, position);
  }
}

export class AgeHeap extends IndexedHeap {
  readonly #table: MessageTable;

  constructor(table: MessageTable) {
    super();
    this.#table = table;
  }

  protected override before(a: number, b: number): boolean {
    const { retainFromMs, seq } = this.#table;
    const left = retainFromMs.get(a);
    const right = retainFromMs.get(b);
    return left < right || (left === right && seq.get(a) < seq.get(b));
  }

  protected override positionOf(member: number): number {
    return this.#table.ageIndex.get(member);
  }

  protected override setPosition(member: number, position: number): void {
    this.#table.ageIndex.set(member, position);
  }
}
