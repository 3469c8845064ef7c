// What Publish and PublishBatch bring to queues: notifications and raw messages, FIFO and standard, filtered, or with
// the dead letters (fanout.md A6 to A8, A11 to A13).

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { MessageAttributeValue } from "@aws-sdk/client-sns";
import type { ScenarioQueue } from "../scenario-queue.ts";
import { snsOf } from "../sns-client.ts";
import { freshName, scenarios, type World } from "../world.ts";

const RAW = { RawMessageDelivery: "true" };

async function topicOf(world: World, Attributes: Record<string, string> = {}): Promise<string> {
  const suffix = Attributes.FifoTopic === "true" ? ".fifo" : "-t";
  const { TopicArn = "" } = await snsOf(world).createTopic({ Name: freshName(suffix), Attributes });
  return TopicArn;
}

/** Answers with the subscription's ARN. */
async function subscribe(
  world: World,
  TopicArn: string,
  { arn: Endpoint }: ScenarioQueue,
  Attributes: Record<string, string> = {},
): Promise<string> {
  const { SubscriptionArn = "" } = await snsOf(world).subscribe({ TopicArn, Protocol: "sqs", Endpoint, Attributes });
  return SubscriptionArn;
}

const text = (StringValue: string): MessageAttributeValue => ({ DataType: "String", StringValue });
const sha256 = (message: string) => createHash("sha256").update(message).digest("hex");

scenarios("SNS deliveries to queues", (scenario) => {
  scenario("a queue gets the notification around the message, its keys in AWS's order", async (world) => {
    const TopicArn = await topicOf(world);
    const queue = await world.queue();
    const subscription = await subscribe(world, TopicArn, queue);
    const published = await snsOf(world).publish({
      TopicArn,
      Message: 'a "quoted" text\nof two lines',
      Subject: "Spring",
      MessageAttributes: {
        colour: text("green"),
        weight: { DataType: "Number", StringValue: "99.12" },
        bytes: { DataType: "Binary", BinaryValue: Buffer.from([0, 255]) },
      },
    });
    const message = await queue.receiveOne();
    const notification = JSON.parse(message.Body ?? "");
    assert.deepEqual(Object.keys(notification), [
      "Type",
      "MessageId",
      "TopicArn",
      "Subject",
      "Message",
      "Timestamp",
      "SignatureVersion",
      "Signature",
      "SigningCertURL",
      "UnsubscribeURL",
      "MessageAttributes",
    ]);
    const { Signature, SigningCertURL, ...others } = notification;
    assert.deepEqual(others, {
      Type: "Notification",
      MessageId: published.MessageId,
      TopicArn,
      Subject: "Spring",
      Message: 'a "quoted" text\nof two lines',
      Timestamp: new Date(world.nowMs()).toISOString(),
      SignatureVersion: "1",
      UnsubscribeURL: `${world.endpoint}/?Action=Unsubscribe&SubscriptionArn=${subscription}`,
      MessageAttributes: {
        colour: { Type: "String", Value: "green" },
        weight: { Type: "Number", Value: "99.12" },
        bytes: { Type: "Binary", Value: "AP8=" },
      },
    });
    assert.match(Signature, /^[A-Za-z0-9+/]{300,}={0,2}$/);
    assert.match(SigningCertURL, /\.pem$/);
    assert.notEqual(message.MessageId, published.MessageId);
    assert.equal(message.MessageAttributes, undefined, "they are in the notification");

    await snsOf(world).publish({ TopicArn, Message: "plain" });
    const plain = JSON.parse((await queue.receiveOne()).Body ?? "");
    assert.ok(!("Subject" in plain) && !("MessageAttributes" in plain));
  });

  scenario("a raw subscription gets the text, and the attributes as attributes", async (world) => {
    const TopicArn = await topicOf(world);
    const queue = await world.queue();
    await subscribe(world, TopicArn, queue, RAW);
    const MessageAttributes = {
      colour: text("green"),
      weight: { DataType: "Number.float", StringValue: "99.12" },
      bytes: { DataType: "Binary", BinaryValue: Uint8Array.from([0, 255]) },
    };
    await snsOf(world).publish({ TopicArn, Message: "raw", Subject: "lost", MessageAttributes });
    const message = await queue.receiveOne();
    assert.equal(message.Body, "raw");
    assert.deepEqual(Object.keys(message.MessageAttributes ?? {}).sort(), ["bytes", "colour", "weight"]);
    assert.deepEqual(message.MessageAttributes?.colour?.StringValue, "green");
    assert.deepEqual(message.MessageAttributes?.weight?.DataType, "Number.float");
    assert.deepEqual(Buffer.from(message.MessageAttributes?.bytes?.BinaryValue ?? []), Buffer.from([0, 255]));

    // As if it had been sent to the queue.
    const { MD5OfMessageAttributes } = await queue.send("raw", { MessageAttributes });
    assert.equal(message.MD5OfMessageAttributes, MD5OfMessageAttributes);
  });

  scenario("more than ten attributes fit into a notification, but not beside a raw message", async (world) => {
    const TopicArn = await topicOf(world);
    const [plain, raw, dead] = [await world.queue(), await world.queue(), await world.queue()];
    await subscribe(world, TopicArn, plain);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn });
    await subscribe(world, TopicArn, raw, { ...RAW, RedrivePolicy });
    const MessageAttributes = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`a${n}`, text(`${n}`)]));
    await snsOf(world).publish({ TopicArn, Message: "many", MessageAttributes });
    const notification = JSON.parse((await plain.receiveOne()).Body ?? "");
    assert.equal(Object.keys(notification.MessageAttributes).length, 11);
    assert.deepEqual(await raw.receive(), []);
    assert.deepEqual(await dead.receiveBodies(), ["many"]);
  });

  scenario("each queue has a copy of its own, whatever the others do with theirs", async (world) => {
    const TopicArn = await topicOf(world);
    const queues = [await world.queue(), await world.queue(), await world.queue()];
    for (const queue of queues) await subscribe(world, TopicArn, queue, RAW);
    await snsOf(world).publish({ TopicArn, Message: "one for each" });
    const [first, second, third] = queues as [ScenarioQueue, ScenarioQueue, ScenarioQueue];
    await first.delete(await first.receiveOne());
    await second.receiveOne();
    assert.deepEqual(await Promise.all(queues.map((queue) => queue.counts())), ["0/0/0", "0/1/0", "1/0/0"]);
    await world.advance(30);
    assert.equal((await second.receiveOne()).Attributes?.ApproximateReceiveCount, "2");
    assert.equal((await third.receiveOne()).Attributes?.ApproximateReceiveCount, "1");
  });

  scenario("a text for queues is what queues get, raw or in the notification", async (world) => {
    const TopicArn = await topicOf(world);
    const [raw, plain] = [await world.queue(), await world.queue()];
    await subscribe(world, TopicArn, raw, RAW);
    await subscribe(world, TopicArn, plain);
    const Message = JSON.stringify({ default: "for all", sqs: "for queues", http: "not here", frog: "nobody" });
    await snsOf(world).publish({ TopicArn, MessageStructure: "json", Message });
    assert.deepEqual(await raw.receiveBodies(), ["for queues"]);
    assert.equal(JSON.parse((await plain.receiveOne()).Body ?? "").Message, "for queues");
    await snsOf(world).publish({ TopicArn, MessageStructure: "json", Message: '{"default":"for all"}' });
    assert.deepEqual(await raw.receiveBodies(), ["for all"]);
  });

  scenario("a filter of attributes lets through what matches every key", async (world) => {
    const TopicArn = await topicOf(world);
    const queue = await world.queue();
    const FilterPolicy = JSON.stringify({
      kind: ["paid", { prefix: "re" }],
      amount: [{ numeric: [">", 0, "<=", 100] }],
      $or: [{ country: ["is"] }, { vip: [{ exists: true }] }],
    });
    const subscription = await subscribe(world, TopicArn, queue, { ...RAW, FilterPolicy });
    const publish = (Message: string, kind: string, amount: string, more: Record<string, MessageAttributeValue>) =>
      snsOf(world).publish({
        TopicArn,
        Message,
        MessageAttributes: { kind: text(kind), amount: { DataType: "Number", StringValue: amount }, ...more },
      });
    await publish("1 yes", "paid", "100", { country: text("is") });
    await publish("2 yes", "refunded", "1", { vip: text("x") });
    await publish("3 kind", "sent", "1", { country: text("is") });
    await publish("4 amount", "paid", "0", { country: text("is") });
    await publish("5 neither", "paid", "1", { country: text("no") });
    await snsOf(world).publish({ TopicArn, Message: "6 no attributes" });
    assert.deepEqual((await queue.receiveBodies()).sort(), ["1 yes", "2 yes"]);
    // Without a filter everything comes again.
    const change = { SubscriptionArn: subscription, AttributeName: "FilterPolicy", AttributeValue: "" };
    await snsOf(world).setSubscriptionAttributes(change);
    await snsOf(world).publish({ TopicArn, Message: "7 unfiltered" });
    assert.deepEqual(await queue.receiveBodies(), ["7 unfiltered"]);
  });

  scenario("a filter of the body looks into the message, nested and in lists", async (world) => {
    const TopicArn = await topicOf(world);
    const queue = await world.queue();
    const FilterPolicy = JSON.stringify({ order: { lines: { sku: ["frog"] }, total: [{ numeric: [">=", 10] }] } });
    await subscribe(world, TopicArn, queue, { ...RAW, FilterPolicy, FilterPolicyScope: "MessageBody" });
    const order = (total: number, ...skus: string[]) =>
      JSON.stringify({ order: { total, lines: skus.map((sku) => ({ sku })) } });
    const wanted = order(10, "newt", "frog");
    for (const Message of [wanted, order(9, "frog"), order(10, "newt"), "no json", '["order"]']) {
      await snsOf(world).publish({ TopicArn, Message });
    }
    assert.deepEqual(await queue.receiveBodies(), [wanted]);
  });

  scenario("what a deleted queue would have got is in the subscription's dead-letter queue", async (world) => {
    const TopicArn = await topicOf(world);
    const [plain, raw, plainDead, rawDead] = [
      await world.queue(),
      await world.queue(),
      await world.queue(),
      await world.queue(),
    ];
    const redrive = (queue: ScenarioQueue) => ({ RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queue.arn }) });
    await subscribe(world, TopicArn, plain, redrive(plainDead));
    const rawSubscription = await subscribe(world, TopicArn, raw, { ...RAW, ...redrive(rawDead) });
    for (const { url } of [plain, raw]) await world.sqs.deleteQueue({ QueueUrl: url });
    const MessageAttributes = { colour: text("green") };
    const { MessageId } = await snsOf(world).publish({ TopicArn, Message: "orphan", MessageAttributes });
    const notification = JSON.parse((await plainDead.receiveOne()).Body ?? "");
    assert.deepEqual([notification.MessageId, notification.Message], [MessageId, "orphan"]);
    const message = await rawDead.receiveOne();
    assert.equal(message.Body, "orphan");
    assert.deepEqual(Object.keys(message.MessageAttributes ?? {}), ["colour"], "and nothing about the failure");
    // The subscription is still there.
    await snsOf(world).getSubscriptionAttributes({ SubscriptionArn: rawSubscription });
  });

  scenario("a batch answers for each entry, and each is a message of its own", async (world) => {
    const TopicArn = await topicOf(world);
    const queue = await world.queue();
    await subscribe(world, TopicArn, queue, { ...RAW, FilterPolicy: '{"wanted":["yes"]}' });
    const { Successful = [], Failed } = await snsOf(world).publishBatch({
      TopicArn,
      PublishBatchRequestEntries: [
        { Id: "a", Message: "1", MessageAttributes: { wanted: text("yes") } },
        { Id: "b", Message: "2", MessageAttributes: { wanted: text("no") } },
        {
          Id: "c",
          MessageStructure: "json",
          Message: '{"default":"d","sqs":"3"}',
          MessageAttributes: { wanted: text("yes") },
        },
      ],
    });
    assert.deepEqual(Failed ?? [], []);
    assert.deepEqual(
      Successful.map(({ Id }) => Id),
      ["a", "b", "c"],
    );
    assert.equal(new Set(Successful.map(({ MessageId }) => MessageId)).size, 3);
    assert.deepEqual((await queue.receiveBodies()).sort(), ["1", "3"]);
  });

  scenario("a message group of a standard topic makes standard queues fair", async (world) => {
    const TopicArn = await topicOf(world);
    const [raw, plain] = [await world.queue(), await world.queue()];
    await subscribe(world, TopicArn, raw, RAW);
    await subscribe(world, TopicArn, plain);
    await snsOf(world).publish({ TopicArn, Message: "m", MessageGroupId: "tenant-7" });
    for (const queue of [raw, plain]) {
      assert.equal((await queue.receiveOne()).Attributes?.MessageGroupId, "tenant-7");
    }
  });
});

scenarios("SNS deliveries of FIFO topics", (scenario) => {
  scenario(
    "a FIFO queue gets group and deduplication id, and the topic's number in the notification",
    async (world) => {
      const TopicArn = await topicOf(world, { FifoTopic: "true" });
      const [plain, raw] = [await world.fifo(), await world.fifo({ ContentBasedDeduplication: "false" })];
      await subscribe(world, TopicArn, plain);
      await subscribe(world, TopicArn, raw, RAW);
      const ids = { MessageGroupId: "g", MessageDeduplicationId: "d" };
      const { MessageId, SequenceNumber } = await snsOf(world).publish({ TopicArn, Message: "m", ...ids });
      assert.match(SequenceNumber ?? "", /^\d{20}$/);
      const message = await plain.receiveOne();
      const notification = JSON.parse(message.Body ?? "");
      assert.deepEqual(Object.keys(notification), [
        "Type",
        "MessageId",
        "SequenceNumber",
        "TopicArn",
        "Message",
        "Timestamp",
        "UnsubscribeURL",
      ]);
      assert.deepEqual([notification.MessageId, notification.SequenceNumber], [MessageId, SequenceNumber]);
      const rawMessage = await raw.receiveOne();
      assert.equal(rawMessage.Body, "m");
      for (const { Attributes } of [message, rawMessage]) {
        assert.deepEqual([Attributes?.MessageGroupId, Attributes?.MessageDeduplicationId], ["g", "d"]);
        assert.match(Attributes?.SequenceNumber ?? "", /^\d{20}$/);
      }
    },
  );

  scenario("by content, the id is the hash of the text, whatever the group or the attributes", async (world) => {
    const TopicArn = await topicOf(world, { FifoTopic: "true", ContentBasedDeduplication: "true" });
    // The queue itself does not deduplicate by content: the id comes from the topic.
    const queue = await world.fifo({ ContentBasedDeduplication: "false" });
    await subscribe(world, TopicArn, queue, RAW);
    const sns = snsOf(world);
    const first = await sns.publish({ TopicArn, Message: "m", MessageGroupId: "g" });
    const again = await sns.publish({
      TopicArn,
      Message: "m",
      MessageGroupId: "h",
      MessageAttributes: { colour: text("green") },
    });
    assert.deepEqual([again.MessageId, again.SequenceNumber], [first.MessageId, first.SequenceNumber]);
    const message = await queue.receiveOne();
    assert.equal(message.Attributes?.MessageDeduplicationId, sha256("m"));
    await queue.delete(message);
    await world.advance(300);
    const later = await sns.publish({ TopicArn, Message: "m", MessageGroupId: "g" });
    assert.notEqual(later.MessageId, first.MessageId);
    assert.equal((await queue.receiveOne()).Body, "m");
  });

  scenario("duplicates within a batch and of one before it are delivered once", async (world) => {
    const TopicArn = await topicOf(world, { FifoTopic: "true" });
    const queue = await world.fifo();
    await subscribe(world, TopicArn, queue, RAW);
    const sns = snsOf(world);
    const entry = (Id: string, Message: string, MessageDeduplicationId: string) => ({
      Id,
      Message,
      MessageGroupId: "g",
      MessageDeduplicationId,
    });
    const { MessageId } = await sns.publish({
      TopicArn,
      Message: "1",
      MessageGroupId: "g",
      MessageDeduplicationId: "a",
    });
    const { Successful = [] } = await sns.publishBatch({
      TopicArn,
      PublishBatchRequestEntries: [entry("x", "2", "a"), entry("y", "3", "b"), entry("z", "4", "b")],
    });
    const [x, y, z] = Successful;
    assert.equal(x?.MessageId, MessageId);
    assert.deepEqual([z?.MessageId, z?.SequenceNumber], [y?.MessageId, y?.SequenceNumber]);
    assert.deepEqual(await queue.receiveBodies(), ["1", "3"]);
  });

  scenario("a standard queue may follow a FIFO topic, and sees nothing of group and id", async (world) => {
    const TopicArn = await topicOf(world, { FifoTopic: "true", ContentBasedDeduplication: "true" });
    const [plain, raw] = [await world.queue(), await world.queue()];
    await subscribe(world, TopicArn, plain);
    await subscribe(world, TopicArn, raw, RAW);
    for (let time = 0; time < 2; time++) {
      await snsOf(world).publish({ TopicArn, Message: "m", MessageGroupId: "g" });
    }
    const [message, ...more] = await raw.receive({ MessageSystemAttributeNames: ["All"] });
    assert.deepEqual(more, [], "the topic has deduplicated");
    assert.equal(message?.Body, "m");
    for (const name of ["MessageGroupId", "MessageDeduplicationId", "SequenceNumber"] as const) {
      assert.equal(message?.Attributes?.[name], undefined, name);
    }
    const notification = JSON.parse((await plain.receiveOne()).Body ?? "");
    assert.match(notification.SequenceNumber, /^\d{20}$/);
    assert.equal("Signature" in notification, false);
  });

  scenario("dead letters of a FIFO subscription keep their group and id", async (world) => {
    const TopicArn = await topicOf(world, { FifoTopic: "true" });
    const [queue, dead] = [await world.fifo(), await world.fifo()];
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn });
    await subscribe(world, TopicArn, queue, { ...RAW, RedrivePolicy });
    await world.sqs.deleteQueue({ QueueUrl: queue.url });
    const ids = { MessageGroupId: "g", MessageDeduplicationId: "d" };
    await snsOf(world).publish({ TopicArn, Message: "orphan", ...ids });
    const { Body, Attributes } = await dead.receiveOne();
    assert.deepEqual([Body, Attributes?.MessageGroupId, Attributes?.MessageDeduplicationId], ["orphan", "g", "d"]);
  });
});
