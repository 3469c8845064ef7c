// CreateQueue: name, attributes and tags go to the engine as they came; it knows what a queue may be.

import { refuse } from "../../base/result.ts";
import { ask, operation } from "./operation.ts";
import { queueUrlOf } from "./queue-address.ts";
import { checkRequired } from "./required.ts";

export const createQueue = operation("CreateQueue", (input, call) => {
  const { QueueName: name = "", Attributes: attributes = {}, tags = {} } = input;
  const refused = checkRequired({ QueueName: name });
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "createQueue", queue: { ...call.scope, name }, attributes, tags }, ({ queue }) => ({
    QueueUrl: queueUrlOf(queue, call),
  }));
});
