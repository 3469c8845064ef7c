// The whole state of a shard as bytes, and back: what recovery loads before it replays the rest of the log. Columns,
// heaps and lists are written as they stand, so a restored shard goes on exactly like the one that was written.
// Bodies are not in it: rows say where they are in the log. Layout: docs/log-format.md, "Snapshots".

import { assert } from "../base/assert.ts";
import { ByteReader, ByteWriter } from "../base/bytes.ts";
import { applyQueueRecorded } from "./catalog/catalog.ts";
import type { QueueRecord } from "./catalog/queue-record.ts";
import type { ResourceEntry } from "./catalog/resources.ts";
import { type Group, newGroup } from "./queue/group.ts";
import type { MoveTask } from "./queue/move-task.ts";
import { Partition, type PartitionConfig, type ReceiveAttempt } from "./queue/partition.ts";
import type { EngineSettings, OutboxEntry } from "./state.ts";
import { ShardState } from "./state.ts";

/** Raised when the layout changes; an older build refuses a newer snapshot. 2 added `resources` to the head. */
export const SNAPSHOT_VERSION = 2;
const SNAPSHOT_VERSION_MIN = 1;

interface SnapshotHead {
  nowMs: number;
  nextSeq: number;
  nextTransferId: number;
  origins: string[];
  outbox: OutboxEntry[];
  acceptedUpTo: [number, number][];
  queues: QueueRecord[];
  deletedAtMs: [string, number][];
  nextPartition: number;
  /** Since version 2. */
  resources?: ResourceEntry[];
  table: { highWater: number; count: number; freeHead: number };
  partitionCount: number;
}

interface PartitionHead {
  id: number;
  config: PartitionConfig;
  readyCount: number;
  delayedCount: number;
  inFlightCount: number;
  purgedAtMs: number;
  wakeAtMs: number | null;
  moveTasks: MoveTask[];
  attempts: [string, ReceiveAttempt][];
  freeGroups: number[];
}

/** Copies the state at once, so that it may change while the chunks are being written. */
export function encodeSnapshot(state: ShardState): Uint8Array[] {
  const out = new ByteWriter(64 * 1024);
  out.u32(SNAPSHOT_VERSION);
  out.text(JSON.stringify(head(state)));
  for (const partition of state.partitions.values()) encodePartition(out, partition);
  int32s(out, state.wakes.members());
  return [out.take(0), ...state.table.columnBytes()];
}

/** Throws RangeError when the bytes are not a snapshot of a version that this build knows. */
export function decodeSnapshot(bytes: Uint8Array, settings: EngineSettings): ShardState {
  const input = new ByteReader(bytes);
  const version = input.u32();
  if (version < SNAPSHOT_VERSION_MIN || version > SNAPSHOT_VERSION)
    throw new RangeError(`snapshot version ${version} is not known to this build`);
  try {
    return decodeState(input, settings);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // Heads are JSON and are not checked member by member: what trips over them says that this is no snapshot of ours.
    throw new RangeError(`the snapshot makes no sense: ${(error as Error).message}`, { cause: error });
  }
}

function decodeState(input: ByteReader, settings: EngineSettings): ShardState {
  const head = input.json() as SnapshotHead;
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
  const restoreHeaps: (() => void)[] = [];
  for (let index = 0; index < head.partitionCount; index++) restoreHeaps.push(decodePartition(input, state));
  const wakes = readInt32s(input);
  const { highWater, count, freeHead } = head.table;
  state.table.restore(highWater, count, freeHead, (length) => input.raw(length));
  for (const restore of restoreHeaps) restore();
  state.wakes.restore(wakes);
  assert(input.done, "a snapshot ends where its last column ends");
  return state;
}

function head(state: ShardState): SnapshotHead {
  const { catalog, table } = state;
  return {
    nowMs: state.nowMs,
    nextSeq: state.nextSeq,
    nextTransferId: state.nextTransferId,
    origins: state.origins,
    outbox: [...state.outbox.values()],
    acceptedUpTo: [...state.acceptedUpTo],
    queues: [...catalog.queues.values()],
    deletedAtMs: [...catalog.deletedAtMs],
    nextPartition: catalog.nextPartition,
    resources: [...catalog.resources.entries()],
    table: { highWater: table.highWater, count: table.count, freeHead: table.freeHead },
    partitionCount: state.partitions.size,
  };
}

function encodePartition(out: ByteWriter, partition: Partition): void {
  const { id, config, readyCount, delayedCount, inFlightCount, purgedAtMs, wakeAtMs, moveTasks, freeGroups } =
    partition;
  const head: PartitionHead = {
    id,
    config,
    readyCount,
    delayedCount,
    inFlightCount,
    purgedAtMs,
    wakeAtMs: wakeAtMs === Number.POSITIVE_INFINITY ? null : wakeAtMs,
    moveTasks,
    attempts: [...partition.attempts],
    freeGroups,
  };
  out.text(JSON.stringify(head));
  encodeGroup(out, partition.ungrouped);
  out.u32(partition.groups.length);
  for (const group of partition.groups) encodeGroup(out, group);
  int32s(out, partition.readyGroups.members());
  int32s(out, partition.noisyGroups.members());
  int32s(out, partition.timers.members());
  int32s(out, partition.ages.members());
  out.u32(partition.deduplicated.size);
  for (const [key, { messageId, seq, expiresAtMs }] of partition.deduplicated) {
    out.text(key);
    out.text(messageId);
    out.f64(seq);
    out.f64(expiresAtMs);
  }
}

/** Heaps are put back only once the table's columns are there; the answer does that. */
function decodePartition(input: ByteReader, state: ShardState): () => void {
  const head = input.json() as PartitionHead;
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
  for (const [attemptId, attempt] of head.attempts) partition.attempts.set(attemptId, attempt);
  partition.freeGroups.push(...head.freeGroups);
  Object.assign(partition.ungrouped, decodeGroup(input, partition.ungrouped.index));
  const groupCount = input.u32();
  for (let index = 0; index < groupCount; index++) partition.groups.push(decodeGroup(input, index));
  const free = new Set(head.freeGroups);
  for (const group of partition.groups) if (!free.has(group.index)) partition.groupIndexes.set(group.id, group.index);
  const readyGroups = readInt32s(input);
  const noisyGroups = readInt32s(input);
  const timers = readInt32s(input);
  const ages = readInt32s(input);
  for (let count = input.u32(); count > 0; count--) {
    const key = input.text();
    partition.deduplicated.set(key, { messageId: input.text(), seq: input.f64(), expiresAtMs: input.f64() });
  }
  return () => {
    partition.readyGroups.restore(readyGroups);
    partition.noisyGroups.restore(noisyGroups);
    partition.timers.restore(timers);
    partition.ages.restore(ages);
  };
}

function encodeGroup(out: ByteWriter, group: Group): void {
  out.text(group.id);
  for (const list of [group.fresh, group.returned]) {
    out.u32(list.head + 1);
    out.u32(list.tail + 1);
  }
  out.u32(group.messageCount);
  out.u32(group.inFlightCount);
  out.u8(group.noisy ? 1 : 0);
  out.f64(group.lastActiveMs);
}

function decodeGroup(input: ByteReader, index: number): Group {
  const group = newGroup(input.text(), index);
  for (const list of [group.fresh, group.returned]) {
    list.head = input.u32() - 1;
    list.tail = input.u32() - 1;
  }
  group.messageCount = input.u32();
  group.inFlightCount = input.u32();
  group.noisy = input.u8() === 1;
  group.lastActiveMs = input.f64();
  return group;
}

function int32s(out: ByteWriter, values: Int32Array): void {
  out.bytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

function readInt32s(input: ByteReader): Int32Array {
  const bytes = Uint8Array.from(input.bytes());
  return new Int32Array(bytes.buffer, 0, bytes.length / 4);
}
