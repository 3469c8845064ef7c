// What a publish leaves in the queues that are subscribed, on one shard and on four, before and after a restart.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import type { PublishEntry } from "../../src/engine/command.ts";
import { topicArn } from "../../src/engine/index.ts";
import { arnOf, queue, topic, World } from "./topic-world.ts";

for (const shardCount of [1, 4]) {
  describe(`publishing with ${shardCount} shard${shardCount === 1 ? "" : "s"}`, () => {
    test("every subscribed queue has its own copy, raw or as a notification, also after a restart", async () => {
      const world = await new World(shardCount).start();
      for (const name of ["plain", "raw", "late"]) await world.createQueue(name);
      await world.createTopic("spring");
      const plainArn = await world.subscribe("spring", "plain");
      await world.subscribe("spring", "raw", { RawMessageDelivery: "true" });
      const attributes = [
        { name: "kind", dataType: "String", value: "order" },
        { name: "blob", dataType: "Binary", value: Uint8Array.of(1, 2) },
      ];
      const published = await world.publish("spring", "héllo", { subject: "hi", attributes });
      assert.ok("messageId" in published && published.sequenceNumber === undefined);
      await world.restart();
      await world.subscribe("spring", "late");

      const [raw] = await world.receive("raw");
      assert.equal(Buffer.from(raw?.content.body ?? "").toString(), "héllo");
      assert.deepEqual(raw?.content.bodyMd5, createHash("md5").update("héllo").digest());
      assert.deepEqual(
        raw?.content.attributes.map(({ name, dataType }) => [name, dataType]),
        [
          ["kind", "String"],
          ["blob", "Binary"],
        ],
      );
      assert.notEqual(raw?.messageId, published.messageId);

      const [plain] = await world.receive("plain");
      const text = Buffer.from(plain?.content.body ?? "").toString();
      assert.deepEqual(JSON.parse(text), {
        Type: "Notification",
        MessageId: published.messageId,
        TopicArn: "arn:aws:sns:us-east-1:000000000000:spring",
        Subject: "hi",
        Message: "héllo",
        Timestamp: new Date(world.clock.nowMs()).toISOString(),
        UnsubscribeURL: `http://localhost:4566/?Action=Unsubscribe&SubscriptionArn=${plainArn}`,
        MessageAttributes: { kind: { Type: "String", Value: "order" }, blob: { Type: "Binary", Value: "AQI=" } },
      });
      assert.deepEqual(plain?.content.attributes, []);
      assert.deepEqual(await world.bodies("late"), []);
      await world.stop();
    });

    test("a FIFO topic keeps order per group in each FIFO queue and recognises repeats", async () => {
      const world = await new World(shardCount).start();
      for (const name of ["a.fifo", "b.fifo"]) await world.createQueue(name, { FifoQueue: "true" });
      await world.createQueue("std");
      await world.createTopic("order.fifo", { FifoTopic: "true" });
      for (const name of ["a.fifo", "b.fifo", "std"])
        await world.subscribe("order.fifo", name, { RawMessageDelivery: "true" });
      const results = [];
      for (const step of ["1", "2", "2", "3"]) {
        results.push(await world.publish("order.fifo", step, { groupId: "g", deduplicationId: step }));
      }
      assert.deepEqual(results[2], results[1]);
      await world.restart();
      assert.deepEqual(await world.publish("order.fifo", "2", { groupId: "h", deduplicationId: "2" }), results[1]);
      for (const name of ["a.fifo", "b.fifo"]) {
        const messages = await world.receive(name);
        assert.deepEqual(
          messages.map(({ content, groupId, deduplicationId }) => [
            Buffer.from(content.body).toString(),
            groupId,
            deduplicationId,
          ]),
          [
            ["1", "g", "1"],
            ["2", "g", "2"],
            ["3", "g", "3"],
          ],
        );
      }
      const standard = await world.receive("std");
      assert.deepEqual(
        standard.map(({ groupId, deduplicationId }) => groupId ?? deduplicationId),
        [undefined, undefined, undefined],
      );
      await world.stop();
    });

    test("FIFO ids are asked for and refused as the topic's kind says", async () => {
      const world = await new World(shardCount).start();
      await world.createTopic("t");
      await world.createTopic("t.fifo", { FifoTopic: "true" });
      const code = async (name: string, more: Partial<PublishEntry>) => {
        const answer = await world.publish(name, "x", more);
        return "code" in answer ? answer.message : "published";
      };
      assert.match(await code("t", { deduplicationId: "d" }), /not valid for this topic type/);
      assert.match(await code("t.fifo", {}), /MessageGroupId parameter is required/);
      assert.match(await code("t.fifo", { groupId: "g" }), /ContentBasedDeduplication enabled/);
      assert.equal(await code("t.fifo", { groupId: "g", deduplicationId: "d" }), "published");
      assert.equal(await code("gone", {}), "Topic does not exist");
      await world.stop();
    });

    test("a copy whose queue is gone is in the subscription's dead-letter queue as it would have been delivered", async () => {
      const world = await new World(shardCount).start();
      await world.createQueue("failed");
      await world.createTopic("t");
      const arn = await world.subscribe("t", "nowhere", {
        RawMessageDelivery: "true",
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf("failed") }),
      });
      const dropped = await world.subscribe("t", "nowhere-either");
      await world.publish("t", "lost?");
      assert.deepEqual(await world.bodies("failed"), ["lost?"]);
      const [failure] = world.host.deliveryRecords.of(arn)?.failures ?? [];
      assert.deepEqual([failure?.outcome, failure?.reason], ["deadLettered", "The queue does not exist."]);
      assert.equal(world.host.deliveryRecords.of(dropped)?.failures[0]?.outcome, "dropped");
      await world.stop();
    });

    test("filter policies decide who gets what, by attributes or by the body", async () => {
      const world = await new World(shardCount).start();
      await world.createTopic("t");
      const raw = { RawMessageDelivery: "true" };
      const filters: Record<string, Record<string, string>> = {
        all: {},
        web: { FilterPolicy: JSON.stringify({ source: ["web"] }) },
        notWeb: { FilterPolicy: JSON.stringify({ source: [{ "anything-but": "web" }] }) },
        big: {
          FilterPolicy: JSON.stringify({ order: { total: [{ numeric: [">", 100] }] } }),
          FilterPolicyScope: "MessageBody",
        },
      };
      for (const [name, filter] of Object.entries(filters)) {
        await world.createQueue(name);
        await world.subscribe("t", name, { ...raw, ...filter });
      }
      const from = (value: string) => ({ attributes: [{ name: "source", dataType: "String", value }] });
      await world.publish("t", "no attributes");
      await world.publish("t", "from the web", from("web"));
      const big = JSON.stringify({ order: { total: 101 } });
      await world.publish("t", big, from("shop"));
      assert.deepEqual((await world.bodies("all")).sort(), ["from the web", "no attributes", big].sort());
      assert.deepEqual(await world.bodies("web"), ["from the web"]);
      assert.deepEqual(await world.bodies("notWeb"), [big]);
      assert.deepEqual(await world.bodies("big"), [big]);
      await world.stop();
    });

    test("without a policy on the queue, enforcement keeps copies out and names the statement that is missing", async () => {
      const world = await new World(shardCount, { accessMode: "enforce" }).start();
      await world.createTopic("t");
      await world.createQueue("closed");
      await world.createQueue("failed");
      const arn = await world.subscribe("t", "closed", {
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf("failed") }),
      });
      await world.publish("t", "x");
      assert.deepEqual(await world.bodies("closed"), []);
      assert.equal((await world.bodies("failed")).length, 1);
      assert.match(world.host.deliveryRecords.of(arn)?.failures[0]?.reason ?? "", /has no statement/);
      const topicRecord = world.host.catalog.resources.get("topic", topicArn(topic("t")));
      const place = world.host.catalog.place(queue("closed"));
      assert.ok(topicRecord !== undefined && place !== undefined);
      const missing = world.host.access.findingOf(topicRecord, place.record)?.missing;
      const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [missing] });
      await world.host.execute({ kind: "setQueueAttributes", queue: queue("closed"), attributes: { Policy } });
      await world.publish("t", "y");
      assert.equal((await world.bodies("closed")).length, 1);
      await world.stop();
    });

    test("a thousand subscribers share one body in the log, also when the log is cleaned", async () => {
      const thresholds = { snapshotAfterBytesMin: 64 * 1024, cleanAboveDeadBytes: 1, cleanBelowLiveShare: 0.9 };
      const world = await new World(shardCount, { thresholds }).start();
      await world.createTopic("wide");
      for (let index = 0; index < 1000; index++) {
        await world.createQueue(`q${index}`);
        await world.subscribe("wide", `q${index}`, { RawMessageDelivery: index % 2 === 0 ? "true" : "false" });
      }
      await world.host.settle();
      const bytesBefore = world.host.status().shards.reduce((sum, { logBytes }) => sum + logBytes, 0);
      const body = "x".repeat(100_000);
      await world.publish("wide", body);
      await world.host.settle();
      const bytes = world.host.status().shards.reduce((sum, { logBytes }) => sum + logBytes, 0) - bytesBefore;
      if (shardCount === 1) assert.ok(bytes < 400_000, `one publish took ${bytes} bytes of log`);
      // Segments in which little is alive are cleaned while others fill: the copies must come along.
      await world.createQueue("filler");
      for (let index = 0; index < 60; index++) {
        const content = { body: Buffer.alloc(20_000), bodyMd5: Buffer.alloc(16), attributes: [] };
        const entries = [{ content, sizeBytes: 20_000 }];
        const sent = { kind: "sendMessages", queue: queue("filler"), senderId: "A", batch: false, entries } as const;
        await world.host.execute<"sendMessages">(sent);
        if (index % 10 === 9) await world.host.execute({ kind: "purgeQueue", queue: queue("filler") });
      }
      for (const name of ["q0", "q998"]) assert.deepEqual(await world.bodies(name), [body]);
      await world.restart();
      for (const name of ["q1", "q999"]) {
        const [text] = await world.bodies(name);
        assert.equal(JSON.parse(text ?? "").Message, body);
      }
      await world.stop();
    });
  });
}
