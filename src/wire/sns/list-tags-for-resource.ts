// ListTagsForResource: the tags of a topic.

import { topicOf } from "./arn.ts";
import { ask, operation } from "./operation.ts";

export const listTagsForResource = operation("ListTagsForResource", (input, call) => {
  const topic = topicOf(input.ResourceArn, call, "ResourceArn");
  if (!topic.ok) return topic;
  return ask({ kind: "listTopicTags", topic: topic.value }, ({ tags }) => ({
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  }));
});
