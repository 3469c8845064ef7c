// What time alone does: delays and visibility timeouts end, retention runs out. Recorded as TimeStepped, so that a
// replay makes the same changes at the same place among the other facts. Bounded per fact: a million expiries at
// once are worked off in many, and other work goes on between them.

import type { FactOf } from "../fact.ts";
import type { ShardState } from "../state.ts";
import type { Partition } from "./partition.ts";
import { remove } from "./visibility.ts";

/** Changes of one step, a few milliseconds of work. Each fact carries its own bound, so this may change. */
const CHANGES_PER_STEP = 2000;
/** What a TimeAdvanced means: changing it would make old logs replay differently. */
const CHANGES_PER_ADVANCE_MAX = 20_000;

/** The fact to record when time has something to do. */
export function timeStep(nowMs: number): FactOf<"TimeStepped"> {
  return { kind: "TimeStepped", nowMs, changesMax: CHANGES_PER_STEP };
}

/** Recorded when time did nothing but pass; logs of earlier versions have it for everything that time did. */
export function applyTimeAdvanced(state: ShardState, fact: FactOf<"TimeAdvanced">): void {
  passTime(state, fact.nowMs, CHANGES_PER_ADVANCE_MAX);
}

export function applyTimeStepped(state: ShardState, fact: FactOf<"TimeStepped">): void {
  passTime(state, fact.nowMs, fact.changesMax);
}

function passTime(state: ShardState, nowMs: number, changesMax: number): void {
  state.nowMs = Math.max(state.nowMs, nowMs);
  let changesLeft = changesMax;
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

/** Has time so much to do here that it is behind, and would a receive see what should be gone, or miss what is there? */
export function isBehind(state: ShardState, partition: Partition): boolean {
  if (partition.wakeAtMs > state.nowMs) return false;
  return partition.readyCount === 0 || isExpired(state, partition, partition.ages.top);
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
  const { ages } = partition;
  let changes = 0;
  while (changes < changesMax) {
    const slot = ages.top;
    if (slot < 0 || !isExpired(state, partition, slot)) break;
    remove(state, slot);
    changes += 1;
  }
  return changes;
}

function isExpired(state: ShardState, partition: Partition, slot: number): boolean {
  return state.table.retainFromMs.get(slot) + partition.config.retentionMs <= state.nowMs;
}
