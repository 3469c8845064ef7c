// Every story that the examples tell, on a virtual clock where no function runs, with what must be seen in it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { FunctionStage } from "../../examples/functions.ts";
import { story as s1 } from "../../examples/s1-charged-twice/story.ts";
import { story as s2 } from "../../examples/s2-heartbeat/story.ts";
import { story as s3 } from "../../examples/s3-fifo/story.ts";
import { story as s4 } from "../../examples/s4-poison-in-a-batch/story.ts";
import { story as s9 } from "../../examples/s9-flash-sale/story.ts";
import { story as s10 } from "../../examples/s10-throttled-consumer/story.ts";
import { story as s11Mapping } from "../../examples/s11-dead-downstream/mapping.ts";
import { story as s11 } from "../../examples/s11-dead-downstream/story.ts";
import { story as s15 } from "../../examples/s15-large-payload/story.ts";
import type { Stage } from "../../examples/stage.ts";
import { systemClock } from "../../src/base/clock.ts";
import { startMillpond } from "../../src/testing/index.ts";
import { withWorld } from "../consumer/world.ts";

const STEP_MS = 50;

/** Moves time until the story is over. */
async function told<Told>(story: (stage: Stage) => Promise<Told>): Promise<Told> {
  const holder: { told?: Told } = {};
  await withWorld(async ({ sqs, clock }) => {
    let isOver = false;
    const telling = story({ sqs, clock, say: () => undefined }).finally(() => {
      isOver = true;
    });
    telling.catch(() => undefined);
    while (!isOver) await clock.advance(STEP_MS);
    holder.told = await telling;
  });
  return holder.told as Told;
}

/** Functions are processes, which no virtual clock moves. */
async function toldInRealTime<Told>(story: (stage: FunctionStage) => Promise<Told>): Promise<Told> {
  const millpond = await startMillpond();
  const { endpoint, region, accessKeyId, secretAccessKey } = millpond;
  const choices = { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
  const [sqs, lambda] = [new SQSClient(choices), new LambdaClient(choices)];
  try {
    return await story({ sqs, lambda, clock: systemClock, say: () => undefined });
  } finally {
    sqs.destroy();
    lambda.destroy();
    await millpond.stop();
  }
}

test("s1: one message, received at 0, 2 and 4 s, then in the dead-letter queue", async () => {
  const { id, body, charges, dead } = await told(s1);
  assert.deepEqual(charges, [
    { id, receiveCount: 1, atSeconds: 0 },
    { id, receiveCount: 2, atSeconds: 2 },
    { id, receiveCount: 3, atSeconds: 4 },
  ]);
  assert.deepEqual(dead, [body]);
});

test("s2: nobody else sees it while the heart beats; a killed worker gives it back within 2 s", async () => {
  const { seenByOthers, done, back, backAfterMs } = await told(s2);
  assert.deepEqual([seenByOthers, done, back], [[0, 0, 0], 1, "render another film"]);
  assert.ok(backAfterMs > 0 && backAfterMs <= 2000, `${backAfterMs} ms`);
});

test("s3: the repeat answers with the first one's ids, and every order keeps its order", async () => {
  const { paid, paidAgain, first, second, worked } = await told(s3);
  assert.deepEqual(paidAgain, paid);
  assert.deepEqual(first, ["order-1 created", "order-1 paid", "order-1 shipped", "order-2 created"]);
  assert.deepEqual(second, ["order-3 created"]);
  const ofOrder1 = worked.filter((event) => event.startsWith("order-1"));
  assert.deepEqual(ofOrder1, ["order-1 created", "order-1 paid", "order-1 shipped", "order-1 closed"]);
  assert.equal(worked.length, 6);
});

test("s4: all or nothing charges the first thrice and the third never; partial failures charge two", async () => {
  const { allOrNothing, partial } = await told(s4);
  assert.deepEqual(allOrNothing.charges, ["first", "first", "first"]);
  assert.deepEqual(allOrNothing.dead.length, 3);
  assert.deepEqual(partial, { charges: ["first", "third"], dead: ["second"] });
});

test("s9: no write is refused or lost, and the rate is never exceeded", async () => {
  const { sent, written, refused, writesPerSecondMax, depths } = await told(s9);
  assert.equal(sent, 1200);
  assert.deepEqual([written, refused], [1200, 0]);
  assert.ok(writesPerSecondMax <= 200);
  assert.ok(Math.max(...depths) > 700, String(depths));
  assert.equal(depths.at(-1), 0);
});

test("s11: a dead minute puts nothing into the dead-letter queue, and all is worked off", async () => {
  const { done, dead, deadWhileOpen, left, callsWhileDead } = await told(s11);
  assert.deepEqual({ done, dead, deadWhileOpen, left }, { done: 50, dead: 0, deadWhileOpen: 0, left: 0 });
  assert.ok(callsWhileDead < 30, `${callsWhileDead} calls`);
});

test("s10: what maximum concurrency holds back is received once, and nothing of it is lost", async () => {
  const { maximum, reserved } = await toldInRealTime(s10);
  assert.deepEqual(maximum, { finished: 24, again: 0, dead: 0 });
  assert.equal(reserved.finished + reserved.dead, 24);
});

test("s11: a mapping that is switched off leaves the backlog alone, and works all of it off afterwards", async () => {
  assert.deepEqual(await toldInRealTime(s11Mapping), { done: 20, callsWhileOff: 0, dead: 0, deadInTheEnd: 0 });
});

test("s15: the whole body arrives, and the object goes with the message", async () => {
  const { objectsWhileQueued, received, objectsLeft, left } = await told(s15);
  assert.equal(received?.bytes, 5 * 1024 * 1024);
  assert.equal(received?.isSame, true);
  assert.match(received?.pointer ?? "", /PayloadS3Pointer/);
  assert.deepEqual([objectsWhileQueued, objectsLeft, left], [1, 0, 0]);
});
