// A burst of expiries is worked off in bounded steps, and none is forgotten when nobody calls.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SendEntry } from "../../src/engine/command.ts";
import { startHost } from "../../src/host/index.ts";
import { openMemoryStorage } from "../../src/log/index.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";

const QUEUE = { account: "000000000000", region: "us-east-1", name: "burst" };
const MESSAGES = 50_000;

test("fifty thousand messages that come back in the same millisecond are all visible after it", async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  let uuids = 0;
  const host = await startHost({
    openStorage: async () => openMemoryStorage(),
    shardCount: 1,
    clock,
    ids: { uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, "0")}` },
    awsDelays: false,
    bodyCacheBytesMax: 1024,
    log: () => undefined,
  });
  clock.settleWith(() => host.settle());
  await host.execute({ kind: "createQueue", queue: QUEUE, attributes: { DelaySeconds: "10" }, tags: {} });
  const entry: SendEntry = {
    content: { body: Buffer.from("x"), bodyMd5: Buffer.alloc(16), attributes: [] },
    sizeBytes: 1,
  };
  for (let sent = 0; sent < MESSAGES; sent += 1000) {
    const entries = Array.from({ length: 1000 }, () => entry);
    await host.execute({ kind: "sendMessages", queue: QUEUE, senderId: "A", batch: true, entries });
  }
  await clock.advance(10_000);
  const outcome = await host.execute<"getQueueAttributes">({ kind: "getQueueAttributes", queue: QUEUE });
  assert.ok(outcome.ok);
  assert.equal(outcome.value.attributes.ApproximateNumberOfMessages, String(MESSAGES));
  await host.stop();
});
