// ListTopics: the caller's topics, 100 a page.

import { ask, operation } from "./operation.ts";
import { pageOf } from "./page.ts";

export const listTopics = operation("ListTopics", (input, call) =>
  ask({ kind: "listTopics", scope: call.scope, ...pageOf(input) }, ({ topicArns, nextToken }) => ({
    Topics: topicArns.map((TopicArn) => ({ TopicArn })),
    NextToken: nextToken,
  })),
);
