// Reports from users about topics, each by its id.

import assert from "node:assert/strict";
import { elementText, get } from "../../conformance/http.ts";
import type { ScenarioQueue } from "../../conformance/scenario-queue.ts";
import { assertSnsRefused, snsOf } from "../../conformance/sns-client.ts";
import type { World } from "../../conformance/world.ts";
import { freshName, scenarios } from "../../conformance/world.ts";
import { HttpEndpoint, noticeOf } from "../../support/http-endpoint.ts";

const RAW = { RawMessageDelivery: "true" };

async function topicOf(world: World, Attributes: Record<string, string> = {}): Promise<string> {
  const suffix = Attributes.FifoTopic === "true" ? ".fifo" : "-spring";
  const { TopicArn = "" } = await snsOf(world).createTopic({ Name: freshName(suffix), Attributes });
  return TopicArn;
}

async function subscribe(world: World, TopicArn: string, queue: ScenarioQueue, Attributes: Record<string, string>) {
  await snsOf(world).subscribe({ TopicArn, Protocol: "sqs", Endpoint: queue.arn, Attributes });
}

/** A queue that takes what passes the filter, raw. */
async function filtered(world: World, TopicArn: string, filter: object): Promise<ScenarioQueue> {
  const queue = await world.queue();
  await subscribe(world, TopicArn, queue, { ...RAW, FilterPolicy: JSON.stringify(filter) });
  return queue;
}

/** Every body that is there, in the order in which they come, taken off the queue. */
async function drain(queue: ScenarioQueue): Promise<string[]> {
  const bodies: string[] = [];
  for (;;) {
    const messages = await queue.receive();
    if (messages.length === 0) return bodies;
    for (const message of messages) {
      bodies.push(message.Body ?? "");
      await queue.delete(message);
    }
  }
}

async function withEndpoint(run: (endpoint: HttpEndpoint) => Promise<void>): Promise<void> {
  const endpoint = await HttpEndpoint.start();
  try {
    await run(endpoint);
  } finally {
    endpoint.close();
  }
}

/** Follows the link of the newest confirmation, as whoever runs the endpoint would. Answers with the ARN. */
async function followLink(endpoint: HttpEndpoint): Promise<string | undefined> {
  const [newest] = endpoint.of("SubscriptionConfirmation").slice(-1);
  assert.ok(newest !== undefined, "the endpoint was asked to confirm");
  const { origin, pathname, searchParams } = new URL(noticeOf(newest).SubscribeURL ?? "");
  const answer = await get(origin, pathname, Object.fromEntries(searchParams));
  assert.equal(answer.status, 200);
  return elementText(answer, "SubscriptionArn");
}

const text = (StringValue: string) => ({ DataType: "String", StringValue });
const number = (StringValue: string) => ({ DataType: "Number", StringValue });

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

  scenario("C049: a JSON message gives queue and endpoint their own text and is validated", async (world) => {
    await withEndpoint(async (endpoint) => {
      const sns = snsOf(world);
      const TopicArn = await topicOf(world);
      const queue = await world.queue();
      await subscribe(world, TopicArn, queue, RAW);
      await sns.subscribe({ TopicArn, Protocol: "http", Endpoint: endpoint.url });
      await endpoint.until(1);
      await followLink(endpoint);
      const MessageStructure = "json";
      await sns.publish({ TopicArn, MessageStructure, Message: '{"default":"d","sqs":"s","lambda":7}' });
      assert.deepEqual(await drain(queue), ["s"]);
      await endpoint.until(2);
      const wrong = [
        ['{"sqs":"s"}', /No default entry/],
        ['{"default":{"a":1}}', /No default entry/],
        ["not json at all", /failed to parse/],
      ] as const;
      for (const [Message, expected] of wrong) {
        await assertSnsRefused(sns.publish({ TopicArn, MessageStructure, Message }), "InvalidParameter", expected);
        const PublishBatchRequestEntries = [
          { Id: "good", Message: "m" },
          { Id: "bad", MessageStructure, Message },
        ];
        const batch = sns.publishBatch({ TopicArn, PublishBatchRequestEntries });
        await assertSnsRefused(batch, "InvalidParameter", expected);
      }
      assert.deepEqual(await drain(queue), []);
      await world.server.queues.settle();
      const texts = endpoint.of("Notification").map((posted) => noticeOf(posted).Message);
      assert.deepEqual(texts, ["d"]);
    });
  });

  scenario("C036: a raw subscription's message comes back byte for byte", async (world) => {
    const TopicArn = await topicOf(world);
    const queue = await world.queue();
    await subscribe(world, TopicArn, queue, RAW);
    const body = "reed\r\nbed\t– café 🐸";
    await snsOf(world).publish({ TopicArn, Message: body });
    const message = await queue.receiveOne();
    assert.equal(message.Body, body);
    assert.equal(message.MD5OfBody, "8abe0b17d9e94001e12968ce310ac605");
  });

  scenario("C051: exists:false and anything-but on attributes that are not there", async (world) => {
    const TopicArn = await topicOf(world);
    const e = await filtered(world, TopicArn, { source: ["web"], priority: [{ exists: false }] });
    const x = await filtered(world, TopicArn, { tier: [{ "anything-but": ["gold"] }] });
    const publish = (Message: string, MessageAttributes: Record<string, ReturnType<typeof text>>) =>
      snsOf(world).publish({ TopicArn, Message, MessageAttributes });
    await publish("first", { source: text("web"), client: number("7") });
    await publish("second", { source: text("web"), priority: number("1") });
    await publish("silver", { tier: text("silver") });
    await publish("gold", { tier: text("gold") });
    await publish("client", { client: number("7") });
    assert.deepEqual(await drain(e), ["first"]);
    assert.deepEqual(await drain(x), ["silver"]);
  });

  scenario("C052: String.Array attributes with true, false and null are filtered, not an error", async (world) => {
    const TopicArn = await topicOf(world);
    const a = await filtered(world, TopicArn, { flags: ["alpha"] });
    const b = await filtered(world, TopicArn, { flags: ["beta"] });
    const n = await filtered(world, TopicArn, { flags: [{ numeric: [">=", 5] }] });
    const publish = (Message: string, StringValue: string) =>
      snsOf(world).publish({
        TopicArn,
        Message,
        MessageAttributes: { flags: { DataType: "String.Array", StringValue } },
      });
    await publish("array", '["alpha", true, null, 7]');
    await publish("none", "not an array");
    assert.deepEqual(await drain(a), ["array"]);
    assert.deepEqual(await drain(b), []);
    assert.deepEqual(await drain(n), ["array"]);
  });

  scenario("C054: a FIFO topic delivers the same order to each FIFO queue", async (world) => {
    const sns = snsOf(world);
    const TopicArn = await topicOf(world, { FifoTopic: "true", ContentBasedDeduplication: "true" });
    const queues = [await world.fifo(), await world.fifo(), await world.fifo()];
    for (const queue of queues) await subscribe(world, TopicArn, queue, RAW);
    const name = (prefix: string, n: number) => `${prefix}${String(n).padStart(3, "0")}`;
    const expected: Record<string, string[]> = { g: [], g1: [], g2: [] };
    for (let n = 0; n < 100; n++) {
      await sns.publish({ TopicArn, Message: name("n", n), MessageGroupId: "g" });
      expected.g?.push(name("n", n));
    }
    for (let start = 0; start < 100; start += 10) {
      const PublishBatchRequestEntries = Array.from({ length: 10 }, (_, index) => {
        const MessageGroupId = index % 2 === 0 ? "g1" : "g2";
        const Message = name(MessageGroupId, start + index);
        expected[MessageGroupId]?.push(Message);
        return { Id: `e${index}`, Message, MessageGroupId };
      });
      const { Failed = [] } = await sns.publishBatch({ TopicArn, PublishBatchRequestEntries });
      assert.deepEqual(Failed, []);
    }
    for (const queue of queues) {
      const bodies = await drain(queue);
      assert.equal(bodies.length, 200);
      for (const [group, messages] of Object.entries(expected)) {
        const prefix = group === "g" ? "n" : group;
        assert.deepEqual(
          bodies.filter((body) => body.startsWith(prefix)),
          messages,
        );
      }
    }
    const { TopicArn: standard } = await sns.createTopic({ Name: freshName("-standard") });
    const Endpoint = queues[0]?.arn ?? "";
    await assertSnsRefused(sns.subscribe({ TopicArn: standard, Protocol: "sqs", Endpoint }), "InvalidParameter");
  });

  scenario("C055: FIFO topic deduplication covers the topic unless the scope is MessageGroup", async (world) => {
    const sns = snsOf(world);
    for (const [scope, delivered] of [
      ["Topic", ["a"]],
      ["MessageGroup", ["a", "b"]],
    ] as const) {
      const TopicArn = await topicOf(world, { FifoTopic: "true", FifoThroughputScope: scope });
      const queue = await world.fifo({ DeduplicationScope: "messageGroup", ContentBasedDeduplication: "false" });
      await subscribe(world, TopicArn, queue, RAW);
      const publish = (Message: string, MessageGroupId: string) =>
        sns.publish({ TopicArn, Message, MessageGroupId, MessageDeduplicationId: "d" });
      const first = await publish("a", "g1");
      await publish("b", "g2");
      const repeat = await publish("c", "g1");
      assert.equal(repeat.MessageId, first.MessageId);
      assert.equal(repeat.SequenceNumber, first.SequenceNumber);
      assert.deepEqual((await drain(queue)).sort(), delivered);
      await assertSnsRefused(
        sns.publish({ TopicArn, Message: "m", MessageDeduplicationId: "e" }),
        "InvalidParameter",
        "Invalid parameter: The MessageGroupId parameter is required for FIFO topics",
      );
      await assertSnsRefused(
        sns.publish({ TopicArn, Message: "m", MessageGroupId: "g1" }),
        "InvalidParameter",
        "Invalid parameter: The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
      );
    }
  });

  scenario("C057: HTTP subscriptions stay pending until confirmed and failed posts are retried", async (world) => {
    await withEndpoint(async (endpoint) => {
      const sns = snsOf(world);
      const TopicArn = await topicOf(world);
      const healthyRetryPolicy = { numRetries: 3, minDelayTarget: 1, maxDelayTarget: 1 };
      const to = { TopicArn, Protocol: "http", Endpoint: endpoint.url };
      const Attributes = { DeliveryPolicy: JSON.stringify({ healthyRetryPolicy }) };
      endpoint.answers.push(500);
      assert.equal((await sns.subscribe({ ...to, Attributes })).SubscriptionArn, "pending confirmation");
      const { SubscriptionArn } = await sns.subscribe({ ...to, ReturnSubscriptionArn: true });
      assert.match(SubscriptionArn ?? "", new RegExp(`^${TopicArn}:[0-9a-f-]{36}$`));
      await world.server.queues.settle();
      await world.advance(2);
      const asked = endpoint.of("SubscriptionConfirmation");
      // One post for each Subscribe, and the first once more.
      assert.equal(asked.length, 3);
      const ids = new Set(asked.map(({ headers }) => headers["x-amz-sns-message-id"]));
      assert.equal(ids.size, 2);
      for (const { headers } of asked) {
        assert.equal(headers["content-type"], "text/plain; charset=UTF-8");
        assert.equal(headers["x-amz-sns-topic-arn"], TopicArn);
        assert.equal(headers["x-amz-sns-subscription-arn"], undefined);
      }

      await sns.publish({ TopicArn, Message: "early" });
      const madeUp = sns.confirmSubscription({ TopicArn, Token: "0a".repeat(32) });
      await assertSnsRefused(madeUp, "InvalidParameter", "Invalid parameter: Token");
      assert.equal(await followLink(endpoint), SubscriptionArn);
      await sns.publish({ TopicArn, Message: "late" });
      await world.server.queues.settle();
      endpoint.answers.push(500, 500);
      await sns.publish({ TopicArn, Message: "last" });
      await world.server.queues.settle();
      await world.advance(3);
      const told = endpoint.of("Notification");
      assert.deepEqual(
        told.map((posted) => noticeOf(posted).Message),
        ["late", "last", "last", "last"],
      );
      for (const { headers } of told) assert.equal(headers["x-amz-sns-subscription-arn"], SubscriptionArn);
      assert.equal(new Set(told.map(({ headers }) => headers["x-amz-sns-message-id"])).size, 2);
      await world.advance(60);
      assert.equal(endpoint.of("Notification").length, 4);
    });
  });
});
