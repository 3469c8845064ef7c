// DeleteTopic: the topic and its subscriptions go; what is gone already is no error.

import { topicOf } from "./arn.ts";
import { ask, noOutput, operation } from "./operation.ts";

export const deleteTopic = operation("DeleteTopic", (input, call) => {
  const topic = topicOf(input.TopicArn, call);
  return topic.ok ? ask({ kind: "deleteTopic", topic: topic.value }, noOutput) : topic;
});
