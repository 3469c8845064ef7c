// Who is told what, and when, on the way of facts into the log.

import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../base/clock.ts";
import { Fault, isFault } from "../base/fault.ts";
import { type AppendResult, openMemoryStorage, type ShardLog } from "../log/index.ts";
import { Committer } from "./committer.ts";
import { EntryCache } from "./entry-cache.ts";

/** A log whose appends end when the test says so. */
class HeldLog {
  readonly ended: ((end: AppendResult | Error) => void)[] = [];
  readonly log: ShardLog;

  constructor() {
    const append: ShardLog["append"] = () =>
      new Promise((resolve, reject) => {
        this.ended.push((end) => (end instanceof Error ? reject(end) : resolve(end)));
      });
    this.log = Object.assign(Object.create(openMemoryStorage().log), { append, tail: () => 0 }) as ShardLog;
  }
}

function open(): { committer: Committer; held: HeldLog; failures: unknown[] } {
  const held = new HeldLog();
  const failures: unknown[] = [];
  const committer = new Committer({
    shard: 0,
    epoch: 1,
    log: held.log,
    cache: new EntryCache(0),
    clock: systemClock,
    onFailed: (error) => failures.push(error),
  });
  return { committer, held, failures };
}

function record(committer: Committer): number {
  committer.add({ kind: "ShardReset" });
  committer.commandEnded();
  return committer.newestSeq;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const failure = new Fault("DiskFailed", "The disk is gone.");
const isThatFailure = (error: unknown) => error === failure;

test("an answer leaves when its entry is durable, and what comes meanwhile is one entry more", async () => {
  const { committer, held } = open();
  const left: string[] = [];
  const first = record(committer);
  void committer.whenDurable(first, "first")?.then((answer) => left.push(answer as string));
  await turn();
  const second = record(committer);
  assert.equal(record(committer), second, "they share an entry");
  assert.equal(second, first + 1);
  void committer.whenDurable(second, "second")?.then((answer) => left.push(answer as string));
  await turn();
  assert.equal(held.ended.length, 1, "one append at a time");
  assert.deepEqual(left, []);
  held.ended[0]?.({ is: "ok", seq: first });
  await turn();
  assert.deepEqual(left, ["first"]);
  held.ended[1]?.({ is: "ok", seq: second });
  await turn();
  assert.deepEqual(left, ["first", "second"]);
  assert.equal(committer.whenDurable(second, "again"), undefined);
  assert.ok(committer.isIdle);
});

test("when the log does not take an entry its owner is told once, and then all who wait or come to wait", async () => {
  const { committer, held, failures } = open();
  const wait = committer.whenDurable(record(committer), undefined);
  await turn();
  held.ended[0]?.(failure);
  await turn();
  assert.deepEqual(failures, [failure]);
  committer.fail(failure);
  await assert.rejects(wait as Promise<unknown>, isThatFailure);
  await assert.rejects(committer.whenDurable(1, undefined) as Promise<unknown>, isThatFailure);
});

test("an append that ends after all was given up makes nothing durable, and is no second failure", async () => {
  for (const end of [{ is: "ok", seq: 1 } as const, new Error("late")]) {
    const { committer, held, failures } = open();
    const wait = committer.whenDurable(record(committer), undefined) as Promise<unknown>;
    await turn();
    committer.fail(failure);
    await assert.rejects(wait, isThatFailure);
    held.ended[0]?.(end);
    record(committer);
    await turn();
    assert.equal(committer.durableSeq, 0);
    assert.equal(held.ended.length, 1, "nothing more is appended");
    assert.deepEqual(failures, []);
  }
});

test("an owner that came before is a failure, too", async () => {
  const { committer, held, failures } = open();
  record(committer);
  await turn();
  held.ended[0]?.({ is: "conflict", tail: 7 });
  await turn();
  assert.ok(isFault(failures[0], "LogFenced"));
});
