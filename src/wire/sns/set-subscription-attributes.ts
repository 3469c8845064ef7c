// SetSubscriptionAttributes: one attribute, in spite of its name.

import { refuse } from "../../base/result.ts";
import { subscriptionOf } from "./arn.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { invalid } from "./refusals.ts";

export const setSubscriptionAttributes = operation("SetSubscriptionAttributes", (input, call) => {
  const subscription = subscriptionOf(input.SubscriptionArn, call);
  if (!subscription.ok) return subscription;
  const { AttributeName: name = "", AttributeValue: value = "" } = input;
  if (name === "") return refuse(invalid("AttributeName"));
  return ask({ kind: "setSubscriptionAttribute", subscription: subscription.value, name, value }, noOutput);
});
