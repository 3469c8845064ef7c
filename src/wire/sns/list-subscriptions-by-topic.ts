// ListSubscriptionsByTopic: a topic's subscriptions, 100 a page.

import { topicOf } from "./arn.ts";
import { ask, operation } from "./operation.ts";
import { listedSubscription, pageOf } from "./page.ts";

export const listSubscriptionsByTopic = operation("ListSubscriptionsByTopic", (input, call) => {
  const topic = topicOf(input.TopicArn, call);
  if (!topic.ok) return topic;
  return ask(
    { kind: "listSubscriptionsOfTopic", topic: topic.value, ...pageOf(input) },
    ({ subscriptions, nextToken }) => ({
      Subscriptions: subscriptions.map(listedSubscription),
      NextToken: nextToken,
    }),
  );
});
