// ConfirmSubscription: the endpoint hands back the token that it was sent. Also the link in that message.

import { refuse } from "../../base/result.ts";
import { refusal } from "../../engine/refusal.ts";
import { topicOf } from "./arn.ts";
import { ask, operation } from "./operation.ts";
import { invalid, noValue } from "./refusals.ts";

/** As this server makes them, and AWS's, which are longer. */
const TOKEN = /^[0-9a-f]{64,}$/;

export const confirmSubscription = operation("ConfirmSubscription", (input, call) => {
  const topic = topicOf(input.TopicArn, call);
  // Whatever is wrong with it, it is called something else here.
  if (!topic.ok) return refuse(invalid("Topic"));
  const { Token: token = "", AuthenticateOnUnsubscribe } = input;
  if (token === "") return refuse(noValue("Token"));
  if (!TOKEN.test(token)) return refuse(refusal("InvalidParameter", "Invalid token"));
  const { account, region } = topic.value;
  return ask(
    {
      kind: "confirmSubscription",
      scope: { account, region },
      token,
      authenticateOnUnsubscribe: AuthenticateOnUnsubscribe?.toLowerCase() === "true",
      authenticated: call.accessKey !== undefined,
    },
    ({ subscriptionArn }) => ({ SubscriptionArn: subscriptionArn }),
  );
});
