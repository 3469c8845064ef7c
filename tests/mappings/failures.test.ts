// What becomes of messages whose function fails, in every way it can: the whole batch, some of it, an answer that
// nobody can read, throttling, a FIFO queue's groups, a queue that is gone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, done, failed, failuresIn, keyOf, MappingWorld, numbered, throttled } from "./mapping-world.ts";

const SECOND = 1000;
const MiB = 1024 * 1024;
const DEAD_LETTER_VISIBILITY = { VisibilityTimeout: "2" };

test("C072: a function that fails is called maxReceiveCount times, a visibility timeout apart, then the DLQ has the message", async () => {
  const world = await MappingWorld.start();
  await world.createQueueWithDeadLetters("in", 3, DEAD_LETTER_VISIBILITY);
  world.handler = () => failed("Error", "no");
  await world.map("in", { batchSize: 1 });
  const [messageId] = await world.send("in", ["m"]);
  await world.advance(15 * SECOND);
  assert.deepEqual(world.story, [
    [0, "m#1"],
    [2 * SECOND, "m#2"],
    [4 * SECOND, "m#3"],
  ]);
  const [dead] = await world.peek("dead");
  assert.equal(dead?.messageId, messageId);
  assert.equal(world.pollers.reasonOf(messageId as string)?.reason, "Error: no");
  await world.stop();
});

test("C070: of a batch only the messages that the answer lists stay", async () => {
  const world = await MappingWorld.start();
  await world.createQueueWithDeadLetters("in", 2, { VisibilityTimeout: "3" });
  await world.send("in", ["ok1", "bad1", "ok2"]);
  world.handler = (records) => failuresIn(records, (body) => body.startsWith("bad"));
  await world.map("in", { batchSize: 5, reportsBatchItemFailures: true });
  await world.advance(20 * SECOND);
  assert.deepEqual(world.story, [
    [0, "ok1#1 bad1#1 ok2#1"],
    [3 * SECOND, "bad1#2"],
  ]);
  assert.deepEqual(await world.bodiesIn("dead"), ["bad1"]);
  assert.deepEqual(await world.bodiesIn("in"), []);
  const { counts, failures } = world.report();
  assert.deepEqual([counts.deleted, counts.failed, counts.batchesPartlyFailed, counts.batchesFailed], [2, 2, 2, 0]);
  assert.deepEqual(failures, [{ kind: "BatchItemFailure", messages: 2 }]);
  await world.stop();
});

test("C070: without ReportBatchItemFailures the answer is ignored", async () => {
  const world = await MappingWorld.start();
  await world.createQueueWithDeadLetters("in", 2, { VisibilityTimeout: "3" });
  await world.send("in", ["ok1", "bad1", "ok2"]);
  world.handler = (records) => failuresIn(records, (body) => body.startsWith("bad"));
  await world.map("in", { batchSize: 5 });
  await world.advance(20 * SECOND);
  assert.equal(world.calls.length, 1);
  assert.deepEqual(await world.bodiesIn("in"), []);
  assert.deepEqual(await world.bodiesIn("dead"), []);
  await world.stop();
});

const UNREADABLE: [string, Answer][] = [
  ["an empty identifier", { json: { batchItemFailures: [{ itemIdentifier: "" }] } }],
  ["a null identifier", { json: { batchItemFailures: [{ itemIdentifier: null }] } }],
  ["another key", { json: { batchItemFailures: [{ messageId: "a" }] } }],
  ["an id of another batch", { json: { batchItemFailures: [{ itemIdentifier: "73c0b1f6" }] } }],
  ["a text for a list", { json: { batchItemFailures: "all" } }],
  ["an entry that is null", { json: { batchItemFailures: [null] } }],
  ["text that is not JSON", { payload: "oops" }],
  ["a list", { json: ["a"] }],
  ["a thrown error", failed("Error", "thrown")],
  ["a timeout", failed("Sandbox.Timedout", "Task timed out after 1.00 seconds")],
  ["no function", { is: "failed", reason: "There is no function worker." }],
];
const EMPTY: [string, Answer][] = [
  ["an empty object", { json: {} }],
  ["null", { json: null }],
  ["nothing", { payload: "" }],
  ["an empty list", { json: { batchItemFailures: [] } }],
  ["a null list", { json: { batchItemFailures: null } }],
  ["other keys alone", { json: { statusCode: 200 } }],
];

test("C071: an answer that cannot be read fails the whole batch, an empty one succeeds", async () => {
  for (const [answers, survives] of [
    [UNREADABLE, true],
    [EMPTY, false],
  ] as const) {
    for (const [what, answer] of answers) {
      const world = await MappingWorld.start();
      await world.createQueueWithDeadLetters("in", 1, { VisibilityTimeout: "2" });
      await world.send("in", ["a", "b"]);
      world.handler = () => answer;
      await world.map("in", { reportsBatchItemFailures: true });
      await world.advance(5 * SECOND);
      assert.equal(world.calls.length, 1, what);
      assert.deepEqual(await world.bodiesIn("dead"), survives ? ["a", "b"] : [], what);
      assert.deepEqual(await world.bodiesIn("in"), [], what);
      await world.stop();
    }
  }
});

test("S1: a payment is charged three times by a worker that fails after charging, and never again", async () => {
  const world = await MappingWorld.start();
  await world.createQueueWithDeadLetters("payments", 3, { VisibilityTimeout: "2" });
  let charges = 0;
  world.handler = () => {
    charges += 1;
    return failed("Sandbox.Timedout", "Task timed out after 2.00 seconds");
  };
  world.functionTimeoutMs = 2 * SECOND;
  await world.map("payments");
  const body = '{"orderId":"o-1","amount":4200}';
  await world.send("payments", [body]);
  await world.advance(60 * SECOND);
  assert.equal(charges, 3);
  assert.deepEqual(
    world.calls.map(({ atMs }) => atMs),
    [0, 2 * SECOND, 4 * SECOND],
  );
  assert.deepEqual(await world.bodiesIn("dead"), [body]);
  assert.deepEqual(world.report().failures, [{ kind: "Sandbox.Timedout", messages: 3 }]);
  await world.stop();
});

test("S4: all or nothing charges the first payment again and again, partial failures charge two, once", async () => {
  const payments = ['{"id":1,"amount":10}', '{"id":2,"amount":-5}', '{"id":3,"amount":20}'];
  const amountOf = (body: string) => (JSON.parse(body) as { amount: number }).amount;

  const world = await MappingWorld.start();
  await world.createQueueWithDeadLetters("payments", 3, { VisibilityTimeout: "10" });
  const charged: number[] = [];
  world.handler = (records) => {
    for (const { body } of records) {
      if (amountOf(body) < 0) return failed("RangeError", "amount is negative");
      charged.push(amountOf(body));
    }
    return done;
  };
  await world.send("payments", payments);
  await world.map("payments");
  await world.advance(120 * SECOND);
  assert.deepEqual(charged, [10, 10, 10]);
  assert.equal((await world.peek("dead")).length, 3);
  await world.stop();

  const better = await MappingWorld.start();
  await better.createQueueWithDeadLetters("payments", 3, { VisibilityTimeout: "10" });
  const ledger = new Map<string, number>();
  better.handler = (records) => {
    for (const { body, messageId } of records) {
      if (amountOf(body) >= 0 && !ledger.has(messageId)) ledger.set(messageId, amountOf(body));
    }
    return failuresIn(records, (body) => amountOf(body) < 0);
  };
  await better.send("payments", payments);
  await better.map("payments", { reportsBatchItemFailures: true });
  await better.advance(120 * SECOND);
  assert.deepEqual([...ledger.values()], [10, 20]);
  assert.deepEqual(await better.bodiesIn("dead"), [payments[1]]);
  assert.equal(better.calls.length, 3);
  await better.stop();
});

test("FIFO: what failed and what follows it in its group come back in order, and other groups flow meanwhile", async () => {
  const world = await MappingWorld.start();
  await world.createQueueWithDeadLetters("in.fifo", 3, { VisibilityTimeout: "5" });
  await world.send("in.fifo", ["1", "2", "3", "4"], { group: "a" });
  let fails = 2;
  world.handler = (records) => {
    const at = records.findIndex(({ body }) => body === "2");
    if (at === -1 || fails === 0) return done;
    fails -= 1;
    const after = new Set(records.slice(at).map(({ body }) => body));
    return failuresIn(records, (body) => after.has(body));
  };
  await world.map("in.fifo", { reportsBatchItemFailures: true });
  await world.advance(SECOND);
  await world.send("in.fifo", ["x"], { group: "b" });
  await world.send("in.fifo", ["5"], { group: "a" });
  await world.advance(20 * SECOND);
  assert.deepEqual(world.story, [
    [0, "1#1 2#1 3#1 4#1"],
    [SECOND, "x#1"],
    [5 * SECOND, "2#2 3#2 4#2 5#1"],
    [10 * SECOND, "2#3 3#3 4#3 5#2"],
  ]);
  assert.deepEqual(await world.bodiesIn("in.fifo"), []);
  assert.deepEqual(await world.bodiesIn("dead.fifo"), []);
  await world.stop();
});

test("FIFO: one batch of a group is under way at a time, and groups run side by side", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in.fifo");
  for (const group of ["a", "b", "c"]) await world.send("in.fifo", numbered(group, 4), { group });
  world.callMs = SECOND;
  await world.map("in.fifo", { batchSize: 2 });
  await world.advance(20 * SECOND);
  const open = new Map<string, number>();
  const seen: Record<string, string[]> = { a: [], b: [], c: [] };
  for (const call of world.calls) {
    for (const group of new Set(call.records.map(({ attributes }) => attributes["MessageGroupId"] as string))) {
      assert.ok((open.get(group) ?? 0) <= call.atMs, `group ${group} has one batch at a time`);
      open.set(group, call.endedAtMs ?? 0);
    }
    for (const { body } of call.records) seen[body.slice(0, 1)]?.push(body);
  }
  assert.deepEqual(seen, { a: numbered("a", 4), b: numbered("b", 4), c: numbered("c", 4) });
  assert.ok(world.runningMax >= 2);
  await world.stop();
});

test("FIFO: what did not fit into a request waits for the batch before it, and goes back with its group if that fails", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in.fifo", { VisibilityTimeout: "10" });
  for (const name of numbered("", 8)) await world.send("in.fifo", [name.padEnd(MiB - 4096, ".")], { group: "a" });
  world.callMs = 6 * SECOND;
  let isFailing = true;
  world.handler = () => {
    if (!isFailing) return done;
    isFailing = false;
    return failed("Error", "the first time");
  };
  await world.map("in.fifo");
  await world.advance(60 * SECOND);
  const names = world.calls.map(({ records }) => records.map(({ body }) => body.slice(0, 1)).join(""));
  assert.deepEqual(names, ["012345", "012345", "67"]);
  // The rest was held anew when its turn came: six seconds are behind it and ten are before it.
  assert.deepEqual(
    world.calls.map(({ atMs }) => atMs),
    [0, 10 * SECOND, 16 * SECOND],
  );
  assert.deepEqual(await world.peek("in.fifo"), []);
  await world.stop();
});

test("a throttled batch is tried again with growing pauses, and is not received anew", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in", { VisibilityTimeout: "30" });
  let attempts = 0;
  world.handler = () => (++attempts <= 5 ? throttled : done);
  await world.map("in");
  await world.send("in", ["a"]);
  await world.advance(20 * SECOND);
  assert.deepEqual(world.story, [[100 + 200 + 400 + 800 + 1600, "a#1"]]);
  assert.equal(world.report().counts.throttles, 5);
  assert.deepEqual(await world.peek("in"), []);
  await world.stop();
});

test("a batch that stays throttled is let go when its visibility timeout is over, and counted once for each time", async () => {
  const world = await MappingWorld.start();
  await world.createQueueWithDeadLetters("in", 2, { VisibilityTimeout: "10" });
  world.handler = () => throttled;
  await world.map("in");
  const [id] = await world.send("in", ["a"]);
  await world.advance(5 * SECOND);
  assert.equal((await world.peek("in"))[0]?.receiveCount, 1);
  await world.advance(10 * SECOND);
  assert.equal((await world.peek("in"))[0]?.receiveCount, 2);
  await world.advance(10 * SECOND);
  assert.deepEqual(await world.bodiesIn("dead"), ["a"]);
  assert.equal(world.pollers.reasonOf(id as string)?.kind, "Throttled");
  assert.equal(world.calls.length, 0);
  await world.stop();
});

test("a queue that is gone is told of once, and polled again when it is back", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in");
  await world.map("in");
  await world.host.execute<"deleteQueue">({ kind: "deleteQueue", queue: keyOf("in") });
  await world.advance(60 * SECOND);
  const { lastErrors } = world.report();
  assert.deepEqual(
    lastErrors.map(({ kind, messages }) => [kind, messages]),
    [["QueueDoesNotExist", 0]],
  );
  await world.createQueue("in");
  await world.send("in", ["a"]);
  await world.advance(60 * SECOND);
  assert.equal(world.calls.length, 1);
  await world.stop();
});

test("reasons are kept for the last ten thousand messages, and forgotten of those that went well after all", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("in", { VisibilityTimeout: "5" });
  let isFailing = true;
  world.handler = () => (isFailing ? failed("Error", "not now") : done);
  await world.map("in", { batchSize: 1000, batchingWindowMs: SECOND });
  const ids = await world.send("in", numbered("m", 10_500));
  await world.advance(4 * SECOND);
  const known = () => ids.filter((id) => world.pollers.reasonOf(id) !== undefined).length;
  assert.equal(known(), 10_000);
  isFailing = false;
  await world.advance(60 * SECOND);
  assert.equal(known(), 0);
  await world.stop();
});
