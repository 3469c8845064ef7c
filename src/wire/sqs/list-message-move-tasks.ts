// ListMessageMoveTasks: a source's latest tasks, newest first. Only a running one shows its handle.

import { refuse } from "../../base/result.ts";
import type { MoveTaskSummary } from "../../engine/command.ts";
import { MOVE_TASK_LIST_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { invalidParameter } from "../../engine/refusal.ts";
import { checkArn } from "./arn.ts";
import { encodeMoveTaskHandle } from "./move-task-handle.ts";
import { ask, operation } from "./operation.ts";
import { checkRequired } from "./required.ts";

export const listMessageMoveTasks = operation("ListMessageMoveTasks", (input, call) => {
  const { SourceArn: sourceArn = "", MaxResults: resultsMax = 1 } = input;
  const refused =
    checkRequired({ SourceArn: sourceArn }) ?? checkArn(sourceArn, "SourceArn") ?? checkResults(resultsMax);
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "listMoveTasks", scope: call.scope, sourceArn, resultsMax }, ({ tasks }) => ({
    Results: tasks.map(toResult),
  }));
});

function checkResults(resultsMax: number): Refusal | undefined {
  if (resultsMax >= 1 && resultsMax <= MOVE_TASK_LIST_MAX) return undefined;
  const reason = "You must enter a number that's between 1 and 10.";
  return invalidParameter(`Value for parameter MaxResults is invalid. Reason: ${reason}`);
}

function toResult(task: MoveTaskSummary) {
  return {
    TaskHandle: task.status === "RUNNING" ? encodeMoveTaskHandle(task) : undefined,
    Status: task.status,
    SourceArn: task.sourceArn,
    DestinationArn: task.destinationArn,
    MaxNumberOfMessagesPerSecond: task.messagesPerSecondMax,
    ApproximateNumberOfMessagesMoved: task.movedCount,
    ApproximateNumberOfMessagesToMove: task.toMoveCount,
    FailureReason: task.status === "FAILED" ? task.failureReason : undefined,
    // Milliseconds, unlike the queue's own timestamps.
    StartedTimestamp: task.startedAtMs,
  };
}
