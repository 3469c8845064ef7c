// When the shard must next be looked at although nobody calls: the host keeps one timer for it.

import { isStepDue } from "./queue/move-task.ts";
import { isTimeDue } from "./queue/time.ts";
import type { ShardState } from "./state.ts";

export { isTimeDue, timeStep } from "./queue/time.ts";

/** Milliseconds since the epoch; infinity when nothing is due ever. */
export function nextWakeMs(state: ShardState): number {
  const top = state.wakes.top;
  let wakeMs = top < 0 ? Number.POSITIVE_INFINITY : state.partition(top).wakeAtMs;
  for (const { task } of state.runningTasks.values()) {
    if (task.underWayCount === 0) wakeMs = Math.min(wakeMs, task.nextStepAtMs);
  }
  return wakeMs;
}

export interface DueTask {
  partition: number;
  taskId: string;
}

/** Move tasks whose next step may run now. */
export function dueTasks(state: ShardState): DueTask[] {
  const due: DueTask[] = [];
  for (const { partition, task } of state.runningTasks.values()) {
    if (isStepDue(task, state.nowMs)) due.push({ partition: partition.id, taskId: task.taskId });
  }
  return due;
}

export function isWorkDue(state: ShardState, nowMs: number): boolean {
  return isTimeDue(state, nowMs) || dueTasks(state).length > 0;
}
