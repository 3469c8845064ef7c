// Every story that the examples tell, on a virtual clock where no function runs, with what must be seen in it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { FunctionStage } from "../../examples/functions.ts";
import { story as s1 } from "../../examples/s1-charged-twice/story.ts";
import { story as s2 } from "../../examples/s2-heartbeat/story.ts";
import { story as s3 } from "../../examples/s3-fifo/story.ts";
import { story as s4 } from "../../examples/s4-poison-in-a-batch/story.ts";
import { story as s7 } from "../../examples/s7-fan-out/story.ts";
import { story as s8 } from "../../examples/s8-silent-policy/story.ts";
import { story as s9 } from "../../examples/s9-flash-sale/story.ts";
import { story as s10 } from "../../examples/s10-throttled-consumer/story.ts";
import { story as s11Mapping } from "../../examples/s11-dead-downstream/mapping.ts";
import { story as s11 } from "../../examples/s11-dead-downstream/story.ts";
import { story as s15 } from "../../examples/s15-large-payload/story.ts";
import { story as s16 } from "../../examples/s16-object-created/story.ts";
import type { TopicStage } from "../../examples/topics.ts";
import { systemClock } from "../../src/base/clock.ts";
import { type MillpondOptions, startMillpond } from "../../src/testing/index.ts";
import { withWorld } from "../consumer/world.ts";

const STEP_MS = 50;

/** Moves time until the story is over. */
async function told<Told>(story: (stage: TopicStage) => Promise<Told>, options: MillpondOptions = {}): Promise<Told> {
  const holder: { told?: Told } = {};
  await withWorld(async ({ millpond, sqs, clock }) => {
    const { endpoint, region, accessKeyId, secretAccessKey } = millpond;
    const sns = clock.follow(new SNSClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey } }));
    let isOver = false;
    const telling = story({ sqs, sns, endpoint, clock, say: () => undefined }).finally(() => {
      isOver = true;
    });
    telling.catch(() => undefined);
    while (!isOver) await clock.advance(STEP_MS);
    sns.destroy();
    holder.told = await telling;
  }, options);
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

test("s7: each consumer has its own copy; a dead one delays nobody, and a late one needs no change elsewhere", async () => {
  const { first, got } = await told(s7);
  assert.deepEqual(first, { fraud: [2, 4], mail: [1, 2, 3, 4, 5], shipping: [], dead: 5 });
  assert.deepEqual(got.analytics, [6, 7]);
  assert.deepEqual(got.shipping, [6, 7]);
  assert.deepEqual(got.fraud, [2, 4, 7]);
  assert.equal(got.mail.length, 7);
});

test("s8: nothing arrives, the delivery is kept, and the missing statement is named and enough", async () => {
  const { arrived, dead, missingStatement, afterwards } = await told(s8, { queuePolicies: "enforce" });
  assert.deepEqual([arrived, dead], [[], ["the dam leaks"]]);
  assert.match(JSON.stringify(missingStatement), /"aws:SourceArn":"arn:aws:sns:us-east-1:\d{12}:alerts"/);
  assert.deepEqual(afterwards, ["the dam holds"]);
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

test("s16: three consumers each get every upload, and nothing else that the bucket tells", async () => {
  const uploads = ["uploads/frog.png", "uploads/pond.mp4"];
  assert.deepEqual(await told(s16), { thumbnails: uploads, "virus-scan": uploads, "search-index": uploads });
});
