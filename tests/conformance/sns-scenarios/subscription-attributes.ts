// What subscriptions say of themselves and what can be set (fanout.md A5, A11, A12).

import assert from "node:assert/strict";
import { assertSnsRefused, snsOf } from "../sns-client.ts";
import type { World } from "../world.ts";
import { ACCOUNT, freshName, REGION, scenarios } from "../world.ts";

const queueArn = (name: string) => `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;

async function subscribed(world: World, Protocol = "sqs", Endpoint = queueArn("q")) {
  const sns = snsOf(world);
  const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
  const ReturnSubscriptionArn = true;
  const { SubscriptionArn } = await sns.subscribe({ TopicArn, Protocol, Endpoint, ReturnSubscriptionArn });
  const attributes = async () => (await sns.getSubscriptionAttributes({ SubscriptionArn })).Attributes ?? {};
  const set = (AttributeName: string, AttributeValue: string) =>
    sns.setSubscriptionAttributes({ SubscriptionArn, AttributeName, AttributeValue });
  return { sns, TopicArn, SubscriptionArn, attributes, set };
}

scenarios("SNS subscription attributes", (scenario) => {
  scenario("a filter policy brings its scope, and an empty one removes it", async (world) => {
    const { attributes, set } = await subscribed(world);
    await set("FilterPolicyScope", "MessageAttributes");
    assert.equal((await attributes()).FilterPolicyScope, undefined);
    await set("FilterPolicy", '{"kind":["frog"]}');
    assert.equal((await attributes()).FilterPolicy, '{"kind":["frog"]}');
    assert.equal((await attributes()).FilterPolicyScope, "MessageAttributes");
    await set("FilterPolicyScope", "MessageBody");
    assert.equal((await attributes()).FilterPolicyScope, "MessageBody");
    for (const nothing of ["", "{}"]) {
      await set("FilterPolicy", '{"kind":["frog"]}');
      await set("FilterPolicy", nothing);
      assert.equal((await attributes()).FilterPolicy, undefined);
      assert.equal((await attributes()).FilterPolicyScope, undefined);
    }
    await assertSnsRefused(
      set("FilterPolicyScope", "Elsewhere"),
      "InvalidParameter",
      "Invalid parameter: FilterPolicyScope: Invalid value [Elsewhere]. Please use either MessageBody or MessageAttributes",
    );
    await assertSnsRefused(set("FilterPolicy", "{"), "InvalidParameter", /^Invalid parameter: FilterPolicy: failed/);
  });

  scenario("a filter policy is checked with its scope, when either is set", async (world) => {
    const { sns, TopicArn, set } = await subscribed(world);
    const refused = (policy: unknown, text: string) =>
      assertSnsRefused(set("FilterPolicy", JSON.stringify(policy)), "InvalidParameter", `Invalid parameter: ${text}`);
    const flat = "Filter policy scope MessageAttributes does not support nested filter policy";
    await refused({ k: "v" }, 'FilterPolicy: "k" must be an object or an array');
    await refused({ k: [] }, "FilterPolicy: Empty arrays are not allowed");
    await refused({ k: [{ like: "v" }] }, "FilterPolicy: Unrecognized match type like");
    const six = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((key) => [key, ["v"]]));
    await refused(six, "FilterPolicy: Filter policy can not have more than 5 keys");
    await refused({ k: Array.from({ length: 151 }, (_, n) => n) }, "FilterPolicy: Filter policy is too complex");
    await refused({ a: { b: ["c"] } }, flat);
    await set("FilterPolicyScope", "MessageBody");
    await set("FilterPolicy", '{"a":{"b":["c"]}}');
    await assertSnsRefused(
      set("FilterPolicyScope", "MessageAttributes"),
      "InvalidParameter",
      `Invalid parameter: ${flat}`,
    );
    const onSubscribe = sns.subscribe({
      TopicArn,
      Protocol: "sqs",
      Endpoint: queueArn("other"),
      Attributes: { FilterPolicy: '{"k":"v"}' },
    });
    await assertSnsRefused(
      onSubscribe,
      "InvalidParameter",
      'Invalid parameter: Attributes Reason: FilterPolicy: "k" must be an object or an array',
    );
  });

  scenario("a topic has at most 200 filter policies, and any number of subscriptions without", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    const subscribe = (name: string, Attributes: Record<string, string> = {}) =>
      sns.subscribe({ TopicArn, Protocol: "sqs", Endpoint: queueArn(name), Attributes });
    const filter = { FilterPolicy: '{"k":["v"]}' };
    for (let n = 0; n < 200; n++) await subscribe(`q${n}`, filter);
    await assertSnsRefused(subscribe("more", filter), "FilterPolicyLimitExceeded", undefined, 403);
    const { SubscriptionArn } = await subscribe("more");
    const set = { SubscriptionArn, AttributeName: "FilterPolicy", AttributeValue: filter.FilterPolicy };
    await assertSnsRefused(sns.setSubscriptionAttributes(set), "FilterPolicyLimitExceeded", undefined, 403);
  });

  scenario("raw delivery is true or false in any case of letters", async (world) => {
    const { sns, TopicArn, attributes, set } = await subscribed(world);
    await set("RawMessageDelivery", "True");
    assert.equal((await attributes()).RawMessageDelivery, "true");
    const detail = "RawMessageDelivery: Invalid value [x]. Must be true or false.";
    await assertSnsRefused(set("RawMessageDelivery", "x"), "InvalidParameter", `Invalid parameter: ${detail}`);
    const Attributes = { RawMessageDelivery: "x" };
    await assertSnsRefused(
      sns.subscribe({ TopicArn, Protocol: "sqs", Endpoint: queueArn("other"), Attributes }),
      "InvalidParameter",
      `Invalid parameter: Attributes Reason: ${detail}`,
    );
    const unknown = "Invalid parameter: AttributeName";
    await assertSnsRefused(set("NoSuchThing", "x"), "InvalidParameter", unknown);
  });

  scenario("a redrive policy names a queue of the same account and region", async (world) => {
    const { sns, set, attributes } = await subscribed(world);
    const policy = JSON.stringify({ deadLetterTargetArn: queueArn("dlq") });
    await set("RedrivePolicy", policy);
    assert.equal((await attributes()).RedrivePolicy, policy);
    await set("RedrivePolicy", "");
    assert.equal((await attributes()).RedrivePolicy, undefined);
    const badArn = "Invalid parameter: RedrivePolicy: deadLetterTargetArn is an invalid arn";
    await assertSnsRefused(set("RedrivePolicy", '{"deadLetterTargetArn":"dlq"}'), "InvalidParameter", badArn);
    await assertSnsRefused(set("RedrivePolicy", "{"), "InvalidParameter", /RedrivePolicy: failed to parse JSON\./);
    const badToken = /RedrivePolicy: failed to parse JSON\. Unrecognized token 'dlq': was expecting \(JSON String, /;
    await assertSnsRefused(set("RedrivePolicy", "dlq"), "InvalidParameter", badToken);
    const ofQueues = JSON.stringify({ deadLetterTargetArn: queueArn("dlq"), maxReceiveCount: 5 });
    const unknown = "Invalid parameter: RedrivePolicy: invalid JSON. Attribute maxReceiveCount is unknown.";
    await assertSnsRefused(set("RedrivePolicy", ofQueues), "InvalidParameter", unknown);
    const elsewhere = `{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:${ACCOUNT}:dlq"}`;
    await assertSnsRefused(set("RedrivePolicy", elsewhere), "InvalidParameter");

    const { TopicArn: fifo } = await sns.createTopic({ Name: freshName(".fifo"), Attributes: { FifoTopic: "true" } });
    const onFifo = (Endpoint: string) =>
      sns.subscribe({ TopicArn: fifo, Protocol: "sqs", Endpoint, Attributes: { RedrivePolicy: policy } });
    await assertSnsRefused(
      onFifo(queueArn("q.fifo")),
      "InvalidParameter",
      "Invalid parameter: Attributes Reason: RedrivePolicy: must use a FIFO queue as DLQ for a FIFO Subscription to a FIFO Topic.",
    );
    assert.ok((await onFifo(queueArn("q"))).SubscriptionArn);
  });

  scenario("HTTP subscriptions have delivery policies, and their topic's where they have none", async (world) => {
    const { sns, TopicArn, attributes, set } = await subscribed(world, "http", "http://127.0.0.1:1/hook");
    const effective = async () => JSON.parse((await attributes()).EffectiveDeliveryPolicy ?? "");
    await set("DeliveryPolicy", '{"healthyRetryPolicy":{"numRetries":1,"minDelayTarget":1,"maxDelayTarget":2}}');
    const stranger = "Invalid parameter: DeliveryPolicy: Unexpected JSON member: http";
    await assertSnsRefused(set("DeliveryPolicy", '{"http":{}}'), "InvalidParameter", stranger);
    assert.deepEqual(
      [(await effective()).healthyRetryPolicy.numRetries, (await effective()).healthyRetryPolicy.maxDelayTarget],
      [1, 2],
    );
    const ofTopic = { disableSubscriptionOverrides: true, defaultHealthyRetryPolicy: { numRetries: 7 } };
    await sns.setTopicAttributes({
      TopicArn,
      AttributeName: "DeliveryPolicy",
      AttributeValue: JSON.stringify({ http: ofTopic }),
    });
    assert.equal((await effective()).healthyRetryPolicy.numRetries, 7);
    await assertSnsRefused(set("DeliveryPolicy", '{"healthyRetryPolicy":{"numRetries":-1}}'), "InvalidParameter");
    const queue = await subscribed(world);
    await assertSnsRefused(queue.set("DeliveryPolicy", "{}"), "InvalidParameter");
  });
});
