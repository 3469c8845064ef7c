// Reports from users about topics, each by its id.

import assert from "node:assert/strict";
import { assertSnsRefused, snsOf } from "../../conformance/sns-client.ts";
import { freshName, scenarios } from "../../conformance/world.ts";

scenarios("SNS cases", (scenario) => {
  scenario("C048: subscribing twice gives the same ARN, or an error when the attributes differ", async (world) => {
    const sns = snsOf(world);
    const Name = freshName("-spring");
    const { TopicArn } = await sns.createTopic({ Name });
    const { arn: Endpoint } = await world.queue();
    const subscribe = (Attributes: Record<string, string>) =>
      sns.subscribe({ TopicArn, Protocol: "sqs", Endpoint, ReturnSubscriptionArn: true, Attributes });
    const { SubscriptionArn } = await subscribe({ RawMessageDelivery: "true" });
    for (const same of [{ RawMessageDelivery: "true" }, {}]) {
      assert.equal((await subscribe(same)).SubscriptionArn, SubscriptionArn);
    }
    await assertSnsRefused(
      subscribe({ RawMessageDelivery: "false" }),
      "InvalidParameter",
      "Invalid parameter: Attributes Reason: Subscription already exists with different attributes",
    );
    assert.equal((await sns.listSubscriptionsByTopic({ TopicArn })).Subscriptions?.length, 1);
    assert.equal((await sns.createTopic({ Name })).TopicArn, TopicArn);
    const tagged = sns.createTopic({ Name, Tags: [{ Key: "x", Value: "1" }] });
    await assertSnsRefused(
      tagged,
      "InvalidParameter",
      "Invalid parameter: Tags Reason: Topic already exists with different tags",
    );
  });
});
