// A shard's state from the bytes of a snapshot, of this layout or an earlier one.

import { assert } from "../base/assert.ts";
import { ByteReader } from "../base/bytes.ts";
import { applyQueueRecorded } from "./catalog/catalog.ts";
import { decodeGroup } from "./queue/group-codec.ts";
import { ROW_BYTES, SAVED_ROW_BYTES } from "./queue/message-table.ts";
import { Partition, type ReceiveAttempt } from "./queue/partition.ts";
import { SNAPSHOT_VERSION } from "./snapshot.ts";
import { BLOCK } from "./snapshot-block.ts";
import type { PartitionHead, PartitionLengths, SnapshotHead } from "./snapshot-head.ts";
import { type EngineSettings, ShardState } from "./state.ts";

const SNAPSHOT_VERSION_MIN = 1;
const BLOCKS_SINCE = 3;

/** What is put together before it is put back: heaps need the table's columns. */
interface Restoring {
  partition: Partition;
  lengths: PartitionLengths;
  readyGroups: Int32Array;
  noisyGroups: Int32Array;
  timers: Int32Array;
  ages: Int32Array;
}

/** Throws RangeError when the bytes are not a snapshot of a version that this build knows. */
export function decodeSnapshot(bytes: Uint8Array, settings: EngineSettings): ShardState {
  const input = new ByteReader(bytes);
  const version = input.u32();
  if (version < SNAPSHOT_VERSION_MIN || version > SNAPSHOT_VERSION)
    throw new RangeError(`snapshot version ${version} is not known to this build`);
  try {
    return decodeState(input, version, settings);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // Heads are JSON and are not checked member by member: what trips over them says that this is no snapshot of ours.
    throw new RangeError(`the snapshot makes no sense: ${(error as Error).message}`, { cause: error });
  }
}

function decodeState(input: ByteReader, version: number, settings: EngineSettings): ShardState {
  const head = input.json() as SnapshotHead;
  const state = stateOf(head, settings);
  const hasBlocks = version >= BLOCKS_SINCE;
  const all = new Map<number, Restoring>();
  for (let index = 0; index < head.partitionCount; index++) {
    const restoring = hasBlocks ? beginPartition(input, state) : readPartition(input, state);
    all.set(restoring.partition.id, restoring);
  }
  const wakes = readInt32s(input);
  const { highWater, count, freeHead } = head.table;
  // A wrong count fails here and asks for no memory.
  requireBytes(input, highWater, hasBlocks ? SAVED_ROW_BYTES : ROW_BYTES);
  state.table.restore(highWater, count, freeHead);
  if (hasBlocks) readBlocks(input, state, all);
  else state.table.readColumns(input);
  for (const { partition, readyGroups, noisyGroups, timers, ages } of all.values()) {
    const free = new Set(partition.freeGroups);
    for (const group of partition.groups) if (!free.has(group.index)) partition.groupIndexes.set(group.id, group.index);
    partition.readyGroups.restore(readyGroups);
    partition.noisyGroups.restore(noisyGroups);
    partition.timers.restore(timers);
    partition.ages.restore(ages);
  }
  state.wakes.restore(wakes);
  assert(input.done, "a snapshot ends where its last part ends");
  return state;
}

function stateOf(head: SnapshotHead, settings: EngineSettings): ShardState {
  const state = new ShardState(settings);
  state.nowMs = head.nowMs;
  state.nextSeq = head.nextSeq;
  state.nextTransferId = head.nextTransferId;
  state.origins = head.origins;
  state.originIndexes = new Map(head.origins.map((arn, index) => [arn, index]));
  for (const entry of head.outbox) state.outbox.set(entry.transferId, entry);
  state.acceptedUpTo = new Map(head.acceptedUpTo);
  for (const record of head.queues) applyQueueRecorded(state.catalog, record);
  state.catalog.deletedAtMs = new Map(head.deletedAtMs);
  state.catalog.nextPartition = head.nextPartition;
  for (const entry of head.resources ?? []) state.catalog.resources.put(entry);
  return state;
}

function newPartition(head: PartitionHead, state: ShardState): Partition {
  const partition = new Partition(head.id, head.config, state.table);
  state.partitions.set(head.id, partition);
  partition.readyCount = head.readyCount;
  partition.delayedCount = head.delayedCount;
  partition.inFlightCount = head.inFlightCount;
  partition.purgedAtMs = head.purgedAtMs;
  partition.wakeAtMs = head.wakeAtMs ?? Number.POSITIVE_INFINITY;
  partition.moveTasks = head.moveTasks;
  for (const task of head.moveTasks) {
    if (task.status === "RUNNING") state.runningTasks.set(task.taskId, { partition, task });
  }
  return partition;
}

function beginPartition(input: ByteReader, state: ShardState): Restoring {
  const head = input.json() as PartitionHead;
  const partition = newPartition(head, state);
  const lengths = head.lengths as PartitionLengths;
  Object.assign(partition.ungrouped, decodeGroup(input, partition.ungrouped.index, false));
  for (const index of readInt32s(input)) partition.freeGroups.push(index);
  const members = (length: number) => {
    requireBytes(input, length, Int32Array.BYTES_PER_ELEMENT);
    return new Int32Array(length);
  };
  return {
    partition,
    lengths,
    readyGroups: members(lengths.readyGroups),
    noisyGroups: members(lengths.noisyGroups),
    timers: members(lengths.timers),
    ages: members(lengths.ages),
  };
}

function readBlocks(input: ByteReader, state: ShardState, all: Map<number, Restoring>): void {
  const { table } = state;
  let missing = table.highWater;
  for (const { lengths } of all.values()) for (const length of Object.values(lengths)) missing += length;
  while (!input.done) {
    const kind = input.u8();
    const id = input.u32();
    const block = input.u32();
    if (kind === BLOCK.rows) {
      const { from, to } = range(block, table.watch.blockLength, table.highWater);
      table.readRows(input, from, to);
      missing -= to - from;
      continue;
    }
    const restoring = all.get(id);
    if (restoring === undefined) throw new RangeError(`a block of partition ${id}, which the snapshot does not have`);
    missing -= readPartitionBlock(input, restoring, kind, block);
  }
  if (missing !== 0) throw new RangeError("the snapshot does not hold as much as it says");
}

/** Answers how many values were in it. */
function readPartitionBlock(input: ByteReader, restoring: Restoring, kind: number, block: number): number {
  const { partition, lengths } = restoring;
  switch (kind) {
    case BLOCK.readyGroups:
      return readMembers(input, restoring.readyGroups, block, partition.readyGroups.watch.blockLength);
    case BLOCK.noisyGroups:
      return readMembers(input, restoring.noisyGroups, block, partition.noisyGroups.watch.blockLength);
    case BLOCK.timers:
      return readMembers(input, restoring.timers, block, partition.timers.watch.blockLength);
    case BLOCK.ages:
      return readMembers(input, restoring.ages, block, partition.ages.watch.blockLength);
    case BLOCK.groups: {
      const { from, to } = range(block, partition.groupWatch.blockLength, lengths.groups);
      for (let index = from; index < to; index++)
        partition.groups[index] = decodeGroup(input, index, partition.config.fifo);
      return to - from;
    }
    case BLOCK.deduplicated:
      return partition.deduplicated.restoreBlock(input.bytes());
    case BLOCK.deduplicatedId:
      readDeduplicated(input, partition);
      return 1;
    case BLOCK.attempts:
      partition.attempts.restore(input.text(), input.json() as ReceiveAttempt);
      return 1;
    default:
      throw new RangeError(`a block of kind ${kind} is not known to this build`);
  }
}

function readMembers(input: ByteReader, members: Int32Array, block: number, blockLength: number): number {
  const { from, to } = range(block, blockLength, members.length);
  const place = members.subarray(from, to);
  new Uint8Array(place.buffer, place.byteOffset, place.byteLength).set(input.raw(place.byteLength));
  return place.length;
}

function range(block: number, blockLength: number, length: number): { from: number; to: number } {
  const from = block * blockLength;
  if (from >= length) throw new RangeError(`block ${block} is behind the end of what it is part of`);
  return { from, to: Math.min(length, from + blockLength) };
}

/** Layouts 1 and 2 had everything of a partition in one place. */
function readPartition(input: ByteReader, state: ShardState): Restoring {
  const head = input.json() as PartitionHead;
  const partition = newPartition(head, state);
  for (const [attemptId, attempt] of head.attempts ?? []) partition.attempts.restore(attemptId, attempt);
  partition.freeGroups.push(...(head.freeGroups ?? []));
  Object.assign(partition.ungrouped, decodeGroup(input, partition.ungrouped.index, false));
  const groupCount = input.u32();
  for (let index = 0; index < groupCount; index++)
    partition.groups.push(decodeGroup(input, index, partition.config.fifo));
  const readyGroups = readInt32s(input);
  const noisyGroups = readInt32s(input);
  const timers = readInt32s(input);
  const ages = readInt32s(input);
  const deduplicated = input.u32();
  for (let count = deduplicated; count > 0; count--) readDeduplicated(input, partition);
  return { partition, lengths: {} as PartitionLengths, readyGroups, noisyGroups, timers, ages };
}

function readDeduplicated(input: ByteReader, partition: Partition): void {
  const key = input.text();
  partition.deduplicated.restore(key, { messageId: input.text(), seq: input.f64(), expiresAtMs: input.f64() });
}

function readInt32s(input: ByteReader): Int32Array {
  const bytes = Uint8Array.from(input.bytes());
  return new Int32Array(bytes.buffer, 0, bytes.length / 4);
}

function requireBytes(input: ByteReader, count: number, bytesEach: number): void {
  if (!(Number.isInteger(count) && count >= 0 && count * bytesEach <= input.end - input.offset))
    throw new RangeError(`the snapshot says that it holds ${count} of what it has no room for`);
}
