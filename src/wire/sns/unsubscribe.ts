// Unsubscribe: by the owner, or by anybody who has the link in a message.

import { subscriptionOf } from "./arn.ts";
import { ask, noOutput, operation } from "./operation.ts";

export const unsubscribe = operation("Unsubscribe", (input, call) => {
  const subscription = subscriptionOf(input.SubscriptionArn, call);
  if (!subscription.ok) return subscription;
  const authenticated = call.accessKey !== undefined;
  return ask({ kind: "unsubscribe", subscription: subscription.value, authenticated }, noOutput);
});
