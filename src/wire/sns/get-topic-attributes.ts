// GetTopicAttributes: everything that a topic says of itself.

import { topicOf } from "./arn.ts";
import { ask, operation } from "./operation.ts";

export const getTopicAttributes = operation("GetTopicAttributes", (input, call) => {
  const topic = topicOf(input.TopicArn, call);
  if (!topic.ok) return topic;
  return ask({ kind: "getTopicAttributes", topic: topic.value }, ({ attributes }) => ({ Attributes: attributes }));
});
