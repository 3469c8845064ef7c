// AddPermission: a statement for the queue's policy. Which accounts and actions make one is the engine's to say.

import { refuse } from "../../base/result.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { checkRequired, checkRequiredList } from "./required.ts";

export const addPermission = operation("AddPermission", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { Label: label = "", AWSAccountIds: accountIds = [], Actions: actions = [] } = input;
  const refused =
    checkRequired({ Label: label }) ??
    checkRequiredList(accountIds, "AWSAccountIds") ??
    checkRequiredList(actions, "Actions");
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "addPermission", queue: queue.value, label, accountIds, actions }, noOutput);
});
