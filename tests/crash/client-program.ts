// A client process: a writer and consumers of a standard and of a FIFO queue, and the journal of what they were told.
// The test says where the server is, when to send no more, and when it is over; then it gets the journal. Some requests
// are abandoned by an impatient client, as SDKs do when a server does not answer.

import { ConnectionLost, LeanClient } from "../support/lean-client.ts";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { md5 } from "./books.ts";
import { FIFO, type Order, STANDARD, VISIBILITY_MS } from "./client-process.ts";
import { emptyJournal, monotonicMs, type ReceivedRecord, type SentRecord } from "./journal.ts";
import { queueUrl, sleep } from "./world.ts";

/** Longer than a long poll of a second. */
const PATIENCE_MS = 1500;

const journal = emptyJournal();
let endpoint = "";
let isDraining = false;
let isOver = false;
let answers = 0;

process.on("message", (order: Order) => {
  if (order.is === "begin" || order.is === "moved") endpoint = order.endpoint;
  if (order.is === "drain") isDraining = true;
  if (order.is === "over") isOver = true;
  if (order.is === "begin") void live(order.name, order.seed);
});

async function live(name: string, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const writer = new FifoWriter(name, random);
  await Promise.all([
    repeat(
      () => isDraining,
      (client) => sendOne(client, name, random),
    ),
    repeat(
      () => isDraining && writer.isSettled,
      (client) => writer.step(client),
    ),
    ...[STANDARD, STANDARD, FIFO].map((queue) =>
      repeat(
        () => isOver,
        (client) => consume(client, queue, random),
      ),
    ),
  ]);
  process.send?.(journal, () => process.disconnect());
}

async function repeat(isDone: () => boolean, step: (client: LeanClient) => Promise<void>): Promise<void> {
  while (!isDone()) {
    const client = new LeanClient(endpoint);
    try {
      while (!isDone()) await step(client);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      await sleep(20);
    } finally {
      client.close();
    }
  }
}

/** A send that is not answered is left alone: it may be there or not. */
async function sendOne(client: LeanClient, name: string, random: SeededRandom): Promise<void> {
  const record = newRecord(`${name}-${journal.sent.length}`, STANDARD, undefined, 0);
  const body = `${record.key} ${"x".repeat(random.between(0, 2000))}`;
  await send(client, record, body, {}, random);
  await sleep(random.between(0, 10));
}

/** Repeats a send until it is answered; its deduplication id makes that safe. Within a group one at a time. */
class FifoWriter {
  readonly #groups: { id: string; next: number }[];
  readonly #random: SeededRandom;
  #open: SentRecord | undefined;

  constructor(name: string, random: SeededRandom) {
    this.#groups = ["a", "b", "c"].map((id) => ({ id: `${name}-${id}`, next: 0 }));
    this.#random = random;
  }

  get isSettled(): boolean {
    return this.#open === undefined;
  }

  async step(client: LeanClient): Promise<void> {
    if (this.#open === undefined) {
      const group = this.#random.pick(this.#groups);
      this.#open = newRecord(`${group.id}-${group.next}`, FIFO, group.id, group.next);
      group.next += 1;
    }
    const { key, group } = this.#open;
    const more = { MessageGroupId: group, MessageDeduplicationId: key };
    await send(client, this.#open, `${key} in turn`, more, this.#random);
    this.#open = undefined;
    await sleep(this.#random.between(0, 10));
  }
}

function newRecord(key: string, queue: string, group: string | undefined, place: number): SentRecord {
  const record = { key, queue, bodyMd5: "", group, place, messageId: undefined, answeredAtMs: undefined };
  journal.sent.push(record);
  return record;
}

async function send(client: LeanClient, record: SentRecord, body: string, more: object, random: SeededRandom) {
  record.bodyMd5 = md5(body);
  const input = { QueueUrl: queueUrl(record.queue), MessageBody: body, ...more };
  const { MessageId } = await patiently(client, random, () => client.call("SendMessage", input));
  record.messageId = MessageId;
  record.answeredAtMs = monotonicMs();
}

async function consume(client: LeanClient, queue: string, random: SeededRandom): Promise<void> {
  const received = await receive(client, queue, random);
  // A consumer that fails now and then leaves the rest of its answer alone.
  for (const each of received) {
    if (!isDraining && random.chance(0.05)) return;
    await remove(client, queue, each.record.key, each.receiptHandle, random);
  }
}

async function receive(client: LeanClient, queue: string, random: SeededRandom) {
  const sentAtMs = monotonicMs();
  const answer = answers++;
  try {
    const input = {
      QueueUrl: queueUrl(queue),
      MaxNumberOfMessages: random.between(1, 10),
      VisibilityTimeout: VISIBILITY_MS / 1000,
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ["ApproximateReceiveCount"],
    };
    const { Messages = [] } = await patiently(client, random, () => client.call("ReceiveMessage", input));
    const answeredAtMs = monotonicMs();
    return (
      Messages as { MessageId: string; ReceiptHandle: string; Body: string; Attributes: Record<string, string> }[]
    ).map(({ MessageId, ReceiptHandle, Body, Attributes }) => {
      const record: ReceivedRecord = {
        key: Body.slice(0, Body.indexOf(" ")),
        queue,
        bodyMd5: md5(Body),
        messageId: MessageId,
        count: Number(Attributes["ApproximateReceiveCount"]),
        sentAtMs,
        answeredAtMs,
        visibilityMs: VISIBILITY_MS,
        answer,
      };
      journal.received.push(record);
      return { record, receiptHandle: ReceiptHandle };
    });
  } catch (error) {
    journal.lostReceives += 1;
    throw error;
  }
}

async function remove(client: LeanClient, queue: string, key: string, ReceiptHandle: string, random: SeededRandom) {
  const record = { key, sentAtMs: monotonicMs(), answeredAtMs: undefined as number | undefined };
  journal.deleted.push(record);
  const input = { QueueUrl: queueUrl(queue), ReceiptHandle };
  const { status, body } = await patiently(client, random, () => client.ask("DeleteMessage", input));
  if (status === 200) {
    record.answeredAtMs = monotonicMs();
    return;
  }
  // Refused, so it was not carried out. A FIFO handle ends with its visibility timeout; nothing else may be wrong.
  journal.deleted.splice(journal.deleted.indexOf(record), 1);
  if (!/has expired/.test(body.message ?? ""))
    throw new Error(`${key}: its delete was refused: ${JSON.stringify(body)}`);
}

async function patiently<Value>(client: LeanClient, random: SeededRandom, ask: () => Promise<Value>): Promise<Value> {
  const timer = random.chance(0.5) ? setTimeout(() => client.close(), PATIENCE_MS) : undefined;
  try {
    return await ask();
  } finally {
    clearTimeout(timer);
  }
}
