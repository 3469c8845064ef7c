// How many batches are under way at once: the start, the ramp, what stops it, limits, and what a limit costs the
// messages that wait (nothing).

import assert from "node:assert/strict";
import { test } from "node:test";
import { done, failed, MappingWorld, numbered, throttled } from "./mapping-world.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

test("a mapping begins with five batches at once and adds five a second while there is a backlog", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in", { VisibilityTimeout: "3600" });
  await world.send("in", numbered("m", 2000));
  world.callMs = 30 * MINUTE;
  await world.map("in", { batchSize: 1 });
  assert.equal(world.running, 5);
  const running: number[] = [];
  for (let second = 1; second <= 4; second++) {
    await world.advance(SECOND);
    running.push(world.running);
  }
  assert.deepEqual(running, [10, 15, 20, 25]);
  await world.advance(MINUTE - 4 * SECOND);
  assert.equal(world.running, 305, "300 more in a minute");
  await world.advance(5 * MINUTE);
  assert.equal(world.running, 1250, "the ceiling");
  // The rest has not been touched.
  const waiting = (await world.peek("in", 2000)).filter(({ receiveCount }) => receiveCount === 0);
  assert.equal(waiting.length, 750);
  await world.stop();
});

test("it adds no more than the backlog needs, and none while the lanes there are will soon be through", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in", { VisibilityTimeout: "3600" });
  await world.send("in", numbered("m", 7));
  world.callMs = 10 * MINUTE;
  await world.map("in", { batchSize: 1 });
  await world.advance(10 * SECOND);
  assert.equal(world.report().lanes.target, 7);
  await world.stop();

  const quick = await MappingWorld.start();
  await quick.createQueue("in");
  quick.callMs = 10;
  await quick.map("in", { batchSize: 1 });
  for (let second = 0; second < 5; second++) {
    await quick.send("in", numbered("m", 450));
    await quick.advance(SECOND);
  }
  assert.equal(quick.report().lanes.target, 5);
  await quick.stop();
});

test("when nothing comes any more, a mapping returns to five lanes", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in");
  await world.send("in", numbered("m", 400));
  world.callMs = SECOND;
  await world.map("in", { batchSize: 1 });
  await world.advance(3 * SECOND);
  assert.ok(world.report().lanes.target > 5);
  await world.advance(MINUTE);
  assert.deepEqual(await world.peek("in"), []);
  assert.deepEqual(world.report().lanes, { target: 5, calling: 0, waiting: 5 });
  assert.equal(world.host.status().shards[0]?.waitingReceives, 5);
  await world.stop();
});

test("S10: what maximum concurrency holds back waits in the queue and loses no receive count", async () => {
  const world = await MappingWorld.start();
  await world.createQueueWithDeadLetters("in", 3, { VisibilityTimeout: "12" });
  await world.send("in", numbered("m", 60));
  world.callMs = 2 * SECOND;
  await world.map("in", { batchSize: 1, maximumConcurrency: 2 });
  await world.advance(30 * SECOND);
  assert.equal(world.runningMax, 2);
  const counts = (await world.peek("in")).map(({ receiveCount }) => receiveCount);
  assert.equal(counts.filter((count) => count === 0).length, counts.length - 2, "only what is worked on is counted");
  await world.advance(31 * SECOND);
  assert.deepEqual(await world.peek("in"), []);
  assert.deepEqual(await world.peek("dead"), []);
  assert.equal(world.calls.length, 60);
  for (const { records } of world.calls) assert.equal(records[0]?.attributes["ApproximateReceiveCount"], "1");
  await world.stop();
});

test("S10: what reserved concurrency turns away does lose receive counts", async () => {
  const world = await MappingWorld.start();
  await world.createQueueWithDeadLetters("in", 3, { VisibilityTimeout: "12" });
  await world.send("in", numbered("m", 60));
  world.callMs = 2 * SECOND;
  world.handler = () => (world.running >= 1 ? throttled : done);
  await world.map("in", { batchSize: 1 });
  await world.advance(5 * MINUTE);
  const counts = world.calls.map(({ records }) => Number(records[0]?.attributes["ApproximateReceiveCount"]));
  assert.ok(Math.max(...counts) > 1, "some were received again");
  const called = world.calls.map(({ records }) => records[0]?.messageId);
  const dead = (await world.peek("dead")).map(({ messageId }) => messageId);
  assert.equal(new Set([...called, ...dead]).size, 60, "and none is lost");
  assert.deepEqual(await world.peek("in"), []);
  await world.stop();
});

test("failing batches shrink a mapping step by step, partial failures do not", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in", { VisibilityTimeout: "1" });
  world.handler = () => failed("Error", "down");
  await world.map("in", { batchSize: 1 });
  await world.send("in", numbered("m", 100));
  const targets: number[] = [];
  for (let second = 0; second < 4; second++) {
    await world.advance(SECOND);
    targets.push(world.report().lanes.target);
  }
  assert.deepEqual(targets, [4, 3, 2, 2]);
  await world.stop();

  const partly = await MappingWorld.start();
  await partly.createQueue("in", { VisibilityTimeout: "1" });
  partly.handler = (records) => ({ json: { batchItemFailures: [{ itemIdentifier: records[0]?.messageId }] } });
  await partly.map("in", { batchSize: 2, reportsBatchItemFailures: true });
  await partly.send("in", numbered("m", 100));
  await partly.advance(4 * SECOND);
  assert.ok(partly.report().lanes.target >= 5);
  await partly.stop();
});

test("provisioned pollers carry ten calls each, from their minimum to their maximum", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in", { VisibilityTimeout: "3600" });
  await world.send("in", numbered("m", 500));
  world.callMs = 30 * MINUTE;
  await world.map("in", { batchSize: 1, provisionedPollers: { minimum: 2, maximum: 10 } });
  assert.equal(world.running, 20);
  await world.advance(SECOND);
  assert.equal(world.running, 36, "a thousand more in a minute");
  await world.advance(MINUTE);
  assert.equal(world.running, 100);
  await world.stop();
});

test("S11: switched off, a mapping leaves the backlog alone; nothing is dead-lettered, all is worked off afterwards", async () => {
  const world = await MappingWorld.start();
  await world.createQueueWithDeadLetters("in", 3, { VisibilityTimeout: "20" });
  let isDown = true;
  world.handler = () => (isDown ? failed("Error", "connect ECONNREFUSED") : done);
  await world.map("in", { batchSize: 1 });
  await world.send("in", numbered("m", 50));
  await world.advance(SECOND);
  await world.map("in", { batchSize: 1, state: "Disabling" });
  assert.deepEqual(world.reached.at(-1), ["m", "Disabled"]);
  await world.map("in", { batchSize: 1, state: "Disabled" });
  const callsBefore = world.calls.length;
  await world.advance(10 * MINUTE);
  assert.equal(world.calls.length, callsBefore);
  assert.equal((await world.peek("in")).length, 50);
  isDown = false;
  await world.map("in", { batchSize: 1, state: "Enabling" });
  await world.advance(MINUTE);
  assert.deepEqual(await world.peek("in"), []);
  assert.deepEqual(await world.peek("dead"), []);
  await world.stop();
});
