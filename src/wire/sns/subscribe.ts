// Subscribe: who gets what a topic publishes. What still has to be confirmed has no ARN to tell, unless asked.

import { topicOf } from "./arn.ts";
import { readEndpoint } from "./endpoint.ts";
import { ask, operation } from "./operation.ts";
import { principalOf } from "./principal.ts";

export const subscribe = operation("Subscribe", (input, call) => {
  const topic = topicOf(input.TopicArn, call);
  if (!topic.ok) return topic;
  const to = readEndpoint(input.Protocol, input.Endpoint);
  if (!to.ok) return to;
  const { Attributes: attributes = {}, ReturnSubscriptionArn: wantsArn = false } = input;
  const caller = { owner: call.scope.account, principal: principalOf(call) };
  return ask(
    { kind: "subscribe", topic: topic.value, ...to.value, attributes, ...caller },
    ({ subscriptionArn, pending }) => ({
      SubscriptionArn: pending && !wantsArn ? "pending confirmation" : subscriptionArn,
    }),
  );
});
