// CancelMessageMoveTask: the handle says which source's task is meant.

import { refuse } from "../../base/result.ts";
import { invalidParameter } from "../../engine/refusal.ts";
import { decodeMoveTaskHandle } from "./move-task-handle.ts";
import { ask, operation } from "./operation.ts";
import { checkRequired } from "./required.ts";

export const cancelMessageMoveTask = operation("CancelMessageMoveTask", (input, call) => {
  const { TaskHandle: handle = "" } = input;
  const refused = checkRequired({ TaskHandle: handle });
  if (refused !== undefined) return refuse(refused);
  const task = decodeMoveTaskHandle(handle);
  if (task === undefined) return refuse(invalidParameter("Value for parameter TaskHandle is invalid."));
  return ask({ kind: "cancelMoveTask", scope: call.scope, ...task }, ({ movedCount }) => ({
    ApproximateNumberOfMessagesMoved: movedCount,
  }));
});
