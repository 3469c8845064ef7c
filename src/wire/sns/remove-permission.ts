// RemovePermission: takes a statement out of the topic's policy.

import { refuse } from "../../base/result.ts";
import { topicOf } from "./arn.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { checkRequired } from "./refusals.ts";

export const removePermission = operation("RemovePermission", (input, call) => {
  const topic = topicOf(input.TopicArn, call);
  if (!topic.ok) return topic;
  const { Label: label = "" } = input;
  const refused = checkRequired({ Label: label });
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "removeTopicPermission", topic: topic.value, label }, noOutput);
});
