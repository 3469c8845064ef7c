// SetQueueAttributes: values go to the engine as they came. A call that sets nothing is refused by the name that the
// Query protocol has for the first attribute.

import { refuse } from "../../base/result.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { checkRequiredMap } from "./required.ts";

export const setQueueAttributes = operation("SetQueueAttributes", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { Attributes: attributes = {} } = input;
  const refused = checkRequiredMap(attributes, "Attribute.Name");
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "setQueueAttributes", queue: queue.value, attributes }, noOutput);
});
