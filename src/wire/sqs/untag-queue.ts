// UntagQueue: removes tags by key; a key that the queue does not have is fine.

import { refuse } from "../../base/result.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { checkRequiredList } from "./required.ts";

export const untagQueue = operation("UntagQueue", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { TagKeys: tagKeys = [] } = input;
  const refused = checkRequiredList(tagKeys, "TagKeys");
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "untagQueue", queue: queue.value, tagKeys }, noOutput);
});
