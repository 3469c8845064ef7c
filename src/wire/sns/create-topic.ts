// CreateTopic: name, attributes and tags; the engine knows what a topic may be.

import { refuse } from "../../base/result.ts";
import { ask, operation } from "./operation.ts";
import { invalid } from "./refusals.ts";
import { readTags } from "./tags.ts";

export const createTopic = operation("CreateTopic", (input, call) => {
  const { Name: name = "", Attributes: attributes = {}, Tags = [], DataProtectionPolicy } = input;
  if (DataProtectionPolicy) {
    return refuse(invalid("DataProtectionPolicy Reason: Data protection policies are not offered by this server"));
  }
  const tags = readTags(Tags);
  if (!tags.ok) return tags;
  return ask({ kind: "createTopic", topic: { ...call.scope, name }, attributes, tags: tags.value }, ({ topicArn }) => ({
    TopicArn: topicArn,
  }));
});
