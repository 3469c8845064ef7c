// AddPermission: a statement for the topic's policy.

import { refuse } from "../../base/result.ts";
import { topicOf } from "./arn.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { checkRequired, checkRequiredLists } from "./refusals.ts";

export const addPermission = operation("AddPermission", (input, call) => {
  const topic = topicOf(input.TopicArn, call);
  if (!topic.ok) return topic;
  const { Label: label = "", AWSAccountId: accountIds = [], ActionName: actions = [] } = input;
  const refused =
    checkRequired({ Label: label }) ?? checkRequiredLists({ AWSAccountId: accountIds, ActionName: actions });
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "addTopicPermission", topic: topic.value, label, accountIds, actions }, noOutput);
});
