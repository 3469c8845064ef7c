// TagQueue: adds tags or overwrites their values. Limits on tags are the engine's.

import { refuse } from "../../base/result.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { checkRequiredMap } from "./required.ts";

export const tagQueue = operation("TagQueue", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { Tags: tags = {} } = input;
  const refused = checkRequiredMap(tags, "Tags");
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "tagQueue", queue: queue.value, tags }, noOutput);
});
