// Every queued message of a shard as one row of numbers: columns in typed arrays, addressed by slot. No object per
// message; links, heap positions and times are columns (architecture.md §4: at most about 100 bytes a message).
// The sequence number is the generation: a slot is the message you mean only while its seq is the one you know.

import { assert } from "../../base/assert.ts";

export const FREE = 0;
export const READY = 1;
export const DELAYED = 2;
export const IN_FLIGHT = 3;
/** On its way to another queue: kept until the target has it, seen by nobody. */
export const TRANSFERRING = 4;

/** "No slot", "no group", "not in a heap". */
export const NONE = -1;

const CAPACITY_MIN = 256;

export class MessageTable {
  capacity = 0;
  /** Slots below this one have been used at least once. */
  highWater = 0;
  count = 0;
  #freeHead = NONE;

  /** Shard-wide, growing, never reused; a FIFO queue's SequenceNumber. */
  seq = new Float64Array(0);
  status = new Uint8Array(0);
  /** Which ready list of the queue holds it (ready-list.ts). */
  place = new Uint8Array(0);
  /** The partition's index in `state.partitions`. */
  partition = new Int32Array(0);
  /** Index into the partition's groups. */
  group = new Int32Array(0);
  next = new Int32Array(0);
  prev = new Int32Array(0);
  /** When a delayed or in-flight message becomes visible. */
  deadlineMs = new Float64Array(0);
  timerIndex = new Int32Array(0);
  /** Where the retention clock started: sent time, or for FIFO dead-letter queues the move. */
  retainFromMs = new Float64Array(0);
  ageIndex = new Int32Array(0);
  /** 0 until the first receive. */
  firstReceivedAtMs = new Float64Array(0);
  /** The last receive: the 12-hour limit of one hold counts from here. */
  receivedAtMs = new Float64Array(0);
  receiveCount = new Uint32Array(0);
  /** Grows with each receive of the row's message and is never reset: tells receipt handles apart. */
  receiveSeq = new Uint32Array(0);
  /** Index into `state.origins`: the queue that dead-lettered it; 0 when none did. */
  origin = new Uint16Array(0);
  /** Where the envelope is: log entry, byte in its payload, length. */
  bodyEntry = new Float64Array(0);
  bodyOffset = new Uint32Array(0);
  bodyBytes = new Uint32Array(0);

  /** The slot that `take` must be called with next, so that a fact can name it before it is applied. */
  nextFree(): number {
    return this.#freeHead === NONE ? this.highWater : this.#freeHead;
  }

  /** Occupies `slot` for a new message. Facts name their slot, so that a replay fills the same ones. */
  take(slot: number, seq: number): void {
    if (slot >= this.capacity) this.#grow(slot + 1);
    if (slot === this.#freeHead) this.#freeHead = this.next[slot] as number;
    else {
      assert(slot === this.highWater, () => `slot ${slot} is neither the free head nor the high water mark`);
      this.highWater = slot + 1;
    }
    this.count += 1;
    this.seq[slot] = seq;
    this.status[slot] = READY;
    this.place[slot] = 0;
    this.group[slot] = NONE;
    this.next[slot] = NONE;
    this.prev[slot] = NONE;
    this.deadlineMs[slot] = 0;
    this.timerIndex[slot] = NONE;
    this.ageIndex[slot] = NONE;
    this.firstReceivedAtMs[slot] = 0;
    this.receivedAtMs[slot] = 0;
    this.receiveCount[slot] = 0;
    this.receiveSeq[slot] = 0;
    this.origin[slot] = 0;
  }

  free(slot: number): void {
    assert(this.status[slot] !== FREE, () => `slot ${slot} is freed twice`);
    this.status[slot] = FREE;
    this.seq[slot] = 0;
    this.count -= 1;
    this.next[slot] = this.#freeHead;
    this.#freeHead = slot;
  }

  /** Is this slot still the message with that sequence number? */
  holds(slot: number, seq: number): boolean {
    return slot < this.highWater && this.seq[slot] === seq && this.status[slot] !== FREE;
  }

  #grow(needed: number): void {
    const capacity = Math.max(CAPACITY_MIN, needed, Math.ceil(this.capacity * 1.5));
    for (const column of COLUMNS) {
      const old = this[column];
      const grown = new (old.constructor as new (length: number) => typeof old)(capacity);
      grown.set(old as never);
      (this as Record<string, unknown>)[column] = grown;
    }
    this.capacity = capacity;
  }

  /** The rows in use as raw bytes, column after column (snapshot.ts). */
  *columnBytes(): Generator<Uint8Array> {
    for (const column of COLUMNS) {
      const copy = this[column].slice(0, this.highWater);
      yield new Uint8Array(copy.buffer, copy.byteOffset, copy.byteLength);
    }
  }

  get freeHead(): number {
    return this.#freeHead;
  }

  /** Puts back what `columnBytes` gave. `read` returns the next so many bytes. */
  restore(highWater: number, count: number, freeHead: number, read: (bytes: number) => Uint8Array): void {
    // All is read before room is made: a wrong count fails here and asks for no memory.
    const columns = COLUMNS.map((column) => read(highWater * this[column].BYTES_PER_ELEMENT));
    this.#grow(highWater);
    for (const [index, column] of COLUMNS.entries()) {
      const { buffer, byteOffset } = this[column];
      new Uint8Array(buffer, byteOffset).set(columns[index] as Uint8Array);
    }
    this.highWater = highWater;
    this.count = count;
    this.#freeHead = freeHead;
  }
}

/** The order is the snapshot's; append new columns and raise the snapshot version. */
const COLUMNS = [
  "seq",
  "status",
  "place",
  "partition",
  "group",
  "next",
  "prev",
  "deadlineMs",
  "timerIndex",
  "retainFromMs",
  "ageIndex",
  "firstReceivedAtMs",
  "receivedAtMs",
  "receiveCount",
  "receiveSeq",
  "origin",
  "bodyEntry",
  "bodyOffset",
  "bodyBytes",
] as const;
