// GetQueueUrl: finds a queue by its name, the caller's own or that of the account it names.

import { refuse } from "../../base/result.ts";
import { ask, operation } from "./operation.ts";
import { queueUrlOf } from "./queue-address.ts";
import { checkRequired } from "./required.ts";

export const getQueueUrl = operation("GetQueueUrl", (input, call) => {
  const { QueueName: name = "", QueueOwnerAWSAccountId: owner = "" } = input;
  const refused = checkRequired({ QueueName: name });
  if (refused !== undefined) return refuse(refused);
  const account = owner === "" ? call.scope.account : owner;
  return ask({ kind: "getQueue", queue: { account, region: call.scope.region, name } }, ({ queue }) => ({
    QueueUrl: queueUrlOf(queue, call),
  }));
});
