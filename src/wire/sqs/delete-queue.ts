// DeleteQueue: the queue and its messages go.

import { ask, noOutput, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";

export const deleteQueue = operation("DeleteQueue", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  return ask({ kind: "deleteQueue", queue: queue.value }, noOutput);
});
