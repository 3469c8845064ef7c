// Subscribing: protocols and endpoints, the same subscription twice, FIFO (fanout.md A5).

import assert from "node:assert/strict";
import { assertSnsRefused, snsOf } from "../sns-client.ts";
import { ACCOUNT, freshName, REGION, scenarios } from "../world.ts";

const queueArn = (name: string) => `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;
const UUID = /:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

scenarios("SNS subscribe", (scenario) => {
  scenario("a queue is subscribed at once, whether it is there or not", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    const Endpoint = queueArn(freshName());
    const { SubscriptionArn = "" } = await sns.subscribe({ TopicArn, Protocol: "sqs", Endpoint });
    assert.ok(SubscriptionArn.startsWith(`${TopicArn}:`));
    assert.match(SubscriptionArn, UUID);
    assert.deepEqual((await sns.getSubscriptionAttributes({ SubscriptionArn })).Attributes, {
      SubscriptionArn,
      TopicArn,
      Protocol: "sqs",
      Endpoint,
      Owner: ACCOUNT,
      SubscriptionPrincipal: `arn:aws:iam::${ACCOUNT}:root`,
      PendingConfirmation: "false",
      ConfirmationWasAuthenticated: "true",
      RawMessageDelivery: "false",
    });
    const { Subscriptions } = await sns.listSubscriptionsByTopic({ TopicArn });
    assert.deepEqual(Subscriptions, [{ SubscriptionArn, TopicArn, Protocol: "sqs", Endpoint, Owner: ACCOUNT }]);
    const { Attributes } = await sns.getTopicAttributes({ TopicArn });
    assert.equal(Attributes?.SubscriptionsConfirmed, "1");
  });

  scenario("what is not confirmed has no ARN to tell, unless asked", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    const to = { TopicArn, Protocol: "https", Endpoint: "https://127.0.0.1:1/hook" };
    assert.equal((await sns.subscribe(to)).SubscriptionArn, "pending confirmation");
    const { SubscriptionArn = "" } = await sns.subscribe({ ...to, ReturnSubscriptionArn: true });
    assert.match(SubscriptionArn, UUID);
    const { Subscriptions = [] } = await sns.listSubscriptionsByTopic({ TopicArn });
    assert.deepEqual(
      Subscriptions.map((listed) => listed.SubscriptionArn),
      ["PendingConfirmation"],
    );
    const { Attributes = {} } = await sns.getSubscriptionAttributes({ SubscriptionArn });
    assert.equal(Attributes.PendingConfirmation, "true");
    assert.equal(Attributes.ConfirmationWasAuthenticated, "false");
    assert.equal(JSON.parse(Attributes.EffectiveDeliveryPolicy ?? "").healthyRetryPolicy.numRetries, 3);
    assert.equal((await sns.getTopicAttributes({ TopicArn })).Attributes?.SubscriptionsPending, "1");
  });

  scenario("endpoints have the form of their protocol", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    for (const [Protocol, Endpoint, message] of [
      ["carrier", "pigeon", "Invalid parameter: Amazon SNS does not support this protocol string: carrier"],
      ["sqs", "http://localhost/000000000000/q", "Invalid parameter: SQS endpoint ARN"],
      ["sqs", "arn:aws:sqs:q", "Invalid parameter: SQS endpoint ARN"],
      ["http", "https://example.test", "Invalid parameter: Endpoint must match the specified protocol"],
      ["email", "nobody", "Invalid parameter: Email address"],
      ["sms", "+1--555", "Invalid SMS endpoint: +1--555"],
      ["sms", "555-", "Invalid SMS endpoint: 555-"],
      ["application", "arn:aws:sns:us-east-1:000000000000:endpoint/x", /not offered/],
      ["firehose", "arn:aws:firehose:us-east-1:000000000000:deliverystream/x", /not offered/],
    ] as const) {
      await assertSnsRefused(sns.subscribe({ TopicArn, Protocol, Endpoint }), "InvalidParameter", message);
    }
    const ok = await sns.subscribe({ TopicArn, Protocol: "sms", Endpoint: "+1-555-010-0200" });
    assert.match(ok.SubscriptionArn ?? "", UUID);
    const missing = { TopicArn: `${TopicArn}-missing`, Protocol: "sqs", Endpoint: queueArn("q") };
    await assertSnsRefused(sns.subscribe(missing), "NotFound", "Topic does not exist", 404);
  });

  scenario("FIFO queues belong to FIFO topics, which take queues of either kind and nothing else", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    const { TopicArn: fifo } = await sns.createTopic({ Name: freshName(".fifo"), Attributes: { FifoTopic: "true" } });
    const doubled = "Invalid parameter: Invalid parameter: Endpoint Reason: ";
    await assertSnsRefused(
      sns.subscribe({ TopicArn, Protocol: "sqs", Endpoint: queueArn("q.fifo") }),
      "InvalidParameter",
      `${doubled}FIFO SQS Queues can not be subscribed to standard SNS topics`,
    );
    for (const Endpoint of [queueArn("q.fifo"), queueArn("q")]) {
      assert.match((await sns.subscribe({ TopicArn: fifo, Protocol: "sqs", Endpoint })).SubscriptionArn ?? "", UUID);
    }
    const http = sns.subscribe({ TopicArn: fifo, Protocol: "http", Endpoint: "http://127.0.0.1:1/" });
    await assertSnsRefused(http, "InvalidParameter", `${doubled}Please use FIFO SQS queue`);
  });

  scenario("unsubscribing is fine twice, and needs an ARN with an id", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    const { SubscriptionArn } = await sns.subscribe({ TopicArn, Protocol: "sqs", Endpoint: queueArn("q") });
    await sns.unsubscribe({ SubscriptionArn });
    await sns.unsubscribe({ SubscriptionArn });
    const gone = sns.getSubscriptionAttributes({ SubscriptionArn });
    await assertSnsRefused(gone, "NotFound", "Subscription does not exist", 404);
    const { Attributes } = await sns.getTopicAttributes({ TopicArn });
    assert.equal(Attributes?.SubscriptionsDeleted, "1");
    for (const [arn, message] of [
      ["x:y", "Invalid parameter: SubscriptionArn Reason: An ARN must have at least 6 elements, not 2"],
      [TopicArn, "Invalid parameter: SubscriptionId"],
      ["", "Invalid parameter: SubscriptionArn Reason: no value for required parameter"],
    ] as const) {
      await assertSnsRefused(sns.unsubscribe({ SubscriptionArn: arn }), "InvalidParameter", message);
    }
  });

  scenario("subscriptions go with their topic", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    const { SubscriptionArn } = await sns.subscribe({ TopicArn, Protocol: "sqs", Endpoint: queueArn("q") });
    await sns.deleteTopic({ TopicArn });
    await assertSnsRefused(sns.getSubscriptionAttributes({ SubscriptionArn }), "NotFound", undefined, 404);
  });
});
