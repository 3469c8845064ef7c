// UntagResource: takes tags off a topic.

import { refuse } from "../../base/result.ts";
import { topicOf } from "./arn.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { checkRequiredLists } from "./refusals.ts";

export const untagResource = operation("UntagResource", (input, call) => {
  const topic = topicOf(input.ResourceArn, call, "ResourceArn");
  if (!topic.ok) return topic;
  const { TagKeys = [] } = input;
  const refused = checkRequiredLists({ TagKeys });
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "untagTopic", topic: topic.value, tagKeys: TagKeys }, noOutput);
});
