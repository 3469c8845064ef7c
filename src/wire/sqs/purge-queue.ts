// PurgeQueue: the messages go, the queue stays.

import { ask, noOutput, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";

export const purgeQueue = operation("PurgeQueue", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  return ask({ kind: "purgeQueue", queue: queue.value }, noOutput);
});
