// What the simulation found, told as short stories: each was a broken promise once.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import { Fault } from "../../src/base/fault.ts";
import { Random } from "../../src/base/random.ts";
import type { Outcome } from "../../src/engine/command.ts";
import { type Host, startHost } from "../../src/host/index.ts";
import { openSegmentStorage, type ShardStorage } from "../../src/log/index.ts";
import { TestDisk } from "../../src/log/test-disk.ts";
import { seededIds } from "../../src/testing/seeded-ids.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";

const FOLDER = "/data/shards/0000";

function openOn(disk: TestDisk, segmentBytesMax = 4096): Promise<ShardStorage> {
  return openSegmentStorage({ disk, folder: FOLDER, shard: 0, writerId: 1, durability: "fsync", segmentBytesMax });
}

async function startOn(disk: TestDisk, clock: Clock = new VirtualClock(1_700_000_000_000)): Promise<Host> {
  return startHost({
    openStorage: () => openOn(disk),
    shardCount: 1,
    clock,
    ids: seededIds(1),
    awsDelays: false,
    bodyCacheBytesMax: 1,
    log: () => undefined,
  });
}

function queue(name: string) {
  return { account: "000000000000", region: "us-east-1", name };
}

function send(host: Host, name: string, bodies: Uint8Array[]): Promise<Outcome<"sendMessages">> {
  return host.execute<"sendMessages">({
    kind: "sendMessages",
    queue: queue(name),
    senderId: "A",
    batch: bodies.length > 1,
    entries: bodies.map((body) => ({
      content: { body, bodyMd5: Buffer.alloc(16), attributes: [] },
      sizeBytes: body.length,
    })),
  });
}

test("an entry whose padding was cut off by a full disk is readable after the next opening", async () => {
  const disk = new TestDisk(new Random(1));
  const stamp = { epoch: 1, ownerTimeMs: 1, factCount: 1 };
  const payload = Buffer.alloc(3001, "x");
  const { log } = await openOn(disk, 1024);
  // In a file that holds nothing behind it, the write ends two bytes before the padding does.
  disk.bytesMax = disk.usedBytes + 128 + 64 + payload.length - 1024 + 5;
  await assert.rejects(log.append(payload, 0, stamp));
  await log.close().catch(() => undefined);
  disk.bytesMax = Number.POSITIVE_INFINITY;
  const again = await openOn(disk, 1024);
  for (let seq = 1; seq <= again.log.tail(); seq++) assert.deepEqual((await again.log.readEntry(seq)).payload, payload);
  await again.log.close();
  const third = await openOn(disk, 1024);
  assert.equal(third.log.tail(), again.log.tail());
});

test("the snapshot of a shard that never held a message can be read back", async () => {
  const { snapshots } = await openOn(new TestDisk(new Random(1)));
  const nothing = new Uint8Array(new Float64Array(0).buffer, 0, 0);
  const ref = await snapshots.put(0, [Buffer.from("head"), nothing, nothing]);
  assert.equal(Buffer.from(await snapshots.get(ref)).toString(), "head");
});

test("a message is readable although the cache is small and its entry not yet in the log", async () => {
  const host = await startOn(new TestDisk(new Random(1)));
  await host.execute({ kind: "createQueue", queue: queue("q"), attributes: {}, tags: {} });
  const bodies = Array.from({ length: 3 }, (_, index) => Buffer.alloc(300_000, `${index}`));
  const sends = bodies.map((body) => send(host, "q", [body]));
  const received = await host.execute<"receiveMessages">({
    kind: "receiveMessages",
    queue: queue("q"),
    messagesMax: 10,
    waitMs: 0,
  });
  await Promise.all(sends);
  assert.ok(received.ok);
  assert.deepEqual(
    received.value.messages.map(({ content }) => content.body[0]),
    bodies.map((body) => body[0]),
  );
  await host.stop();
});

test("a receive reports its own count and handle, although another takes the message in the same turn", async () => {
  let nowMs = 1_700_000_000_000;
  // Its timers never come: the message becomes visible within the receive that asks for it.
  const clock = { nowMs: () => nowMs, setTimer: () => ({ cancel: () => undefined }) };
  const host = await startOn(new TestDisk(new Random(1)), clock);
  await host.execute({ kind: "createQueue", queue: queue("q"), attributes: {}, tags: {} });
  const receive = async (waitMs: number, visibilityTimeoutMs: number) => {
    const outcome = await host.execute<"receiveMessages">({
      kind: "receiveMessages",
      queue: queue("q"),
      messagesMax: 1,
      waitMs,
      visibilityTimeoutMs,
    });
    return outcome.ok ? outcome.value.messages[0] : undefined;
  };
  await send(host, "q", [Buffer.from("one")]);
  await receive(0, 5000);
  const waiting = receive(20_000, 30_000);
  nowMs += 6000;
  const direct = await receive(0, 0);
  const waited = await waiting;
  assert.deepEqual([direct?.receiveCount, waited?.receiveCount], [2, 3]);
  assert.notEqual(direct?.receiptHandle, waited?.receiptHandle);
  await host.stop();
});

test("a dead-letter queue's messages cannot be moved to itself", async () => {
  const host = await startOn(new TestDisk(new Random(1)));
  const arn = "arn:aws:sqs:us-east-1:000000000000:dead";
  const policy = JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount: 1 });
  await host.execute({ kind: "createQueue", queue: queue("dead"), attributes: {}, tags: {} });
  await host.execute({ kind: "createQueue", queue: queue("q"), attributes: { RedrivePolicy: policy }, tags: {} });
  const scope = { account: "000000000000", region: "us-east-1" };
  const outcome = await host.execute({ kind: "startMoveTask", scope, sourceArn: arn, destinationArn: arn });
  assert.ok(!outcome.ok && outcome.refusal.code === "InvalidParameterValue");
  await host.stop();
});

test("a shard whose openings fail again and again is read by one at a time", async () => {
  const disk = new TestDisk(new Random(1));
  const clock = new VirtualClock(1_700_000_000_000);
  let isBroken = false;
  const open = new Set<ShardStorage>();
  let openMost = 0;
  const host = await startHost({
    openStorage: async () => {
      const storage = await openOn(disk);
      open.add(storage);
      openMost = Math.max(openMost, open.size);
      const { log } = storage;
      const [append, close] = [log.append.bind(log), log.close.bind(log)];
      log.append = (payload, expected, stamp) =>
        isBroken ? Promise.reject(new Fault("DiskFailed", "The disk said no.")) : append(payload, expected, stamp);
      log.close = () => {
        open.delete(storage);
        return close();
      };
      return storage;
    },
    shardCount: 1,
    clock,
    ids: seededIds(1),
    awsDelays: false,
    bodyCacheBytesMax: 1,
    log: () => undefined,
  });
  await host.execute({ kind: "createQueue", queue: queue("q"), attributes: {}, tags: {} });
  isBroken = true;
  await assert.rejects(send(host, "q", [Buffer.from("not kept")]));
  const passSecond = async () => {
    await clock.advance(1000);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  for (let second = 0; second < 5; second++) await passSecond();
  isBroken = false;
  await passSecond();
  assert.ok((await send(host, "q", [Buffer.from("kept")])).ok);
  assert.equal(openMost, 1);
  await host.stop();
});
