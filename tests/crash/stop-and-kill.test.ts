// The server is stopped (SIGSTOP) for seconds under load and goes on, or is killed while it is stopped, or just killed,
// over and over. Its clients are processes of their own, which time out, reconnect and keep their own books; these are
// laid beside each other at the end. CRASH_KILLS sets how often, CRASH_SEED repeats the choices of a run.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { scratchFolder } from "../support/project.ts";
import { chooseSeed, type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { runMillpond } from "../support/server-process.ts";
import { ClientProcess, FIFO, type Order, STANDARD, VISIBILITY_MS } from "./client-process.ts";
import { auditJournals, type Journal } from "./journal.ts";
import { queueUrl, sleep, World } from "./world.ts";

const CLIENTS = 3;
const ROUNDS = process.env["CRASH_KILLS"] === undefined ? 12 : Math.ceil(Number(process.env["CRASH_KILLS"]) / 2);
const DRAIN_MS_MAX = 60_000;
const FINDINGS_SHOWN_MAX = 20;

for (const { rounds, shards } of [
  { rounds: ROUNDS, shards: 1 },
  { rounds: Math.ceil(ROUNDS / 3), shards: 4 },
]) {
  test(`several client processes lose nothing to ${rounds} stops and kills (shards: ${shards})`, (context) =>
    surviveStops(context, rounds, shards));
}

async function surviveStops(context: TestContext, rounds: number, shards: number): Promise<void> {
  const seed = chooseSeed("CRASH_SEED");
  const data = join(scratchFolder(context, "stop"), "data");
  const world = new World(["--data", data, "--shards", String(shards), "--segment-bytes-max", "16MiB"]);
  context.after(() => world.abandon());
  await world.start();
  await world.withClient(async (client) => {
    await client.call("CreateQueue", { QueueName: STANDARD });
    await client.call("CreateQueue", { QueueName: FIFO, Attributes: { FifoQueue: "true" } });
  });

  const clients = Array.from({ length: CLIENTS }, () => new ClientProcess());
  context.after(() => clients.forEach((client) => void client.kill()));
  const tellAll = (order: Order) => clients.forEach((client) => void client.tell(order));
  const endpoint = await world.endpoint();
  for (const [index, client] of clients.entries()) {
    client.tell({ is: "begin", name: `client${index}`, seed: seed + index, endpoint });
  }
  const journals = Promise.all(clients.map(({ journal }) => journal));

  const random = seededRandom(seed);
  const tally = await Promise.race([troubleServer(world, rounds, random, tellAll), failedIn(journals)]);
  tellAll({ is: "drain" });
  await Promise.race([waitUntilEmpty(world), failedIn(journals)]);
  tellAll({ is: "over" });
  const books = await journals;

  // Whatever comes back now was brought back to life.
  await world.kill();
  await world.start();
  await sleep(VISIBILITY_MS + 500);
  const findings = [...auditJournals(books), ...(await leftOver(world))];
  const { code, stderr } = await world.terminate();
  const verified = await runMillpond(["log", "verify", "--data", data]).ended;
  console.log(`${shards} shards: ${JSON.stringify({ ...tally, ...summary(books) })}`);
  assert.deepEqual(findings.slice(0, FINDINGS_SHOWN_MAX), [], `seed ${seed}`);
  assert.equal(code, 0, stderr);
  assert.equal(verified.code, 0, verified.stderr);
}

/** A third of the rounds each: stopped and continued, stopped and killed, killed. */
async function troubleServer(
  world: World,
  rounds: number,
  random: SeededRandom,
  tellAll: (order: Order) => void,
): Promise<{ stops: number; kills: number; stoppedSeconds: number }> {
  let stops = 0;
  let stoppedMs = 0;
  for (let round = 0; round < rounds; round++) {
    await sleep(random.between(200, 1200));
    if (world.isAbandoned) break;
    if (round % 3 !== 2) {
      const forMs = random.between(300, 3500);
      world.suspend();
      await sleep(forMs);
      stops += 1;
      stoppedMs += forMs;
    }
    if (round % 3 === 0) world.resume();
    else {
      await world.kill();
      await world.start();
      tellAll({ is: "moved", endpoint: await world.endpoint() });
    }
  }
  return { stops, kills: world.killCount, stoppedSeconds: Math.round(stoppedMs / 1000) };
}

/** Only ever rejects: when a client ended by itself. */
function failedIn(journals: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => void journals.catch(reject));
}

async function waitUntilEmpty(world: World): Promise<void> {
  const startedAtMs = performance.now();
  let quiet = 0;
  // Twice in a row: a send that was under way at the first look would be seen at the second.
  while (quiet < 2) {
    assert.ok(performance.now() - startedAtMs < DRAIN_MS_MAX, "the queues did not become empty");
    await sleep(300);
    quiet = (await countMessages(world)) === 0 ? quiet + 1 : 0;
  }
}

function countMessages(world: World): Promise<number> {
  return world.withClient(async (client) => {
    let count = 0;
    for (const name of [STANDARD, FIFO]) {
      const input = { QueueUrl: queueUrl(name), AttributeNames: ["All"] };
      const { Attributes } = await client.call("GetQueueAttributes", input);
      for (const state of ["", "NotVisible"]) count += Number(Attributes[`ApproximateNumberOfMessages${state}`]);
    }
    return count;
  });
}

function leftOver(world: World): Promise<string[]> {
  return world.withClient(async (client) => {
    const found: string[] = [];
    for (const name of [STANDARD, FIFO]) {
      const { Messages = [] } = await client.call("ReceiveMessage", {
        QueueUrl: queueUrl(name),
        MaxNumberOfMessages: 10,
      });
      for (const { Body } of Messages) found.push(`${name} came back to life with ${Body.slice(0, 60)}`);
    }
    return found;
  });
}

function summary(books: readonly Journal[]): Record<string, number> {
  const sends = books.flatMap(({ sent }) => sent);
  const deletes = books.flatMap(({ deleted }) => deleted);
  const count = (answers: { answeredAtMs: number | undefined }[]) =>
    answers.filter(({ answeredAtMs }) => answeredAtMs !== undefined).length;
  return {
    sends: count(sends),
    lostSends: sends.length - count(sends),
    receives: books.reduce((sum, { received }) => sum + received.length, 0),
    lostReceives: books.reduce((sum, { lostReceives }) => sum + lostReceives, 0),
    deletes: count(deletes),
    lostDeletes: deletes.length - count(deletes),
  };
}
