// The whole state of a shard as bytes: what recovery loads before it replays the rest of the log. Columns, heaps and
// lists are written as they stand, so a restored shard goes on exactly like the one that was written. Bodies are not
// in it: rows say where they are in the log. Layout: docs/log-format.md, "Snapshots". Back: restore-snapshot.ts.
//
// A snapshot is written in small pieces while the state goes on changing, and is still the state at one moment: what
// there is little of is copied when it begins; everything long is cut into blocks, and a block that is about to change
// is copied just before, whether its turn has come or not. So a change waits for the blocks that it touches, a few
// microseconds each, and never for the whole.

import { ByteWriter } from "../base/bytes.ts";
import type { IndexedHeap } from "../base/indexed-heap.ts";
import type { WriteWatch } from "../base/write-watch.ts";
import type { ExpiringMap } from "./queue/expiring-map.ts";
import { encodeGroup } from "./queue/group-codec.ts";
import type { Partition, ReceiveAttempt } from "./queue/partition.ts";
import { BLOCK, type BlockKind } from "./snapshot-block.ts";
import { partitionHead, snapshotHead } from "./snapshot-head.ts";
import type { ShardState } from "./state.ts";

/**
 * Raised when the layout changes; an older build refuses a newer snapshot. 2 added `resources` to the head; 3 cut the
 * long parts into blocks; 4 put deduplication ids into them as they are in memory.
 */
export const SNAPSHOT_VERSION = 4;

/** A piece is handed out when it has reached this: some tens of microseconds of work. */
const PIECE_BYTES = 128 * 1024;
/** Pieces may end up longer by a block. */
const PIECE_ROOM_BYTES = PIECE_BYTES + 40 * 1024;
/** Entries of what expires that go into one block. */
const WALK_STEP = 64;

/** One long part, block by block. */
interface Section {
  /** Writes the next block that is still to be written; false when there is none. */
  step(): boolean;
  stop(): void;
}

/** Writes the state as it was when this was made. One at a time for each state that may change meanwhile. */
export class SnapshotWriter {
  readonly #mayChange: boolean;
  #out = new ByteWriter(PIECE_ROOM_BYTES);
  readonly #pieces: Uint8Array[] = [];
  readonly #sections: Section[] = [];
  #current = 0;

  /** `mayChange`: the state goes on before the last piece was taken. */
  constructor(state: ShardState, mayChange: boolean) {
    this.#mayChange = mayChange;
    const out = this.#out;
    out.u32(SNAPSHOT_VERSION);
    out.text(JSON.stringify(snapshotHead(state)));
    for (const partition of state.partitions.values()) encodePartitionHead(out, partition);
    int32s(out, state.wakes.members());
    this.#endPiece();
    const { table } = state;
    this.#blocks(BLOCK.rows, 0, table.watch, table.highWater, (from, to) => table.writeRows(this.#out, from, to));
    for (const partition of state.partitions.values()) this.#addPartition(partition);
  }

  /** The next bytes, or undefined at the end. They are the caller's. */
  next(): Uint8Array | undefined {
    while (this.#pieces.length === 0 && this.#current < this.#sections.length) {
      if (!(this.#sections[this.#current] as Section).step()) this.#current += 1;
      this.#endPieceIfFull();
    }
    if (this.#pieces.length === 0 && this.#out.length > 0) this.#endPiece();
    return this.#pieces.shift();
  }

  /** Call it however the writing ended, or the state goes on keeping what would change. */
  stop(): void {
    for (const section of this.#sections) section.stop();
  }

  #addPartition(partition: Partition): void {
    const { id, groups, groupWatch } = partition;
    this.#heap(BLOCK.readyGroups, id, partition.readyGroups);
    this.#heap(BLOCK.noisyGroups, id, partition.noisyGroups);
    this.#heap(BLOCK.timers, id, partition.timers);
    this.#heap(BLOCK.ages, id, partition.ages);
    this.#blocks(BLOCK.groups, id, groupWatch, groups.length, (from, to) => {
      for (const group of groups.slice(from, to)) encodeGroup(this.#out, group);
    });
    this.#unchanging(BLOCK.deduplicated, id, partition.deduplicated.blocks());
    this.#expiring<ReceiveAttempt>(BLOCK.attempts, id, partition.attempts, (key, attempt) => {
      this.#out.text(key);
      this.#out.text(JSON.stringify(attempt));
    });
  }

  #heap(kind: BlockKind, partition: number, heap: IndexedHeap): void {
    this.#blocks(kind, partition, heap.watch, heap.size, (from, to) => heap.items.writeTo(this.#out, from, to));
  }

  #blocks(
    kind: BlockKind,
    partition: number,
    watch: WriteWatch,
    length: number,
    write: (from: number, to: number) => void,
  ): void {
    if (length === 0) return;
    const blockCount = watch.blockCount(length);
    const writeBlock = (block: number) => {
      this.#beginBlock(kind, partition, block);
      const from = block * watch.blockLength;
      write(from, Math.min(length, from + watch.blockLength));
      this.#endPieceIfFull();
    };
    if (this.#mayChange) watch.start(length, writeBlock);
    let block = 0;
    this.#sections.push({
      step: () => {
        if (block === blockCount) return false;
        if (this.#mayChange) watch.copyBlock(block);
        else writeBlock(block);
        block += 1;
        return true;
      },
      stop: () => {
        if (this.#mayChange) watch.stop();
      },
    });
  }

  /** A block an entry: they are few, or each is short-lived. */
  #expiring<Value extends { expiresAtMs: number }>(
    kind: BlockKind,
    partition: number,
    map: ExpiringMap<Value>,
    write: (key: string, value: Value) => void,
  ): void {
    if (map.size === 0) return;
    const visit = (key: string, value: Value) => {
      this.#beginBlock(kind, partition, 0);
      write(key, value);
      this.#endPieceIfFull();
    };
    const walk = map.walk(visit, this.#mayChange);
    this.#sections.push({ step: () => walk.step(WALK_STEP), stop: () => walk.stop() });
  }

  #unchanging(kind: BlockKind, partition: number, contents: Uint8Array[]): void {
    let block = 0;
    this.#sections.push({
      step: () => {
        const content = contents[block];
        if (content === undefined) return false;
        this.#beginBlock(kind, partition, block);
        this.#out.bytes(content);
        block += 1;
        return true;
      },
      stop: () => undefined,
    });
  }

  #beginBlock(kind: BlockKind, partition: number, block: number): void {
    this.#out.u8(kind);
    this.#out.u32(partition);
    this.#out.u32(block);
  }

  #endPieceIfFull(): void {
    if (this.#out.length >= PIECE_BYTES) this.#endPiece();
  }

  #endPiece(): void {
    this.#pieces.push(this.#out.take(PIECE_ROOM_BYTES));
  }
}

/** All at once. */
export function encodeSnapshot(state: ShardState): Uint8Array[] {
  const writer = new SnapshotWriter(state, false);
  const pieces: Uint8Array[] = [];
  for (let piece = writer.next(); piece !== undefined; piece = writer.next()) pieces.push(piece);
  return pieces;
}

function encodePartitionHead(out: ByteWriter, partition: Partition): void {
  out.text(JSON.stringify(partitionHead(partition)));
  encodeGroup(out, partition.ungrouped);
  int32s(out, Int32Array.from(partition.freeGroups));
}

function int32s(out: ByteWriter, values: Int32Array): void {
  out.bytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}
