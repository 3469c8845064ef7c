// What a function is called with: the record's shape, batch sizes, windows, the size of a request, filters.

import assert from "node:assert/strict";
import { test } from "node:test";
import { done, MappingWorld, numbered } from "./mapping-world.ts";

const SECOND = 1000;
const MiB = 1024 * 1024;

test("a message reaches the function at once, as the record that AWS sends", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("orders");
  await world.map("orders");
  await world.advance(7 * SECOND);
  const attributes = [
    { name: "Author", dataType: "String", value: "Ada" },
    { name: "Raw", dataType: "Binary", value: Buffer.from("raw") },
  ];
  const [messageId] = await world.send("orders", ['{"a":1}'], { attributes });
  await world.settle();

  const [call] = world.calls;
  const [record] = call?.records ?? [];
  assert.equal(call?.atMs, 7 * SECOND);
  assert.equal(typeof record?.receiptHandle, "string");
  const sentAt = String(Date.UTC(2026, 0, 1) + 7 * SECOND);
  assert.deepEqual(
    { ...record, receiptHandle: "" },
    {
      messageId,
      receiptHandle: "",
      body: '{"a":1}',
      attributes: {
        ApproximateReceiveCount: "1",
        SentTimestamp: sentAt,
        SenderId: "AIDA",
        ApproximateFirstReceiveTimestamp: sentAt,
      },
      messageAttributes: {
        Author: { stringValue: "Ada", stringListValues: [], binaryListValues: [], dataType: "String" },
        Raw: { binaryValue: "cmF3", stringListValues: [], binaryListValues: [], dataType: "Binary" },
      },
      md5OfMessageAttributes: "dd024bfd691cbbb1edc46ec02b3927f2",
      md5OfBody: "bb6cb5c68df4652941caf652a366f2d8",
      eventSource: "aws:sqs",
      eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:orders",
      awsRegion: "us-east-1",
    },
  );
  assert.deepEqual(await world.peek("orders"), [], "it was deleted");
  await world.stop();
});

test("a record without message attributes has no digest of them, and one of a FIFO queue has its three attributes", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("orders.fifo");
  await world.map("orders.fifo");
  await world.send("orders.fifo", ["a"], { group: "g" });
  await world.settle();
  const [record] = world.calls[0]?.records ?? [];
  assert.equal(record !== undefined && "md5OfMessageAttributes" in record, false);
  assert.equal(record?.attributes["MessageGroupId"], "g");
  assert.equal(record?.attributes["MessageDeduplicationId"], "0-a");
  assert.match(record?.attributes["SequenceNumber"] ?? "", /^\d{20}$/);
  await world.stop();
});

test("without a window, batches are as large as what is there, up to ten", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("orders");
  await world.send("orders", numbered("m", 23));
  await world.map("orders");
  assert.deepEqual(
    world.calls.map(({ records }) => records.length).sort((a, b) => a - b),
    [3, 10, 10],
  );
  await world.send("orders", ["one"]);
  await world.settle();
  assert.equal(world.calls.length, 4);
  await world.stop();
});

test("with a window, what trickles in becomes one batch when the window is over", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("orders");
  await world.map("orders", { batchSize: 100, batchingWindowMs: 5 * SECOND });
  await world.advance(2 * SECOND);
  for (const body of ["a", "b", "c"]) {
    await world.send("orders", [body]);
    await world.advance(SECOND);
  }
  assert.equal(world.calls.length, 0);
  await world.advance(2 * SECOND);
  assert.deepEqual(world.story, [[7 * SECOND, "a#1 b#1 c#1"]]);
  await world.stop();
});

test("a batch of a thousand is gathered from many receives, and goes out before its window is over", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("orders");
  await world.send("orders", numbered("m", 2500));
  await world.map("orders", { batchSize: 1000, batchingWindowMs: 60 * SECOND });
  assert.deepEqual(
    world.calls.map(({ records }) => records.length),
    [1000, 1000],
  );
  await world.advance(60 * SECOND);
  assert.deepEqual(
    world.calls.map(({ records }) => records.length),
    [1000, 1000, 500],
  );
  assert.deepEqual(await world.peek("orders"), []);
  await world.stop();
});

test("a batch is cut at six megabytes, and what did not fit follows without being received again", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("orders");
  const bodies = numbered("", 14).map((name) => name.padEnd(MiB - 2048, "."));
  for (const body of bodies) await world.send("orders", [body]);
  await world.map("orders", { batchSize: 100, batchingWindowMs: SECOND });
  await world.advance(5 * SECOND);
  const seen = world.calls.flatMap(({ records }) => records);
  assert.equal(seen.length, 14);
  assert.deepEqual(new Set(seen.map(({ attributes }) => attributes["ApproximateReceiveCount"])), new Set(["1"]));
  for (const { payloadBytes } of world.calls) assert.ok(payloadBytes <= 6 * MiB, String(payloadBytes));
  assert.ok(world.calls.some(({ payloadBytes }) => payloadBytes > 5 * MiB));
  assert.deepEqual(await world.peek("orders"), []);
  await world.stop();
});

test("window and function timeout together may not outlast what a message is held for", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("orders", { VisibilityTimeout: "10" });
  world.functionTimeoutMs = 9 * SECOND;
  world.callMs = 8 * SECOND;
  await world.map("orders", { batchSize: 100, batchingWindowMs: 5 * SECOND });
  await world.send("orders", ["a"]);
  await world.settle();
  const [message] = await world.peek("orders");
  assert.equal((message?.visibleAtMs ?? 0) - Date.UTC(2026, 0, 1), (5 + 9 + 30) * SECOND);
  await world.advance(60 * SECOND);
  assert.equal(world.calls.length, 1);
  assert.deepEqual(await world.peek("orders"), []);
  await world.stop();
});

test("messages that match no filter are deleted and never seen; they take no place in a batch", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("orders");
  const wanted = ['{"kind":"paid","amount":5}', '{"kind":"paid","amount":500}', "plain"];
  await world.send("orders", [
    wanted[0] as string,
    '{"kind":"open"}',
    wanted[1] as string,
    "other",
    wanted[2] as string,
  ]);
  await world.map("orders", {
    filters: ['{"body":{"kind":["paid"]}}', '{"body":["plain"]}'],
    batchSize: 3,
    batchingWindowMs: SECOND,
  });
  await world.advance(SECOND);
  assert.deepEqual(
    world.calls.map(({ records }) => records.map(({ body }) => body).sort()),
    [[...wanted].sort()],
  );
  assert.deepEqual(await world.peek("orders"), []);
  assert.equal(world.report().counts.filteredOut, 2);
  await world.stop();
});

test("filters look at the body by what it is, and at metadata", async () => {
  const cases: [filter: string, body: string, passes: boolean][] = [
    ['{"body":{"n":[{"numeric":[">",10]}]}}', '{"n":11}', true],
    ['{"body":{"n":[{"numeric":[">",10]}]}}', '{"n":9}', false],
    ['{"body":{"n":[11]}}', "plain", false],
    ['{"body":["plain"]}', '{"n":11}', false],
    ['{"body":["plain"]}', "plain", true],
    ['{"body":["12"]}', "12", true],
    ['{"body":[12]}', "12", true],
    ['{"messageAttributes":{"Author":{"stringValue":["Ada"]}}}', "anything", true],
    ['{"messageAttributes":{"Author":{"stringValue":["Bob"]}}}', "anything", false],
    ['{"attributes":{"SenderId":[{"prefix":"AI"}]}}', "{}", true],
  ];
  for (const [filter, body, passes] of cases) {
    const world = await MappingWorld.start();
    await world.createQueue("orders");
    await world.map("orders", { filters: [filter] });
    await world.send("orders", [body], { attributes: [{ name: "Author", dataType: "String", value: "Ada" }] });
    await world.settle();
    assert.equal(world.calls.length === 1, passes, `${filter} of ${body}`);
    assert.deepEqual(await world.peek("orders"), []);
    await world.stop();
  }
});

test("filters that cannot be read take nothing from the queue", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("orders");
  await world.send("orders", ["a"]);
  await world.map("orders", { filters: ['{"body":"no list"}'] });
  await world.advance(SECOND);
  assert.equal((await world.peek("orders"))[0]?.receiveCount, 0);
  assert.equal(world.report().lastErrors[0]?.kind, "BadFilter");
  await world.stop();
});

test("an idle mapping is long polls, and nothing but long polls", async () => {
  const world = await MappingWorld.start();
  await world.createQueue("orders");
  world.handler = () => done;
  await world.map("orders");
  const waiting = () => world.host.status().shards[0]?.waitingReceives;
  assert.equal(waiting(), 2);
  const before = world.pollers.steps;
  await world.advance(60 * SECOND);
  // Every twenty seconds each lane waits anew, and that is all.
  assert.equal(world.pollers.steps - before, 6);
  await world.send("orders", ["a"]);
  await world.settle();
  assert.equal(world.calls.length, 1);
  assert.equal(waiting(), 5, "it is awake");
  await world.advance(6 * 60 * SECOND);
  assert.equal(waiting(), 2, "and sleeps again");
  await world.stop();
});
