import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type WorkerEvents, WorkerPool } from "./worker-pool.ts";

interface Started {
  place: number;
  events: WorkerEvents;
  signals: string[];
}

function givenPool() {
  const clock = new VirtualClock(0);
  const started: Started[] = [];
  const said: string[] = [];
  const pool = new WorkerPool({
    clock,
    graceMs: 10_000,
    say: (line) => said.push(line),
    start: (place, events) => {
      const signals: string[] = [];
      started.push({ place, events, signals });
      return { signal: (name) => signals.push(name) };
    },
  });
  const worker = (index: number) => started[index] as Started;
  return { clock, started, said, pool, worker };
}

test("the newest workers are drained first, and their numbers are free when they are gone", () => {
  const { pool, started, worker } = givenPool();
  pool.resize(3);
  pool.resize(1);
  assert.deepEqual(
    started.map(({ place, signals }) => `${place} ${signals}`),
    ["1 ", "2 SIGTERM", "3 SIGTERM"],
  );
  assert.deepEqual([pool.running, pool.draining], [1, 2]);
  worker(2).events.ended("exit code 0");
  pool.resize(3);
  assert.deepEqual(
    started.slice(3).map(({ place }) => place),
    [3, 4],
  );
  assert.equal(pool.crashed, 0);
});

test("a worker that does not end is killed after the grace period, and not before", async () => {
  const { pool, clock, worker, said } = givenPool();
  pool.resize(1);
  pool.resize(0);
  await clock.advance(9999);
  assert.deepEqual(worker(0).signals, ["SIGTERM"]);
  await clock.advance(1);
  assert.deepEqual(worker(0).signals, ["SIGTERM", "SIGKILL"]);
  assert.match(said[0] ?? "", /did not end within 10 s/);
});

test("a crashed worker is started again after pauses that double, and begins anew when it was well", async () => {
  const { pool, clock, started, worker, said } = givenPool();
  pool.resize(1);
  for (const pauseMs of [500, 1000, 2000, 4000]) {
    worker(started.length - 1).events.ended("exit code 1");
    assert.deepEqual([pool.running, pool.crashed], [0, 1]);
    const count = started.length;
    await clock.advance(pauseMs - 1);
    assert.equal(started.length, count);
    await clock.advance(1);
    assert.equal(started.length, count + 1);
  }
  worker(started.length - 1).events.complained("no such table");
  worker(started.length - 1).events.ended("exit code 1");
  assert.deepEqual(said.slice(-2), ["Worker 1 has ended 5 times in a row. Its last words:", "  no such table"]);
  await clock.advance(8000);
  await clock.advance(30_000);
  worker(started.length - 1).events.ended("killed by SIGKILL");
  assert.match(said.at(-1) ?? "", /again in 0.5 s/);
});

test("stopping drains all, starts nothing again, and ends when the last one has", async () => {
  const { pool, clock, started, worker } = givenPool();
  pool.resize(3);
  worker(1).events.ended("exit code 1");
  let isOver = false;
  const stopped = pool.stop().then(() => {
    isOver = true;
  });
  worker(0).events.ended("exit code 0");
  await clock.advance(5000);
  assert.equal(isOver, false);
  worker(2).events.ended("killed by SIGTERM");
  await stopped;
  pool.resize(2);
  await clock.advance(60_000);
  assert.equal(started.length, 3);
});

test("open breakers are those of the workers that are wanted and alive", () => {
  const { pool, worker } = givenPool();
  pool.resize(3);
  worker(0).events.breakersOpen(1);
  worker(1).events.breakersOpen(1);
  worker(2).events.breakersOpen(2);
  assert.equal(pool.openBreakers, 4);
  worker(0).events.breakersOpen(0);
  worker(1).events.ended("exit code 1");
  assert.equal(pool.openBreakers, 2);
  pool.resize(2);
  assert.equal(pool.openBreakers, 0);
});
