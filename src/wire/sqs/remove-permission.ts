// RemovePermission: takes the statement with a label out of the queue's policy.

import { refuse } from "../../base/result.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { checkRequired } from "./required.ts";

export const removePermission = operation("RemovePermission", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { Label: label = "" } = input;
  const refused = checkRequired({ Label: label });
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "removePermission", queue: queue.value, label }, noOutput);
});
