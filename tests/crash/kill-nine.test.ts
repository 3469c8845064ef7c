// kill -9 at random moments under mixed traffic, then the books. CRASH_KILLS sets how often, CRASH_SEED repeats the
// choices of a run.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { scratchFolder } from "../support/project.ts";
import { chooseSeed, seededRandom } from "../support/seeded-random.ts";
import { runMillpond } from "../support/server-process.ts";
import { Books, type QueueRules } from "./books.ts";
import { Clerk } from "./clerk.ts";
import { FifoConsumer, FifoWriter } from "./fifo-traffic.ts";
import { MoveWatch } from "./move-watch.ts";
import { deadLetterConsumer, type Phase, StandardConsumer, standardWriter } from "./standard-traffic.ts";
import { killAtRandom, queueArn, queueUrl, sleep, World, work } from "./world.ts";

const KILLS = Number(process.env["CRASH_KILLS"] ?? 30);
const DRAIN_MS_MAX = 120_000;
/** Longer than any visibility timeout of the test. */
const ALL_VISIBLE_AFTER_MS = 7000;

const orders: QueueRules = { name: "orders", fifo: false, receivesMax: 4, deadLetterQueue: "orders-dead" };
const parcels: QueueRules = {
  name: "parcels",
  fifo: false,
  receivesMax: Number.POSITIVE_INFINITY,
  deadLetterQueue: undefined,
};
const steps: QueueRules = { name: "steps.fifo", fifo: true, receivesMax: 4, deadLetterQueue: "steps-dead.fifo" };
const queues = [orders, parcels, steps];

test(`what was acknowledged survives ${KILLS} kills`, (context) => surviveKills(context, KILLS, 1));

const killsOfFour = Math.ceil(KILLS / 3);
test(`what was acknowledged survives ${killsOfFour} kills on four shards`, (context) =>
  surviveKills(context, killsOfFour, 4));

async function surviveKills(context: TestContext, kills: number, shards: number): Promise<void> {
  const seed = chooseSeed("CRASH_SEED");
  const data = join(scratchFolder(context, "crash"), "data");
  const world = new World([
    "--data",
    data,
    "--shards",
    String(shards),
    "--segment-bytes-max",
    "16MiB",
    "--log-level",
    "warn",
  ]);
  context.after(() => world.abandon());
  const books = new Books();
  const phase: Phase = { isDraining: false, isOver: false };
  const clerk = new Clerk(books);
  const moves = new MoveWatch(books);
  let isSeeded = 0;
  const random = () => seededRandom(seed + 1000 * isSeeded++);

  await world.start();
  await world.withClient(async (client) => {
    for (const queue of queues) await createWithDeadLetter(client, queue);
    await clerk.open(client);
    await moves.open(client, Math.max(2, Math.round(400 / (kills * 0.9))));
  });

  const untilDraining = () => phase.isDraining;
  const untilOver = () => phase.isOver;
  const fifoWriters = ["a", "b"].map(
    (name) =>
      new FifoWriter(
        books,
        steps,
        random(),
        [1, 2, 3].map((number) => `${name}${number}`),
      ),
  );
  const writers = [
    work(world, untilDraining, standardWriter(books, orders, random(), 400)),
    work(world, untilDraining, standardWriter(books, parcels, random(), 30_000)),
    ...fifoWriters.map((writer) =>
      work(
        world,
        () => phase.isDraining && writer.isSettled,
        (client) => writer.step(client, !phase.isDraining),
      ),
    ),
    work(world, untilDraining, (client) => clerk.step(client)),
  ];
  const consume = (queue: QueueRules) => {
    const consumer = new StandardConsumer(books, queue, random(), phase);
    return work(world, untilOver, (client) => consumer.step(client));
  };
  const consumers = [
    ...[orders, orders, orders, parcels, parcels].map(consume),
    ...["first", "second"].map((name) => {
      const consumer = new FifoConsumer(books, steps, random(), phase, name);
      return work(world, untilOver, (client) => consumer.step(client));
    }),
    work(world, untilOver, deadLetterConsumer(books, orders)),
    work(world, untilOver, deadLetterConsumer(books, steps)),
  ];
  const traffic = Promise.all([...writers, ...consumers]);
  traffic.catch(() => undefined);

  await Promise.race([
    killAtRandom(world, kills, random(), () => world.withClient((client) => clerk.check(client))),
    traffic,
  ]);
  phase.isDraining = true;
  await Promise.race([Promise.all(writers), traffic]);
  await Promise.race([waitUntilEmpty(world, books), traffic]);
  phase.isOver = true;
  await traffic;
  await world.withClient((client) => moves.close(client));

  // Whatever comes back now was lost or brought back to life.
  await world.kill();
  await world.start();
  await sleep(ALL_VISIBLE_AFTER_MS);
  await expectNothing(world, books);
  for (const { key, messageId } of books.missing())
    books.finding(`${key} (${messageId}) was acknowledged and never came`);

  const { code, stderr } = await world.terminate();
  const verified = await runMillpond(["log", "verify", "--data", data]).ended;
  const slowest = Math.round(Math.max(...world.restartMs));
  console.log(
    `${kills} kills, ${shards} shards: ${JSON.stringify(books.tally)}, ${clerk.changes} catalog changes, slowest start ${slowest} ms`,
  );
  assert.deepEqual(books.findings, [], `seed ${seed}`);
  assert.equal(code, 0, stderr);
  assert.equal(verified.code, 0, verified.stderr);
}

async function createWithDeadLetter(
  client: Parameters<Parameters<World["withClient"]>[0]>[0],
  queue: QueueRules,
): Promise<void> {
  const fifo = queue.fifo ? { FifoQueue: "true" } : {};
  let redrive = {};
  if (queue.deadLetterQueue !== undefined) {
    await client.call("CreateQueue", { QueueName: queue.deadLetterQueue, Attributes: fifo });
    const policy = { deadLetterTargetArn: queueArn(queue.deadLetterQueue), maxReceiveCount: queue.receivesMax };
    redrive = { RedrivePolicy: JSON.stringify(policy) };
  }
  await client.call("CreateQueue", { QueueName: queue.name, Attributes: { ...fifo, ...redrive } });
}

async function waitUntilEmpty(world: World, books: Books): Promise<void> {
  const startedAtMs = performance.now();
  while (performance.now() - startedAtMs < DRAIN_MS_MAX) {
    if (books.missing().length === 0 && (await countMessages(world)) === 0) return;
    await sleep(200);
  }
  books.finding(`after ${DRAIN_MS_MAX} ms the queues still held ${await countMessages(world)} messages`);
}

function allNames(): string[] {
  return queues.flatMap(({ name, deadLetterQueue }) =>
    deadLetterQueue === undefined ? [name] : [name, deadLetterQueue],
  );
}

function countMessages(world: World): Promise<number> {
  return world.withClient(async (client) => {
    let count = 0;
    for (const name of allNames()) {
      const { Attributes } = await client.call("GetQueueAttributes", {
        QueueUrl: queueUrl(name),
        AttributeNames: ["All"],
      });
      for (const state of ["", "NotVisible", "Delayed"])
        count += Number(Attributes[`ApproximateNumberOfMessages${state}`]);
    }
    return count;
  });
}

async function expectNothing(world: World, books: Books): Promise<void> {
  await world.withClient(async (client) => {
    for (const name of allNames()) {
      const { Messages = [] } = await client.call("ReceiveMessage", {
        QueueUrl: queueUrl(name),
        MaxNumberOfMessages: 10,
      });
      for (const { Body } of Messages) books.finding(`${name} came back to life with ${Body.slice(0, 60)}`);
    }
  });
}
