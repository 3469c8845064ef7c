// TagResource: adds tags to a topic or overwrites their values.

import { refuse } from "../../base/result.ts";
import { topicOf } from "./arn.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { checkRequiredLists } from "./refusals.ts";
import { readTags } from "./tags.ts";

export const tagResource = operation("TagResource", (input, call) => {
  const topic = topicOf(input.ResourceArn, call, "ResourceArn");
  if (!topic.ok) return topic;
  const { Tags = [] } = input;
  const refused = checkRequiredLists({ Tags });
  if (refused !== undefined) return refuse(refused);
  const tags = readTags(Tags);
  return tags.ok ? ask({ kind: "tagTopic", topic: topic.value, tags: tags.value }, noOutput) : tags;
});
