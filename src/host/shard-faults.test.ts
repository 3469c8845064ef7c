// What the host does when the log does not take an entry: nothing that was not stored is acknowledged, and the shard
// serves again from what the log has.

import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../base/clock.ts";
import { Fault, isFault } from "../base/fault.ts";
import type { Outcome } from "../engine/command.ts";
import { type AppendResult, openMemoryStorage, type ShardStorage } from "../log/index.ts";
import { type Host, startHost } from "./index.ts";
import type { Shard } from "./shard.ts";
import type { MillpondHost } from "./start-host.ts";

const QUEUE = { account: "000000000000", region: "us-east-1", name: "q" };

/** A log in memory whose next appends answer what the test wants. */
class StubbornStorage {
  readonly real: ShardStorage = openMemoryStorage();
  readonly answers: ((append: () => Promise<AppendResult>) => Promise<AppendResult>)[] = [];
  appends = 0;

  open(): ShardStorage {
    const { log, snapshots } = this.real;
    const append: ShardStorage["log"]["append"] = (payload, expected, stamp) => {
      this.appends += 1;
      const really = () => log.append(payload, expected, stamp);
      return this.answers.shift()?.(really) ?? really();
    };
    const stubborn = Object.assign(Object.create(log) as ShardStorage["log"], {
      append,
      read: log.read.bind(log),
      readEntry: log.readEntry.bind(log),
      tail: log.tail.bind(log),
      head: log.head.bind(log),
      segments: log.segments.bind(log),
      trim: log.trim.bind(log),
      room: log.room.bind(log),
      close: async () => undefined,
    });
    return { log: stubborn, snapshots };
  }
}

async function start(storage: StubbornStorage): Promise<{ host: Host; errors: string[] }> {
  let uuids = 0;
  const errors: string[] = [];
  const host = await startHost({
    openStorage: async () => storage.open(),
    shardCount: 1,
    clock: { ...systemClock, setTimer: (atMs, run) => systemClock.setTimer(Math.min(atMs, Date.now() + 1), run) },
    ids: { uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, "0")}` },
    awsDelays: false,
    bodyCacheBytesMax: 1024 * 1024,
    log: (level, text) => {
      if (level === "error") errors.push(text);
    },
  });
  await host.execute({ kind: "createQueue", queue: QUEUE, attributes: {}, tags: {} });
  return { host, errors };
}

function send(host: Host, body: string): Promise<Outcome<"sendMessages">> {
  const content = { body: Buffer.from(body), bodyMd5: Buffer.alloc(16), attributes: [] };
  return host.execute<"sendMessages">({
    kind: "sendMessages",
    queue: QUEUE,
    senderId: "A",
    batch: false,
    entries: [{ content, sizeBytes: body.length }],
  });
}

async function bodies(host: Host): Promise<string[]> {
  return ((await host.inspect(QUEUE)) ?? []).map(({ content }) => Buffer.from(content.body).toString());
}

async function untilServing(host: Host): Promise<void> {
  while (host.status().shards[0]?.state !== "serving") await new Promise((resolve) => setImmediate(resolve));
}

test("a send whose append failed is not acknowledged and not there; the shard serves again", async () => {
  const storage = new StubbornStorage();
  const { host, errors } = await start(storage);
  await send(host, "kept");
  storage.answers.push(() => Promise.reject(new Fault("DiskFailed", "The disk said no.")));
  await assert.rejects(send(host, "lost"), /The disk said no/);
  await untilServing(host);
  assert.deepEqual(await bodies(host), ["kept"]);
  assert.ok((await send(host, "later")).ok);
  assert.deepEqual(await bodies(host), ["kept", "later"]);
  assert.equal(errors.length, 1);
  await host.stop();
});

test("a waiting receive hears of the failure instead of hanging", async () => {
  const storage = new StubbornStorage();
  const { host } = await start(storage);
  const clockIsQuick = host.execute({ kind: "receiveMessages", queue: QUEUE, messagesMax: 1, waitMs: 20_000 });
  storage.answers.push(() => Promise.reject(new Fault("DiskFailed", "The disk said no.")));
  const sent = send(host, "x").catch((error: Error) => error.message);
  const received = await clockIsQuick.then(
    (outcome) => (outcome.ok ? outcome.value.messages.length : "refused"),
    (error: Error) => error.message,
  );
  // It may have been handed the message in the turn that failed, or still have waited: it must not have got it.
  assert.notEqual(received, 1);
  assert.equal(await sent, "The disk said no.");
  await untilServing(host);
  await host.stop();
});

test("an append with unknown outcome is repeated with the same bytes until it is known", async () => {
  const storage = new StubbornStorage();
  const { host } = await start(storage);
  storage.answers.push(
    () => Promise.resolve({ is: "unknown" }),
    () => Promise.resolve({ is: "unknown" }),
  );
  assert.ok((await send(host, "patient")).ok);
  assert.deepEqual(await bodies(host), ["patient"]);
  await host.stop();
});

test("a shard that somebody else took over answers nothing any more", async () => {
  const storage = new StubbornStorage();
  const { host, errors } = await start(storage);
  storage.answers.push(() => Promise.resolve({ is: "conflict", tail: 99 }));
  await assert.rejects(send(host, "stale"), /taken over by another owner/);
  assert.match(errors.join("\n"), /could not write its log/);
  await untilServing(host);
  assert.deepEqual(await bodies(host), [], "read again from the log, with a new epoch");
  await host.stop();
});

test("looking at a queue writes nothing to the log", async () => {
  const storage = new StubbornStorage();
  const { host } = await start(storage);
  await host.settle();
  const before = storage.appends;
  for (let round = 0; round < 50; round++) {
    await host.execute({ kind: "getQueueAttributes", queue: QUEUE });
    await host.execute({ kind: "receiveMessages", queue: QUEUE, messagesMax: 1, waitMs: 0 });
  }
  assert.equal(storage.appends, before);
  await host.stop();
});

test("an acknowledged answer never leaves before its append does", async () => {
  const storage = new StubbornStorage();
  const { host } = await start(storage);
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  storage.answers.push(async (append) => {
    await gate;
    return append();
  });
  let answered = false;
  const sent = send(host, "held").then(() => {
    answered = true;
  });
  // A read that sees the message must wait as well: what it says could still be lost.
  let looked = false;
  const look = host.execute({ kind: "getQueueAttributes", queue: QUEUE }).then(() => {
    looked = true;
  });
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([answered, looked], [false, false]);
  release();
  await Promise.all([sent, look]);
  assert.deepEqual([answered, looked], [true, true]);
  await host.stop();
});

function shardOf(host: Host): Shard {
  return (host as MillpondHost).catalogShard;
}

function meetBug(shard: Shard): void {
  shard.run(() => {
    throw new TypeError("a bug");
  });
}

const mayTryAgain = (error: unknown) => {
  assert.ok(isFault(error, "ShardRecovering"), String(error));
  assert.match(error.message, /try again/);
  assert.doesNotMatch(error.message, /a bug/);
  return true;
};

test("a bug is the error of the request that met it; everybody else may try again", async () => {
  const storage = new StubbornStorage();
  const { host } = await start(storage);
  const waiting = host.execute({ kind: "receiveMessages", queue: QUEUE, messagesMax: 1, waitMs: 20_000 });
  // Its append never ends, so it is not acknowledged when the shard fails.
  const before = storage.appends;
  storage.answers.push(() => new Promise(() => undefined));
  const sending = send(host, "not durable yet");
  const polled = assert.rejects(waiting, mayTryAgain);
  const sent = assert.rejects(sending, mayTryAgain);
  while (storage.appends === before) await new Promise((resolve) => setImmediate(resolve));
  assert.throws(() => meetBug(shardOf(host)), TypeError);
  await assert.rejects(send(host, "too early"), mayTryAgain);
  await Promise.all([polled, sent]);
  await untilServing(host);
  assert.ok((await send(host, "later")).ok);
  assert.deepEqual(await bodies(host), ["later"]);
  await host.stop();
});

test("a send in whose turn a waiter meets a bug is not acknowledged", async () => {
  const storage = new StubbornStorage();
  const { host } = await start(storage);
  const shard = shardOf(host);
  const { partition } = (host as MillpondHost).catalog.place(QUEUE) as { partition: number };
  shard.waiters.add({
    partition,
    attempt() {
      assert.throws(() => meetBug(shard), TypeError);
      return true;
    },
    giveUp: () => undefined,
    fail: () => undefined,
  });
  await assert.rejects(send(host, "went with the bug"), mayTryAgain);
  await untilServing(host);
  assert.deepEqual(await bodies(host), []);
  await host.stop();
});
