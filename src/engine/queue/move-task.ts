// Message move tasks (redrive): durable jobs of a dead-letter queue that send its messages back. The engine says
// what to move and when the next step is due; the host finds the destinations and lets the outbox deliver.
//
//   RUNNING -> COMPLETED | FAILED;   RUNNING -> CANCELLING -> CANCELLED
//
// A task is CANCELLING while messages that it took are still under way.

import { accept, type Result, refuse } from "../../base/result.ts";
import type { MoveTaskStatus, MoveTaskSummary } from "../command.ts";
import { MOVE_TASKS_REMEMBERED_MAX } from "../limits.ts";
import type { Refusal } from "../refusal.ts";
import { invalidParameter, refusal } from "../refusal.ts";
import type { Recorder, ShardCommandOf, ShardState, TransferTarget } from "../state.ts";
import { offerStandard } from "./fair-order.ts";
import { offerFifo } from "./fifo-order.ts";
import type { Partition } from "./partition.ts";

/**
 * Without a rate of its own a task takes this many messages a step. The next step begins when the messages of the
 * last one have arrived, so a task never has more than one step under way.
 */
const STEP_MESSAGES_MAX = 100;

export interface MoveTask {
  taskId: string;
  sourceArn: string;
  destinationArn?: string;
  messagesPerSecondMax?: number;
  status: MoveTaskStatus;
  startedAtMs: number;
  toMoveCount: number;
  movedCount: number;
  /** Taken from the queue and not yet confirmed by the destination. */
  underWayCount: number;
  /** When the next step may run; only while RUNNING. */
  nextStepAtMs: number;
  failureReason?: string;
}

export function decideStartMoveTask(
  state: ShardState,
  command: ShardCommandOf<"startMoveTask">,
  record: Recorder,
): Result<null, Refusal> {
  const partition = state.partition(command.partition);
  if (partition.moveTasks.some((task) => task.status === "RUNNING" || task.status === "CANCELLING")) {
    return refuse(
      invalidParameter(
        "There is already a task running. Only one active task is allowed for a source queue arn at a given time.",
      ),
    );
  }
  const task: MoveTask = {
    taskId: command.taskId,
    sourceArn: command.sourceArn,
    status: "RUNNING",
    startedAtMs: state.nowMs,
    toMoveCount: partition.readyCount,
    movedCount: 0,
    underWayCount: 0,
    nextStepAtMs: state.nowMs,
  };
  if (command.destinationArn !== undefined) task.destinationArn = command.destinationArn;
  if (command.messagesPerSecondMax !== undefined) task.messagesPerSecondMax = command.messagesPerSecondMax;
  record({ kind: "MoveTaskStarted", partition: partition.id, task });
  return accept(null);
}

/** One step of a running task: takes what is due and hands it to the outbox. Answers how many it took. */
export function decideStepMoveTask(
  state: ShardState,
  command: ShardCommandOf<"stepMoveTask">,
  record: Recorder,
): Result<{ taken: number }, Refusal> {
  const partition = state.partition(command.partition);
  const task = partition.moveTasks.find((candidate) => candidate.taskId === command.taskId);
  if (task === undefined || !isStepDue(task, state.nowMs)) return accept({ taken: 0 });
  const slots = nextSlots(partition, state.nowMs, task.messagesPerSecondMax === undefined ? STEP_MESSAGES_MAX : 1);
  let taken = 0;
  for (const slot of slots) {
    const target = targetOf(state, command, slot);
    if (target === undefined) {
      record({
        kind: "MoveTaskEnded",
        partition: partition.id,
        taskId: task.taskId,
        status: "FAILED",
        failureReason:
          command.destination === undefined
            ? "CouldNotDetermineMessageSource"
            : "AWS.SimpleQueueService.NonExistentQueue",
      });
      return accept({ taken });
    }
    record({
      kind: "TransferStarted",
      slot,
      seq: state.table.seq.get(slot),
      transferId: state.nextTransferId,
      target,
      purpose: "redrive",
      taskId: task.taskId,
    });
    taken += 1;
  }
  if (slots.length === 0) {
    record({ kind: "MoveTaskEnded", partition: partition.id, taskId: task.taskId, status: "COMPLETED" });
  } else {
    const pauseMs = task.messagesPerSecondMax === undefined ? 0 : 1000 / task.messagesPerSecondMax;
    record({
      kind: "MoveTaskStepped",
      partition: partition.id,
      taskId: task.taskId,
      nextStepAtMs: state.nowMs + pauseMs,
    });
  }
  return accept({ taken });
}

export function isStepDue(task: MoveTask, nowMs: number): boolean {
  return task.status === "RUNNING" && task.underWayCount === 0 && task.nextStepAtMs <= nowMs;
}

export function decideCancelMoveTask(
  state: ShardState,
  command: ShardCommandOf<"cancelMoveTask">,
  record: Recorder,
): Result<{ movedCount: number }, Refusal> {
  const partition = state.partition(command.partition);
  const task = partition.moveTasks.find((candidate) => candidate.taskId === command.taskId);
  if (task === undefined) return refuse(refusal("ResourceNotFoundException", "Task does not exist."));
  if (task.status !== "RUNNING") return refuse(invalidParameter("Only active tasks can be cancelled."));
  const status = task.underWayCount > 0 ? "CANCELLING" : "CANCELLED";
  record({ kind: "MoveTaskEnded", partition: partition.id, taskId: task.taskId, status });
  return accept({ movedCount: task.movedCount });
}

export function applyMoveTaskStarted(state: ShardState, partition: Partition, task: MoveTask): void {
  partition.moveTasks = [task, ...partition.moveTasks].slice(0, MOVE_TASKS_REMEMBERED_MAX);
  state.runningTasks.set(task.taskId, { partition, task });
}

export function applyMoveTaskStepped(state: ShardState, taskId: string, nextStepAtMs: number): void {
  const running = state.runningTasks.get(taskId);
  if (running !== undefined) running.task.nextStepAtMs = nextStepAtMs;
}

export function applyMoveTaskEnded(
  state: ShardState,
  partition: Partition,
  taskId: string,
  status: MoveTaskStatus,
  failureReason: string | undefined,
): void {
  const task = partition.moveTasks.find((candidate) => candidate.taskId === taskId);
  if (task === undefined) return;
  task.status = status;
  if (failureReason !== undefined) task.failureReason = failureReason;
  state.runningTasks.delete(taskId);
}

/** A message that the task took has reached its destination, or came back. */
export function applyTaskSettled(partition: Partition | undefined, taskId: string, moved: boolean): void {
  const task = partition?.moveTasks.find((candidate) => candidate.taskId === taskId);
  if (task === undefined) return;
  task.underWayCount -= 1;
  if (moved) task.movedCount += 1;
  if (task.status === "CANCELLING" && task.underWayCount === 0) task.status = "CANCELLED";
}

export function moveTaskSummary(task: MoveTask): MoveTaskSummary {
  const { taskId, status, sourceArn, destinationArn, messagesPerSecondMax, failureReason } = task;
  return {
    taskId,
    status,
    sourceArn,
    movedCount: task.movedCount,
    toMoveCount: task.toMoveCount,
    startedAtMs: task.startedAtMs,
    ...(destinationArn === undefined ? {} : { destinationArn }),
    ...(messagesPerSecondMax === undefined ? {} : { messagesPerSecondMax }),
    ...(failureReason === undefined ? {} : { failureReason }),
  };
}

function nextSlots(partition: Partition, nowMs: number, slotsMax: number): number[] {
  const slots: number[] = [];
  const take = (slot: number) => slots.push(slot) < slotsMax;
  if (partition.config.fifo) offerFifo(partition, take);
  else offerStandard(partition, nowMs, take);
  return slots;
}

/** The chosen destination, or the queue that the message was dead-lettered from. */
function targetOf(
  state: ShardState,
  command: ShardCommandOf<"stepMoveTask">,
  slot: number,
): TransferTarget | undefined {
  if (command.destination !== undefined) return command.destination ?? undefined;
  const origin = state.origins[state.table.origin.get(slot)] as string;
  return command.origins[origin];
}
