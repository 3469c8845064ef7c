// Mappings that are made, changed, switched and deleted while they work: what is under way ends as it began, and the
// states that say so.

import assert from "node:assert/strict";
import { test } from "node:test";
import { done, FUNCTION, MappingWorld, numbered, throttled } from "./mapping-world.ts";

const SECOND = 1000;

test("a new mapping is Enabled as soon as it polls, and a mapping made as Disabled never polls", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in");
  await world.map("in");
  assert.deepEqual(world.reached, [["m", "Enabled"]]);
  assert.equal(world.pollers.report("m")?.mapping.state, "Enabled", "and what tells of it says so");
  await world.map("in", { state: "Enabled" });
  assert.deepEqual(world.reached, [["m", "Enabled"]], "a state that is no transition is not told of");
  await world.stop();

  const off = await MappingWorld.start();
  await off.createQueue("in");
  await off.send("in", ["a"]);
  await off.map("in", { state: "Disabled" });
  await off.advance(60 * SECOND);
  assert.equal(off.calls.length, 0);
  assert.equal(off.host.status().shards[0]?.waitingReceives, 0);
  await off.stop();
});

test("switched off in the middle of a call, a mapping is Disabled when the call has ended and its message is deleted", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in");
  world.callMs = 10 * SECOND;
  await world.map("in", { batchSize: 1 });
  await world.send("in", numbered("m", 8));
  await world.advance(SECOND / 2);
  await world.map("in", { batchSize: 1, state: "Disabling" });
  assert.equal(world.host.status().shards[0]?.waitingReceives, 0);
  await world.advance(9 * SECOND);
  assert.equal(world.reached.length, 1, "not yet");
  await world.advance(SECOND / 2);
  assert.deepEqual(world.reached.at(-1), ["m", "Disabled"]);
  await world.advance(60 * SECOND);
  const left = await world.peek("in");
  assert.equal(left.length, 3);
  assert.ok(left.every(({ receiveCount }) => receiveCount === 0));
  await world.stop();
});

test("a batch that is being gathered goes out when the mapping is switched off", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in");
  await world.map("in", { batchSize: 100, batchingWindowMs: 60 * SECOND });
  await world.send("in", ["a", "b"]);
  await world.advance(SECOND);
  assert.equal(world.calls.length, 0);
  await world.map("in", { batchSize: 100, batchingWindowMs: 60 * SECOND, state: "Disabling" });
  assert.deepEqual(world.story, [[SECOND, "a#1 b#1"]]);
  assert.deepEqual(await world.peek("in"), []);
  assert.deepEqual(world.reached.at(-1), ["m", "Disabled"]);
  await world.stop();
});

test("a batch that waits out a throttle is let go when the mapping is switched off", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in", { VisibilityTimeout: "600" });
  world.handler = () => throttled;
  await world.map("in");
  await world.send("in", ["a"]);
  await world.advance(SECOND);
  await world.map("in", { state: "Disabling" });
  await world.advance(5 * SECOND);
  assert.deepEqual(world.reached.at(-1), ["m", "Disabled"]);
  assert.equal((await world.peek("in")).length, 1);
  await world.stop();
});

test("off and on again while a call runs: the call ends, and nothing is called twice", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in");
  world.callMs = 5 * SECOND;
  await world.map("in", { batchSize: 1 });
  await world.send("in", ["a"]);
  await world.advance(SECOND);
  await world.map("in", { batchSize: 1, state: "Disabling" });
  await world.map("in", { batchSize: 1, state: "Enabling" });
  assert.deepEqual(world.reached.at(-1), ["m", "Enabled"]);
  await world.send("in", ["b"]);
  await world.advance(10 * SECOND);
  assert.deepEqual(world.story, [
    [0, "a#1"],
    [SECOND, "b#1"],
  ]);
  assert.deepEqual(await world.peek("in"), []);
  await world.stop();
});

test("after an update what is under way ends with the old function, what comes goes to the new one at once", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in");
  world.callMs = 5 * SECOND;
  await world.map("in", { batchSize: 1 });
  await world.send("in", ["a"]);
  await world.advance(SECOND);
  await world.map("in", { batchSize: 2, functionArn: `${FUNCTION}:2`, state: "Updating" });
  assert.equal(world.reached.length, 1, "one batch is still of the old kind");
  await world.send("in", ["b", "c"]);
  await world.advance(3 * SECOND);
  assert.deepEqual(
    world.calls.map(({ functionArn, records }) => [functionArn, records.length]),
    [
      [FUNCTION, 1],
      [`${FUNCTION}:2`, 2],
    ],
  );
  assert.equal(world.reached.length, 1);
  await world.advance(SECOND);
  assert.deepEqual(world.reached.at(-1), ["m", "Enabled"]);
  await world.advance(10 * SECOND);
  assert.deepEqual(await world.peek("in"), []);
  await world.stop();
});

test("a lower maximum concurrency holds for what begins after it", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in", { VisibilityTimeout: "600" });
  await world.send("in", numbered("m", 40));
  world.callMs = 2 * SECOND;
  await world.map("in", { batchSize: 1 });
  await world.advance(SECOND);
  assert.equal(world.running, 10);
  await world.map("in", { batchSize: 1, maximumConcurrency: 2, state: "Updating" });
  world.runningMax = 0;
  await world.advance(3 * SECOND);
  assert.ok(world.running <= 2);
  await world.advance(60 * SECOND);
  assert.deepEqual(await world.peek("in"), []);
  await world.stop();
});

test("a deleted mapping ends what it has, is told of, and is gone", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in");
  world.callMs = 5 * SECOND;
  await world.map("in", { batchSize: 1 });
  await world.send("in", ["a"]);
  await world.advance(SECOND);
  await world.map("in", { batchSize: 1, state: "Deleting" });
  assert.equal(world.reached.length, 1);
  await world.advance(5 * SECOND);
  assert.deepEqual(world.reached.at(-1), ["m", "Deleted"]);
  assert.equal(world.pollers.report("m"), undefined);
  assert.deepEqual(await world.peek("in"), []);
  await world.stop();
});

test("two mappings of one queue share its messages, each once", async () => {
  const world = await MappingWorld.start(4);
  await world.createQueue("in");
  world.handler = () => done;
  await world.map("in", { uuid: "one", batchSize: 1 });
  await world.map("in", { uuid: "two", batchSize: 1, functionArn: `${FUNCTION}-two` });
  for (let sent = 0; sent < 20; sent++) {
    await world.send("in", [`m${sent}`]);
    await world.advance(10);
  }
  assert.equal(world.calls.length, 20);
  assert.equal(new Set(world.calls.map(({ records }) => records[0]?.messageId)).size, 20);
  assert.equal(new Set(world.calls.map(({ functionArn }) => functionArn)).size, 2);
  await world.stop();
});

test("on stop nothing more is received, what is under way has its time, and what takes longer comes back later", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in", { VisibilityTimeout: "60" });
  world.callMs = 5 * SECOND;
  await world.map("in", { batchSize: 1 });
  await world.send("in", ["a"]);
  await world.settle();
  world.callMs = 50 * SECOND;
  await world.send("in", ["b"]);
  await world.settle();
  const stopped = world.pollers.stop(10 * SECOND);
  await world.send("in", ["c"]);
  await world.advance(11 * SECOND);
  await stopped;
  const left = await world.peek("in");
  assert.deepEqual(
    left.map(({ content, receiveCount }) => [Buffer.from(content.body).toString(), receiveCount]),
    [
      ["b", 1],
      ["c", 0],
    ],
  );
  await world.host.stop();
});
