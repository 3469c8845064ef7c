// SetTopicAttributes: one attribute, in spite of its name.

import { refuse } from "../../base/result.ts";
import { topicOf } from "./arn.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { invalid } from "./refusals.ts";

export const setTopicAttributes = operation("SetTopicAttributes", (input, call) => {
  const topic = topicOf(input.TopicArn, call);
  if (!topic.ok) return topic;
  const { AttributeName: name = "", AttributeValue: value = "" } = input;
  if (name === "") return refuse(invalid("AttributeName"));
  return ask({ kind: "setTopicAttribute", topic: topic.value, name, value }, noOutput);
});
