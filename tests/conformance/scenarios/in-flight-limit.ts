import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { World } from "../world.ts";
import { ACCOUNT, assertRefused, REGION, scenarios } from "../world.ts";

const IN_FLIGHT_MAX = 120_000;
const STEP = 10_000;

/** Sends and receives past HTTP: 120,000 messages by SDK would take a minute. */
async function fillInFlight(world: World, name: string): Promise<void> {
  const { queues } = world.server;
  const queue = { account: ACCOUNT, region: REGION, name };
  const body = Buffer.from("m");
  const content = { body, bodyMd5: createHash("md5").update(body).digest(), attributes: [] };
  // A group for each receive: the rest of a group that is partly held would be locked.
  const idsOf = (index: number) =>
    name.endsWith(".fifo") ? { groupId: `g${Math.floor(index / STEP)}`, deduplicationId: `d${index}` } : {};
  for (let sent = 0; sent < IN_FLIGHT_MAX + 10; ) {
    const entries = Array.from({ length: STEP }, (_, n) => ({ content, sizeBytes: 1, ...idsOf(sent + n) }));
    const wanted = entries.slice(0, IN_FLIGHT_MAX + 10 - sent);
    await queues.execute<"sendMessages">({
      kind: "sendMessages",
      queue,
      senderId: "AIDA",
      batch: true,
      entries: wanted,
    });
    sent += wanted.length;
  }
  let heldCount = 0;
  while (heldCount < IN_FLIGHT_MAX) {
    const outcome = await queues.execute<"receiveMessages">({
      kind: "receiveMessages",
      queue,
      messagesMax: STEP,
      visibilityTimeoutMs: 600_000,
    });
    assert.ok(outcome.ok && outcome.value.messages.length > 0);
    heldCount += outcome.value.messages.length;
  }
  assert.equal(heldCount, IN_FLIGHT_MAX);
}

scenarios(
  "in flight limit",
  (scenario) => {
    scenario("a standard queue with 120,000 messages in flight refuses short polls", async (world) => {
      const queue = await world.queue();
      await fillInFlight(world, queue.name);
      assert.equal(await queue.counts(), `10/${IN_FLIGHT_MAX}/0`);
      const text = /^Too many messages have been received without being deleted\./;
      await assertRefused(queue.receive(), "OverLimit", text, 403);
      const poll = queue.receive({ WaitTimeSeconds: 5 });
      await world.untilReceiving(1);
      await world.advance(5);
      assert.deepEqual(await poll, []);
      await world.advance(600);
      assert.equal((await queue.receive()).length, 10);
    });
  },
  { shardCounts: [1] },
);

scenarios(
  "in flight limit, once",
  (scenario) => {
    scenario("a FIFO queue with 120,000 messages in flight answers nothing", async (world) => {
      const queue = await world.fifo();
      await fillInFlight(world, queue.name);
      await queue.sendTo("another", "m");
      assert.deepEqual(await queue.receive(), []);
      await world.advance(600);
      assert.equal((await queue.receive()).length, 10);
    });
  },
  { protocols: ["json"], shardCounts: [1] },
);
