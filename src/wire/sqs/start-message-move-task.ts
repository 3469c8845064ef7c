// StartMessageMoveTask: moves a dead-letter queue's messages back, or to one destination.

import { refuse } from "../../base/result.ts";
import type { Command } from "../../engine/command.ts";
import { MOVE_TASK_RATE_MAX, MOVE_TASK_RATE_MIN } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { invalidParameter } from "../../engine/refusal.ts";
import { checkArn } from "./arn.ts";
import { encodeMoveTaskHandle } from "./move-task-handle.ts";
import { ask, operation } from "./operation.ts";
import { checkRequired, isMissing } from "./required.ts";

type Start = Extract<Command, { kind: "startMoveTask" }>;

export const startMessageMoveTask = operation("StartMessageMoveTask", (input, call) => {
  const { SourceArn: sourceArn = "", DestinationArn: destinationArn, MaxNumberOfMessagesPerSecond: rate } = input;
  const refused =
    checkRequired({ SourceArn: sourceArn }) ??
    checkArn(sourceArn, "SourceArn") ??
    checkDestination(destinationArn, sourceArn) ??
    checkRate(rate);
  if (refused !== undefined) return refuse(refused);
  const command: Start = { kind: "startMoveTask", scope: call.scope, sourceArn };
  if (!isMissing(destinationArn)) command.destinationArn = destinationArn;
  if (rate !== undefined) command.messagesPerSecondMax = rate;
  return ask(command, (task) => ({ TaskHandle: encodeMoveTaskHandle(task) }));
});

function checkDestination(destinationArn: string | undefined, sourceArn: string): Refusal | undefined {
  if (isMissing(destinationArn)) return undefined;
  if (destinationArn !== sourceArn) return checkArn(destinationArn, "DestinationArn");
  return invalidParameter("Source queue arn and destination queue arn cannot be the same.");
}

function checkRate(rate: number | undefined): Refusal | undefined {
  if (rate === undefined || (rate >= MOVE_TASK_RATE_MIN && rate <= MOVE_TASK_RATE_MAX)) return undefined;
  const reason = "You must enter a number that's between 1 and 500.";
  return invalidParameter(`Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: ${reason}`);
}
