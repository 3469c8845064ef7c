// What the simulation found, told as short stories: each was a broken promise once.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import { Fault } from "../../src/base/fault.ts";
import { Random } from "../../src/base/random.ts";
import type { Outcome } from "../../src/engine/command.ts";
import { type Host, startHost } from "../../src/host/index.ts";
import type { Outbound } from "../../src/host/outbound.ts";
import { MillpondHost } from "../../src/host/start-host.ts";
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

const TOPIC = { account: "000000000000", region: "us-east-1", name: "t" };
const PRINCIPAL = { owner: "000000000000", principal: "arn:aws:iam::000000000000:root" };
const queueArnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

interface TopicWorld {
  host: MillpondHost;
  clock: VirtualClock;
  /** By shard; while one is held, nothing that is appended there becomes durable. */
  held: Map<number, Promise<void>>;
  /** By shard; while one is closed, its log cannot be opened. */
  closed: Map<number, Promise<void>>;
}

/** Each shard in a folder of its own on the same disk. */
async function startWithTopics(disk: TestDisk, outbound: Outbound, shardCount: number): Promise<TopicWorld> {
  const clock = new VirtualClock(1_700_000_000_000);
  const held: TopicWorld["held"] = new Map();
  const closed: TopicWorld["closed"] = new Map();
  const host = new MillpondHost({
    openStorage: async (shard) => {
      await closed.get(shard);
      const storage = await openSegmentStorage({
        disk,
        folder: `/data/shards/${shard}`,
        shard,
        writerId: 1,
        durability: "fsync",
        segmentBytesMax: 64 * 1024,
      });
      const append = storage.log.append.bind(storage.log);
      storage.log.append = async (payload, expected, stamp) => {
        await held.get(shard);
        return append(payload, expected, stamp);
      };
      return storage;
    },
    shardCount,
    clock,
    ids: seededIds(1),
    awsDelays: false,
    bodyCacheBytesMax: 1024 * 1024,
    outbound,
    log: () => undefined,
  });
  await host.open();
  host.startDeliveries();
  clock.settleWith(() => host.settle());
  return { host, clock, held, closed };
}

function createTopic(host: Host, name: string, attributes: Record<string, string> = {}) {
  return host.execute({ kind: "createTopic", topic: { ...TOPIC, name }, attributes, tags: {} });
}

function subscribe(host: Host, name: string, endpoint: string, attributes: Record<string, string> = {}) {
  const protocol = endpoint.startsWith("http:") ? "http" : "sqs";
  const topic = { ...TOPIC, name };
  return host.execute<"subscribe">({ kind: "subscribe", topic, protocol, endpoint, attributes, ...PRINCIPAL });
}

function answering(status: number): Outbound {
  return { post: async () => ({ is: "answered", status }) };
}

const deadLettersIn = (name: string) => ({
  RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArnOf(name) }),
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("what asks for a confirmation is not among a topic's dead letters when it is given up", async () => {
  const { host } = await startWithTopics(new TestDisk(new Random(1)), answering(404), 1);
  await host.execute({ kind: "createQueue", queue: queue("failed"), attributes: {}, tags: {} });
  await createTopic(host, "t");
  await subscribe(host, "t", "http://shop.test/", deadLettersIn("failed"));
  await host.settle();
  assert.deepEqual(await host.inspect(queue("failed")), []);
  await host.stop();
});

for (const shardCount of [1, 3]) {
  test(`subscribers with one FIFO dead-letter queue each have their copy there (shards: ${shardCount})`, async () => {
    const { host } = await startWithTopics(new TestDisk(new Random(1)), answering(200), shardCount);
    await host.execute({
      kind: "createQueue",
      queue: queue("failed.fifo"),
      attributes: { FifoQueue: "true" },
      tags: {},
    });
    await createTopic(host, "t.fifo", { FifoTopic: "true" });
    for (const gone of ["one.fifo", "two.fifo"]) {
      await subscribe(host, "t.fifo", queueArnOf(gone), deadLettersIn("failed.fifo"));
    }
    // One that is subscribed itself.
    await subscribe(host, "t.fifo", queueArnOf("failed.fifo"), { RawMessageDelivery: "true" });
    const entries = [{ messages: { default: "x" }, attributes: [], groupId: "g", deduplicationId: "d" }];
    const topic = { ...TOPIC, name: "t.fifo" };
    await host.execute({ kind: "publish", topic, entries });
    await host.execute({ kind: "publish", topic, entries });
    await host.settle();
    const kept = (await host.inspect(queue("failed.fifo"))) ?? [];
    assert.equal(kept.length, 3);
    assert.deepEqual([...new Set(kept.map(({ deduplicationId }) => deduplicationId))], ["d"]);
    await host.stop();
  });
}

test("a delivery that begins while the catalog is being read again is made later, and ends nothing", async () => {
  let posts = 0;
  const outbound: Outbound = {
    post: async () => {
      posts += 1;
      return { is: "answered", status: 200 };
    },
  };
  const disk = new TestDisk(new Random(1));
  const { host, clock, held, closed } = await startWithTopics(disk, outbound, 2);
  await createTopic(host, "t");
  const rejections: unknown[] = [];
  const onRejection = (error: unknown) => rejections.push(error);
  process.on("unhandledRejection", onRejection);
  // The one of several subscriptions whose deliveries are not on the catalog's shard.
  let index = 0;
  const isElsewhere = () => {
    const name = [...host.catalogShard.state.catalog.queues.values()]
      .map((record) => record.queue.name)
      .filter((internal) => internal.startsWith("sns/deliveries/"))
      .at(-1);
    return name !== undefined && host.catalog.internalQueue(name)?.shard.index === 1;
  };
  // Its request to confirm is received, and the catalog's shard fails before the attempt begins.
  let release = () => {};
  while (!isElsewhere()) {
    held.set(1, new Promise((resolve) => (release = resolve)));
    const subscribing = subscribe(host, "t", `http://shop.test/${index++}`).catch(() => undefined);
    await turns(20);
    if (!isElsewhere()) {
      release();
      held.delete(1);
      await subscribing;
      await host.settle();
    }
  }
  posts = 0;
  let open = () => {};
  closed.set(0, new Promise((resolve) => (open = resolve)));
  disk.failNth("write", 1);
  assert.equal(await createTopic(host, "another").catch(() => "failed"), "failed");
  release();
  held.delete(1);
  await turns(50);
  open();
  closed.delete(0);
  await turns(50);
  await clock.advance(60_000);
  process.off("unhandledRejection", onRejection);
  assert.deepEqual(rejections, []);
  assert.equal(posts, 1);
  await host.stop();
});

test("a Subscribe is not answered before what asks for the confirmation is durable, on whatever shard", async () => {
  const { host, held } = await startWithTopics(new TestDisk(new Random(1)), answering(200), 2);
  await createTopic(host, "t");
  let release = () => {};
  held.set(1, new Promise((resolve) => (release = resolve)));
  const answered: string[] = [];
  const subscribing = ["a", "b"].map(async (name) => {
    await subscribe(host, "t", `http://shop.test/${name}`);
    answered.push(name);
  });
  await turns(50);
  // The two delivery queues are on different shards.
  assert.equal(answered.length, 1);
  release();
  held.delete(1);
  await Promise.all(subscribing);
  await host.stop();
});

test("a replay's progress is not durable before the copies are", async () => {
  const disk = new TestDisk(new Random(1));
  const first = await startWithTopics(disk, answering(200), 2);
  const archive = { FifoTopic: "true", ArchivePolicy: '{"MessageRetentionPeriod":"1"}' };
  let name = "";
  // A topic that is at home on another shard than the catalog.
  for (let index = 0; name === ""; index++) {
    const topic = { ...TOPIC, name: `t${index}.fifo` };
    await createTopic(first.host, topic.name, archive);
    const entries = [{ messages: { default: "x" }, attributes: [], groupId: "g", deduplicationId: "d" }];
    await first.host.execute({ kind: "publish", topic, entries });
    const home = first.host.catalog.internalQueue(`sns/topic/arn:aws:sns:us-east-1:000000000000:${topic.name}`);
    if (home?.shard.index === 1) name = topic.name;
  }
  await first.host.execute({ kind: "createQueue", queue: queue("q"), attributes: {}, tags: {} });
  first.held.set(1, new Promise(() => undefined));
  const ReplayPolicy = JSON.stringify({ PointType: "Timestamp", StartingPoint: "2023-01-01T00:00:00Z" });
  void subscribe(first.host, name, queueArnOf("q"), { ReplayPolicy }).catch(() => undefined);
  await turns(100);
  disk.powerCut();
  const again = await startWithTopics(disk, answering(200), 2);
  await again.host.settle();
  assert.equal((await again.host.inspect(queue("q")))?.length, 1);
  await again.host.stop();
});

test("a topic remembers what it has seen, although the power fails with the first message on its way", async () => {
  const disk = new TestDisk(new Random(1));
  const { host, held } = await startWithTopics(disk, answering(200), 2);
  await host.execute({ kind: "createQueue", queue: queue("q.fifo"), attributes: { FifoQueue: "true" }, tags: {} });
  await host.execute({ kind: "createQueue", queue: queue("q"), attributes: {}, tags: {} });
  const entries = [{ messages: { default: "x" }, attributes: [], groupId: "g", deduplicationId: "d" }];
  for (const name of ["a.fifo", "b.fifo"]) {
    await createTopic(host, name, { FifoTopic: "true" });
    await subscribe(host, name, queueArnOf("q"));
  }
  // Whatever the catalog hears from now on is lost.
  held.set(0, new Promise(() => undefined));
  for (const name of ["a.fifo", "b.fifo"]) {
    void host.execute({ kind: "publish", topic: { ...TOPIC, name }, entries }).catch(() => undefined);
  }
  await turns(100);
  disk.powerCut();
  const again = await startWithTopics(disk, answering(200), 2);
  for (const name of ["a.fifo", "b.fifo"])
    await again.host.execute({ kind: "publish", topic: { ...TOPIC, name }, entries });
  await again.host.settle();
  assert.equal((await again.host.inspect(queue("q")))?.length, 2);
  await again.host.stop();
});
