// Archive and replay of FIFO topics: what was published from a point in time on comes once more, in order, before what
// is published later; the clock is virtual.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { subscriptionArn } from "../../src/engine/index.ts";
import { queue, World } from "./topic-world.ts";

const MINUTE = 60_000;
const ARCHIVE = {
  FifoTopic: "true",
  ContentBasedDeduplication: "true",
  ArchivePolicy: '{"MessageRetentionPeriod":"30"}',
};
const RAW = { RawMessageDelivery: "true" };

async function status(world: World, queueName: string): Promise<string | undefined> {
  const record = [...world.host.catalog.resources.values("subscription")].find(({ endpoint }) =>
    endpoint.endsWith(queueName),
  );
  assert.ok(record !== undefined);
  const { subscription } = record;
  const outcome = await world.host.execute<"getSubscriptionAttributes">({
    kind: "getSubscriptionAttributes",
    subscription,
  });
  assert.ok(outcome.ok, subscriptionArn(subscription));
  return outcome.value.attributes.ReplayStatus;
}

/** Everything that is in the queue, in order. */
async function drain(world: World, name: string): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const messages = await world.receive(name);
    if (messages.length === 0) return all;
    all.push(...messages.map(({ content }) => Buffer.from(content.body).toString()));
    const receiptHandles = messages.map(({ receiptHandle }) => receiptHandle);
    await world.host.execute<"deleteMessages">({ kind: "deleteMessages", queue: queue(name), receiptHandles });
  }
}

for (const shardCount of [1, 4]) {
  describe(`replays with ${shardCount} shard${shardCount === 1 ? "" : "s"}`, () => {
    test("a late subscriber gets what was published since, in order, and then what comes new", async () => {
      const world = await new World(shardCount).start();
      await world.createTopic("t.fifo", ARCHIVE);
      const at: number[] = [];
      for (let index = 0; index < 250; index++) {
        at.push(world.clock.nowMs());
        await world.publish("t.fifo", `m${index}`, { groupId: "g", contentDeduplicationId: `m${index}` });
        if (index % 50 === 49) await world.clock.advance(MINUTE);
      }
      await world.restart();
      await world.createQueue("late.fifo", { FifoQueue: "true" });
      const ReplayPolicy = JSON.stringify({
        PointType: "Timestamp",
        StartingPoint: new Date(at[50] as number).toISOString(),
      });
      const subscribed = world.subscribe("t.fifo", "late.fifo", { ...RAW, ReplayPolicy });
      // Published while the replay runs: behind what is replayed, and not twice.
      const meanwhile = world.publish("t.fifo", "new", { groupId: "g", contentDeduplicationId: "new" });
      await Promise.all([subscribed, meanwhile]);
      await world.host.settle();
      assert.equal(await status(world, "late.fifo"), "Completed");
      await world.publish("t.fifo", "newest", { groupId: "g", contentDeduplicationId: "newest" });
      const expected = Array.from({ length: 200 }, (_, index) => `m${index + 50}`);
      assert.deepEqual(await drain(world, "late.fifo"), [...expected, "new", "newest"]);
      await world.stop();
    });

    test("a replay with an end passes the filter, is marked, and lets nothing new through", async () => {
      const world = await new World(shardCount).start();
      await world.createTopic("t.fifo", ARCHIVE);
      await world.createQueue("past.fifo", { FifoQueue: "true" });
      const kinds = ["a", "b", "a", "b"];
      const startMs = world.clock.nowMs();
      for (const [index, value] of kinds.entries()) {
        const attributes = [{ name: "kind", dataType: "String", value }];
        await world.publish("t.fifo", `m${index}`, { groupId: "g", contentDeduplicationId: `m${index}`, attributes });
        await world.clock.advance(MINUTE);
      }
      const point = (minutes: number) => new Date(startMs + minutes * MINUTE).toISOString();
      const ReplayPolicy = JSON.stringify({ PointType: "Timestamp", StartingPoint: point(0), EndingPoint: point(2) });
      const FilterPolicy = JSON.stringify({ kind: ["a"] });
      await world.subscribe("t.fifo", "past.fifo", { ReplayPolicy, FilterPolicy });
      await world.host.settle();
      const attributes = [{ name: "kind", dataType: "String", value: "a" }];
      await world.publish("t.fifo", "new", { groupId: "g", contentDeduplicationId: "new", attributes });
      const documents = (await drain(world, "past.fifo")).map((text) => JSON.parse(text) as Record<string, string>);
      assert.deepEqual(
        documents.map(({ Message, Replayed }) => [Message, Replayed]),
        [
          ["m0", "true"],
          ["m2", "true"],
        ],
      );
      await world.stop();
    });

    test("a replay that a restart interrupts goes on after it", async () => {
      const world = await new World(shardCount).start();
      await world.createTopic("t.fifo", ARCHIVE);
      await world.createQueue("late.fifo", { FifoQueue: "true" });
      const StartingPoint = new Date(world.clock.nowMs()).toISOString();
      for (let index = 0; index < 300; index++) {
        await world.publish("t.fifo", `m${index}`, { groupId: "g", contentDeduplicationId: `m${index}` });
      }
      const ReplayPolicy = JSON.stringify({ PointType: "Timestamp", StartingPoint });
      await world.subscribe("t.fifo", "late.fifo", { ...RAW, ReplayPolicy });
      await world.restart();
      await world.host.settle();
      const got = await drain(world, "late.fifo");
      // A batch that was under way may come twice, never out of order within its pass.
      assert.deepEqual(
        [...new Set(got)],
        Array.from({ length: 300 }, (_, index) => `m${index}`),
      );
      assert.equal(await status(world, "late.fifo"), "Completed");
      await world.stop();
    });
  });
}
