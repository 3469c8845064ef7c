// GetSubscriptionAttributes: everything that a subscription says of itself.

import { subscriptionOf } from "./arn.ts";
import { ask, operation } from "./operation.ts";

export const getSubscriptionAttributes = operation("GetSubscriptionAttributes", (input, call) => {
  const subscription = subscriptionOf(input.SubscriptionArn, call);
  if (!subscription.ok) return subscription;
  return ask({ kind: "getSubscriptionAttributes", subscription: subscription.value }, ({ attributes }) => ({
    Attributes: attributes,
  }));
});
