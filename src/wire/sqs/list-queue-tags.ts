// ListQueueTags: the member is absent when the queue has no tags.

import { ask, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";

export const listQueueTags = operation("ListQueueTags", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  return ask({ kind: "listQueueTags", queue: queue.value }, ({ tags }) => ({
    Tags: Object.keys(tags).length === 0 ? undefined : tags,
  }));
});
