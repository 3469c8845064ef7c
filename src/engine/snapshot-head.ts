// The beginning of a snapshot: what there is one or a few of, as JSON, and how long the sections behind it are.

import type { QueueRecord } from "./catalog/queue-record.ts";
import type { ResourceEntry } from "./catalog/resources.ts";
import type { MoveTask } from "./queue/move-task.ts";
import type { Partition, PartitionConfig, ReceiveAttempt } from "./queue/partition.ts";
import type { OutboxEntry, ShardState } from "./state.ts";

export interface SnapshotHead {
  nowMs: number;
  nextSeq: number;
  nextTransferId: number;
  origins: string[];
  outbox: OutboxEntry[];
  acceptedUpTo: [number, number][];
  queues: QueueRecord[];
  deletedAtMs: [string, number][];
  nextPartition: number;
  /** Since layout 2. */
  resources?: ResourceEntry[];
  table: { highWater: number; count: number; freeHead: number };
  partitionCount: number;
}

export interface PartitionHead {
  id: number;
  config: PartitionConfig;
  readyCount: number;
  delayedCount: number;
  inFlightCount: number;
  purgedAtMs: number;
  wakeAtMs: number | null;
  moveTasks: MoveTask[];
  /** Until layout 2. */
  attempts?: [string, ReceiveAttempt][];
  freeGroups?: number[];
  /** How many there are of what is in blocks; since layout 3. */
  lengths?: PartitionLengths;
}

export interface PartitionLengths {
  groups: number;
  readyGroups: number;
  noisyGroups: number;
  timers: number;
  ages: number;
  deduplicated: number;
  attempts: number;
}

export function snapshotHead(state: ShardState): SnapshotHead {
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

export function partitionHead(partition: Partition): PartitionHead {
  const { id, config, readyCount, delayedCount, inFlightCount, purgedAtMs, wakeAtMs, moveTasks } = partition;
  return {
    id,
    config,
    readyCount,
    delayedCount,
    inFlightCount,
    purgedAtMs,
    wakeAtMs: wakeAtMs === Number.POSITIVE_INFINITY ? null : wakeAtMs,
    moveTasks,
    lengths: {
      groups: partition.groups.length,
      readyGroups: partition.readyGroups.size,
      noisyGroups: partition.noisyGroups.size,
      timers: partition.timers.size,
      ages: partition.ages.size,
      deduplicated: partition.deduplicated.size,
      attempts: partition.attempts.size,
    },
  };
}
