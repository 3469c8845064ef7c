// Behind a long run of messages that nobody gets, because they expired or were received too often, a receive finds
// the first one that it may hand out, in steps of bounded size: other work goes on between them.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReceivedMessage, SendEntry } from "../../src/engine/command.ts";
import { decodeFacts, type Fact } from "../../src/engine/index.ts";
import { type Host, startHost } from "../../src/host/index.ts";
import { openMemoryStorage, type ShardStorage } from "../../src/log/index.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";

const SCOPE = { account: "000000000000", region: "us-east-1" };
const QUEUE = { ...SCOPE, name: "run" };
const DEAD_LETTERS = { ...SCOPE, name: "dead-letters" };
const SPENT = 10_000;
/** What one turn may change, of either kind (receive.ts, time.ts). */
const MOVES_PER_TURN = 500;
const CHANGES_PER_STEP = 2000;

test("expired messages are removed in steps, and the receive that met them gets the live one behind them", async () => {
  const { host, clock, storage } = await start();
  await host.execute({ kind: "createQueue", queue: QUEUE, attributes: { MessageRetentionPeriod: "60" }, tags: {} });
  await send(host, "expired", SPENT);
  await clock.advance(59_000);
  await send(host, "live", 1);
  await clock.advance(1000);
  const turns = countTurns();
  const received = await receive(host);
  assert.deepEqual(bodies(received), ["live"]);
  assert.ok(turns.count() >= SPENT / CHANGES_PER_STEP - 1, `it took ${turns.count()} turns`);
  const steps = (await factsOf(storage)).filter((fact) => fact.kind === "TimeStepped");
  assert.ok(steps.length >= SPENT / CHANGES_PER_STEP, `${steps.length} steps`);
  for (const step of steps) assert.equal(step.changesMax, CHANGES_PER_STEP);
  await host.stop();
});

test("many receives that meet expired messages at once do not each take a step in the same turn", async () => {
  const { host, clock } = await start();
  await host.execute({ kind: "createQueue", queue: QUEUE, attributes: { MessageRetentionPeriod: "60" }, tags: {} });
  await send(host, "expired", SPENT);
  await clock.advance(60_000);
  const turns = countTurns();
  const answers = await Promise.all(Array.from({ length: 50 }, () => receive(host)));
  assert.deepEqual(answers.flat(), []);
  assert.ok(turns.count() >= SPENT / CHANGES_PER_STEP - 1, `it took ${turns.count()} turns`);
  await host.stop();
});

for (const how of ["a short poll", "a long poll", "a long poll that waits already"]) {
  test(`messages received too often are moved in steps on the way to a live one: ${how}`, async () => {
    const { host, clock } = await start();
    await host.execute({ kind: "createQueue", queue: DEAD_LETTERS, attributes: {}, tags: {} });
    const policy = { deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:dead-letters", maxReceiveCount: 1 };
    const attributes = { RedrivePolicy: JSON.stringify(policy), VisibilityTimeout: "30" };
    await host.execute({ kind: "createQueue", queue: QUEUE, attributes, tags: {} });
    await send(host, "spent", SPENT);
    for (let spent = 0; spent < SPENT; spent += 10) assert.equal((await receive(host)).length, 10);
    await clock.advance(29_000);
    const waiting = how === "a long poll that waits already" ? receive(host, 20_000) : undefined;
    await clock.advance(1000);
    const turns = countTurns();
    if (waiting === undefined) await host.settle();
    await send(host, "live", 1);
    const received = await (waiting ?? receive(host, how === "a short poll" ? 0 : 20_000));
    assert.deepEqual(bodies(received), ["live"]);
    // Time's own steps try the waiter once more in the same turn.
    assert.ok(turns.count() >= SPENT / MOVES_PER_TURN / 2, `it took ${turns.count()} turns`);
    await host.settle();
    assert.equal(await messageCount(host, DEAD_LETTERS), SPENT);
    await host.stop();
  });
}

async function start(): Promise<{ host: Host; clock: VirtualClock; storage: ShardStorage }> {
  // Nothing settles between its steps: what is due is found by the receives.
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const storage = openMemoryStorage();
  let uuids = 0;
  const host = await startHost({
    openStorage: async () => storage,
    shardCount: 1,
    clock,
    ids: { uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, "0")}` },
    awsDelays: false,
    bodyCacheBytesMax: 1024 * 1024,
    log: () => undefined,
  });
  return { host, clock, storage };
}

async function send(host: Host, body: string, count: number): Promise<void> {
  const content = { body: Buffer.from(body), bodyMd5: Buffer.alloc(16), attributes: [] };
  const entries: SendEntry[] = Array.from({ length: count }, () => ({ content, sizeBytes: content.body.length }));
  await host.execute({ kind: "sendMessages", queue: QUEUE, senderId: "A", batch: true, entries });
}

async function receive(host: Host, waitMs = 0): Promise<ReceivedMessage[]> {
  const command = { kind: "receiveMessages", queue: QUEUE, messagesMax: 10, waitMs } as const;
  const outcome = await host.execute<"receiveMessages">(command);
  assert.ok(outcome.ok);
  return outcome.value.messages;
}

function bodies(messages: ReceivedMessage[]): string[] {
  return messages.map(({ content }) => Buffer.from(content.body).toString());
}

async function messageCount(host: Host, queue: typeof QUEUE): Promise<number> {
  const outcome = await host.execute<"getQueueAttributes">({ kind: "getQueueAttributes", queue });
  assert.ok(outcome.ok);
  return Number(outcome.value.attributes.ApproximateNumberOfMessages);
}

async function factsOf(storage: ShardStorage): Promise<Fact[]> {
  const facts: Fact[] = [];
  for await (const entry of storage.log.read(1)) for (const { fact } of decodeFacts(entry.payload)) facts.push(fact);
  return facts;
}

/** Turns of the event loop from now on. */
function countTurns(): { count: () => number } {
  let turns = 0;
  let isOn = true;
  const turn = () => {
    turns += 1;
    if (isOn) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    count: () => {
      isOn = false;
      return turns;
    },
  };
}
