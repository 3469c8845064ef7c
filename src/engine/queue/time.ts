// What time alone does: delays and visibility timeouts end, retention runs out. Recorded as TimeAdvanced, so that a
// replay makes the same changes at the same place among the other facts. Bounded per fact: a million expiries at
// once are worked off in several, and other work goes on between them.

import type { FactOf } from "../fact.ts";
import type { ShardState } from "../state.ts";
import type { Partition } from "./partition.ts";
import { remove } from "./visibility.ts";

/** Part of what facts mean: changing it would make old logs replay differently. */
const CHANGES_PER_ADVANCE_MAX = 20_000;

export function applyTimeAdvanced(state: ShardState, fact: FactOf<"TimeAdvanced">): void {
  state.nowMs = Math.max(state.nowMs, fact.nowMs);
  let changesLeft = CHANGES_PER_ADVANCE_MAX;
  while (changesLeft > 0) {
    const id = state.wakes.top;
    if (id < 0) return;
    const partition = state.partition(id);
    if (partition.wakeAtMs > state.nowMs) return;
    changesLeft -= expire(state, partition, changesLeft);
    changesLeft -= release(state, partition, changesLeft);
    state.rewake(partition);
  }
}

/** Has time something to do that it has not done yet? */
export function isTimeDue(state: ShardState, nowMs: number): boolean {
  const id = state.wakes.top;
  return id >= 0 && state.partition(id).wakeAtMs <= Math.max(nowMs, state.nowMs);
}

function release(state: ShardState, partition: Partition, changesMax: number): number {
  const { timers, table } = partition;
  let changes = 0;
  while (changes < changesMax) {
    const slot = timers.top;
    if (slot < 0 || table.deadlineMs.get(slot) > state.nowMs) break;
    partition.release(slot);
    changes += 1;
  }
  if (changes > 0) state.readied.add(partition.id);
  return changes;
}

/** Messages past their retention go, in flight or not (sqs.md §5.3). */
function expire(state: ShardState, partition: Partition, changesMax: number): number {
  const { ages, table } = partition;
  let changes = 0;
  while (changes < changesMax) {
    const slot = ages.top;
    if (slot < 0 || table.retainFromMs.get(slot) + partition.config.retentionMs > state.nowMs) break;
    remove(state, slot);
    changes += 1;
  }
  return changes;
}
