// Housekeeping does not hold up requests, however many messages are queued.

import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../base/clock.ts";
import { openMemoryStorage } from "../log/index.ts";
import { THRESHOLDS } from "./host.ts";
import { Housekeeping } from "./housekeeping.ts";
import type { Shard } from "./shard.ts";
import { MillpondHost } from "./start-host.ts";

const QUEUE = { account: "000000000000", region: "us-east-1", name: "deep" };
const MESSAGES = 300_000;
const SENT_AT_ONCE = 1000;
/** Another program on the machine, or a garbage collection, may hit a turn; hardly the longest turn of each round. */
const ROUNDS = 5;
const TURN_CPU_MS_MAX = 15;
/** In one go the snapshot would be nearly all of a round. */
const TURN_SHARE_MAX = 0.25;

test("a round of housekeeping at 300,000 messages is many short turns", async (context) => {
  const host = await deepHost();
  const shard = host.shards[0] as Shard;
  const turns: Turns[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Something to snapshot, for one that never ran: it is then due at once.
    await send(host, 1);
    const housekeeping = new Housekeeping(shard, { ...THRESHOLDS, snapshotAfterBytesMin: 1 }, () => undefined);
    const snapshotSeq = shard.snapshotSeq;
    housekeeping.poke();
    turns.push(await watchTurns(housekeeping.finish()));
    assert.ok(shard.snapshotSeq > snapshotSeq, "a snapshot was written");
  }
  await host.stop();
  const shortest = Math.min(...turns.map(({ longestMs }) => longestMs));
  const evenest = Math.min(...turns.map(({ longestMs, totalMs }) => longestMs / totalMs));
  context.diagnostic(`CPU of the longest turn: ${shortest} ms; of its round: ${(100 * evenest).toFixed(1)} %`);
  assert.ok(shortest < TURN_CPU_MS_MAX, `a turn took ${shortest} ms`);
  assert.ok(evenest < TURN_SHARE_MAX, `a turn was ${evenest} of its round`);
});

interface Turns {
  longestMs: number;
  totalMs: number;
}

/** CPU of the event loop's turns until `work` is done. */
async function watchTurns(work: Promise<void>): Promise<Turns> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const turns: Turns = { longestMs: 0, totalMs: 0 };
  while (!isDone) {
    const before = process.cpuUsage();
    await new Promise((resolve) => setImmediate(resolve));
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    turns.totalMs += ms;
    turns.longestMs = Math.max(turns.longestMs, ms);
  }
  await done;
  return turns;
}

async function deepHost(): Promise<MillpondHost> {
  const storage = openMemoryStorage();
  let uuids = 0;
  const host = new MillpondHost({
    openStorage: async () => storage,
    shardCount: 1,
    clock: systemClock,
    ids: { uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, "0")}` },
    awsDelays: false,
    bodyCacheBytesMax: 1024 * 1024,
    // Not by itself: the test does it.
    thresholds: { snapshotAfterBytesMin: Number.MAX_SAFE_INTEGER },
    log: () => undefined,
  });
  await host.open();
  await host.execute({ kind: "createQueue", queue: QUEUE, attributes: {}, tags: {} });
  for (let sent = 0; sent < MESSAGES; sent += SENT_AT_ONCE) await send(host, SENT_AT_ONCE);
  return host;
}

async function send(host: MillpondHost, count: number): Promise<void> {
  const content = { body: Buffer.alloc(64, "b"), bodyMd5: Buffer.alloc(16), attributes: [] };
  await host.execute<"sendMessages">({
    kind: "sendMessages",
    queue: QUEUE,
    senderId: "A",
    batch: true,
    entries: Array.from({ length: count }, () => ({ content, sizeBytes: content.body.length })),
  });
}
