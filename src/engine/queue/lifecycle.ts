// The beginning, change, purge and end of a partition. The catalog decides that a queue exists and what its
// attributes are; a partition follows.

import { accept, type Result, refuse } from "../../base/result.ts";
import { resetCatalog } from "../catalog/catalog.ts";
import type { FactOf } from "../fact.ts";
import { PURGE_COOL_DOWN_MS } from "../limits.ts";
import { type Refusal, refusal } from "../refusal.ts";
import type { Recorder, ShardCommandOf, ShardState } from "../state.ts";
import { DELAYED } from "./message-table.ts";
import { Partition } from "./partition.ts";

export function decideConfigurePartition(
  state: ShardState,
  command: ShardCommandOf<"configurePartition">,
  record: Recorder,
): Result<null, Refusal> {
  const current = state.partitions.get(command.partition)?.config;
  if (JSON.stringify(current) !== JSON.stringify(command.config)) {
    record({ kind: "PartitionConfigured", partition: command.partition, config: command.config });
  }
  return accept(null);
}

export function decideClosePartition(
  state: ShardState,
  command: ShardCommandOf<"closePartition">,
  record: Recorder,
): Result<null, Refusal> {
  if (state.partitions.has(command.partition)) record({ kind: "PartitionClosed", partition: command.partition });
  return accept(null);
}

/** Visible, delayed and in-flight messages go, and FIFO deduplication ids are forgotten (sqs.md §3.5). */
export function decidePurge(
  state: ShardState,
  command: ShardCommandOf<"purgeQueue">,
  record: Recorder,
): Result<null, Refusal> {
  const partition = state.partition(command.partition);
  const isTooSoon = partition.purgedAtMs > 0 && state.nowMs - partition.purgedAtMs < PURGE_COOL_DOWN_MS;
  if (state.settings.awsDelays && isTooSoon) {
    return refuse(
      refusal(
        "PurgeQueueInProgress",
        `Only one PurgeQueue operation on ${partition.config.queue.name} is allowed every 60 seconds.`,
      ),
    );
  }
  record({ kind: "QueuePurged", partition: partition.id });
  return accept(null);
}

export function applyPartitionConfigured(state: ShardState, fact: FactOf<"PartitionConfigured">): void {
  const partition = state.partitions.get(fact.partition);
  if (partition === undefined) {
    state.partitions.set(fact.partition, new Partition(fact.partition, fact.config, state.table));
    return;
  }
  const delayChanged = partition.config.delayMs !== fact.config.delayMs;
  partition.config = fact.config;
  if (fact.config.fifo && delayChanged) rescheduleDelayed(state, partition);
  state.rewake(partition);
}

function rescheduleDelayed(state: ShardState, partition: Partition): void {
  const { table } = state;
  for (const slot of partition.timers.members()) {
    if (table.status.get(slot) !== DELAYED) continue;
    partition.reschedule(slot, table.retainFromMs.get(slot) + partition.config.delayMs, state.nowMs);
    state.readied.add(partition.id);
  }
}

export function applyPurged(state: ShardState, fact: FactOf<"QueuePurged">): void {
  const partition = state.partition(fact.partition);
  empty(state, partition);
  partition.deduplicated.clear();
  partition.attempts.clear();
  partition.purgedAtMs = state.nowMs;
  state.rewake(partition);
}

export function applyPartitionClosed(state: ShardState, fact: FactOf<"PartitionClosed">): void {
  const partition = state.partition(fact.partition);
  empty(state, partition);
  for (const task of partition.moveTasks) state.runningTasks.delete(task.taskId);
  state.rewake(partition);
  state.partitions.delete(partition.id);
  // Whoever waits for messages of it must hear that it is gone.
  state.readied.add(partition.id);
}

function empty(state: ShardState, partition: Partition): void {
  for (const slot of partition.memberSlots()) {
    partition.withdraw(slot);
    partition.leaveGroup(slot);
    state.table.free(slot);
  }
}

/** Nothing is left but the settings, the clock and the counters that must not run backwards: for tests. */
export function applyShardReset(state: ShardState): void {
  for (const partition of [...state.partitions.values()]) {
    applyPartitionClosed(state, { kind: "PartitionClosed", partition: partition.id });
  }
  for (const entry of state.outbox.values()) state.table.free(entry.slot);
  state.outbox.clear();
  state.runningTasks.clear();
  resetCatalog(state.catalog);
}
