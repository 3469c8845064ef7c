// Every queued message of a shard as one row of numbers: columns in typed arrays, addressed by slot. No object per
// message; links, heap positions and times are columns (architecture.md §4: at most about 100 bytes a message).
// The sequence number is the generation: a slot is the message you mean only while its seq is the one you know.

import { assert } from "../../base/assert.ts";
import type { ByteReader, ByteWriter } from "../../base/bytes.ts";
import { Float64Column, Int32Column, Uint8Column, Uint16Column } from "../../base/column.ts";
import { WriteWatch } from "../../base/write-watch.ts";

export const FREE = 0;
export const READY = 1;
export const DELAYED = 2;
export const IN_FLIGHT = 3;
/** On its way to another queue: kept until the target has it, seen by nobody. */
export const TRANSFERRING = 4;

/** "No slot", "no group", "not in a heap". */
export const NONE = -1;

const CAPACITY_MIN = 256;
/** Rows that a snapshot copies at once: small, since a change of one of them waits for it. */
const BLOCK_BITS = 8;
/** Positions in heaps: a snapshot has the heaps and does not need them. */
const UNWATCHED = new WriteWatch(BLOCK_BITS);

export class MessageTable {
  capacity = 0;
  /** Slots below this one have been used at least once. */
  highWater = 0;
  count = 0;
  #freeHead = NONE;
  /** Over the slots of all columns that a snapshot holds. */
  readonly watch = new WriteWatch(BLOCK_BITS);

  /** Shard-wide, growing, never reused; a FIFO queue's SequenceNumber. */
  readonly seq = new Float64Column(this.watch);
  readonly status = new Uint8Column(this.watch);
  /** Which ready list of the queue holds it (ready-list.ts). */
  readonly place = new Uint8Column(this.watch);
  /** The partition's index in `state.partitions`. */
  readonly partition = new Int32Column(this.watch);
  /** Index into the partition's groups. */
  readonly group = new Int32Column(this.watch);
  readonly next = new Int32Column(this.watch);
  readonly prev = new Int32Column(this.watch);
  /** When a delayed or in-flight message becomes visible. */
  readonly deadlineMs = new Float64Column(this.watch);
  readonly timerIndex = new Int32Column(UNWATCHED);
  /** Where the retention clock started: sent time, or for FIFO dead-letter queues the move. */
  readonly retainFromMs = new Float64Column(this.watch);
  readonly ageIndex = new Int32Column(UNWATCHED);
  /** 0 until the first receive. */
  readonly firstReceivedAtMs = new Float64Column(this.watch);
  /** The last receive: the 12-hour limit of one hold counts from here. */
  readonly receivedAtMs = new Float64Column(this.watch);
  readonly receiveCount = new Int32Column(this.watch);
  /** Grows with each receive of the row's message and is never reset: tells receipt handles apart. */
  readonly receiveSeq = new Int32Column(this.watch);
  /** Index into `state.origins`: the queue that dead-lettered it; 0 when none did. */
  readonly origin = new Uint16Column(this.watch);
  /** Where the envelope is: log entry, byte in its payload, length. */
  readonly bodyEntry = new Float64Column(this.watch);
  readonly bodyOffset = new Int32Column(this.watch);
  readonly bodyBytes = new Int32Column(this.watch);

  /** The slot that `take` must be called with next, so that a fact can name it before it is applied. */
  nextFree(): number {
    return this.#freeHead === NONE ? this.highWater : this.#freeHead;
  }

  /** Occupies `slot` for a new message. Facts name their slot, so that a replay fills the same ones. */
  take(slot: number, seq: number): void {
    if (slot >= this.capacity) this.#grow(slot + 1);
    if (slot === this.#freeHead) this.#freeHead = this.next.get(slot);
    else {
      assert(slot === this.highWater, () => `slot ${slot} is neither the free head nor the high water mark`);
      this.highWater = slot + 1;
    }
    this.count += 1;
    this.seq.set(slot, seq);
    this.status.set(slot, READY);
    this.place.set(slot, 0);
    this.group.set(slot, NONE);
    this.next.set(slot, NONE);
    this.prev.set(slot, NONE);
    this.deadlineMs.set(slot, 0);
    this.timerIndex.set(slot, NONE);
    this.ageIndex.set(slot, NONE);
    this.firstReceivedAtMs.set(slot, 0);
    this.receivedAtMs.set(slot, 0);
    this.receiveCount.set(slot, 0);
    this.receiveSeq.set(slot, 0);
    this.origin.set(slot, 0);
  }

  free(slot: number): void {
    assert(this.status.get(slot) !== FREE, () => `slot ${slot} is freed twice`);
    this.status.set(slot, FREE);
    this.seq.set(slot, 0);
    this.count -= 1;
    this.next.set(slot, this.#freeHead);
    this.#freeHead = slot;
  }

  /** Is this slot still the message with that sequence number? */
  holds(slot: number, seq: number): boolean {
    return slot < this.highWater && this.seq.get(slot) === seq && this.status.get(slot) !== FREE;
  }

  #grow(needed: number): void {
    for (const column of COLUMNS) this[column].reserve(Math.max(CAPACITY_MIN, needed));
    this.capacity = this.seq.capacity;
  }

  get freeHead(): number {
    return this.#freeHead;
  }

  /** The rows [from, to) for a snapshot: column after column, heap positions left out. */
  writeRows(out: ByteWriter, from: number, to: number): void {
    for (const column of SAVED_COLUMNS) this[column].writeTo(out, from, to);
  }

  /** Puts back what `writeRows` wrote. */
  readRows(input: ByteReader, from: number, to: number): void {
    for (const column of SAVED_COLUMNS) this[column].readFrom(input.raw((to - from) * COLUMN_BYTES[column]), from);
  }

  /** Room for what a snapshot holds; rows are in no heap until the heaps are put back. */
  restore(highWater: number, count: number, freeHead: number): void {
    this.#grow(highWater);
    for (let slot = 0; slot < highWater; slot++) {
      this.timerIndex.set(slot, NONE);
      this.ageIndex.set(slot, NONE);
    }
    this.highWater = highWater;
    this.count = count;
    this.#freeHead = freeHead;
  }

  /** Reads whole columns, as snapshots had them before layout 3; call `restore` first. */
  readColumns(input: ByteReader): void {
    for (const column of COLUMNS) this[column].readFrom(input.raw(this.highWater * COLUMN_BYTES[column]), 0);
  }
}

/** The order is the snapshot's, with the bytes of a value; append new columns and raise the snapshot version. */
const COLUMN_BYTES = {
  seq: 8,
  status: 1,
  place: 1,
  partition: 4,
  group: 4,
  next: 4,
  prev: 4,
  deadlineMs: 8,
  timerIndex: 4,
  retainFromMs: 8,
  ageIndex: 4,
  firstReceivedAtMs: 8,
  receivedAtMs: 8,
  receiveCount: 4,
  receiveSeq: 4,
  origin: 2,
  bodyEntry: 8,
  bodyOffset: 4,
  bodyBytes: 4,
} as const;

const COLUMNS = Object.keys(COLUMN_BYTES) as (keyof typeof COLUMN_BYTES)[];
const SAVED_COLUMNS = COLUMNS.filter((column) => column !== "timerIndex" && column !== "ageIndex");

/** What a row takes in memory. */
export const ROW_BYTES = sum(COLUMNS);
/** What a row takes in a snapshot. */
export const SAVED_ROW_BYTES = sum(SAVED_COLUMNS);

function sum(columns: (keyof typeof COLUMN_BYTES)[]): number {
  return columns.reduce((bytes, column) => bytes + COLUMN_BYTES[column], 0);
}
