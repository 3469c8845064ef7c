// A writer and consumers of a FIFO queue. The writer repeats a send whose answer was lost until it is answered: the
// deduplication id makes that safe, which is what is being tested.

import { ConnectionLost, type LeanClient } from "../support/lean-client.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import type { BookedMessage, Books, QueueRules, ReceivedMessage } from "./books.ts";
import { bodyOf, newKey, type Phase, sendBatch } from "./standard-traffic.ts";
import { queueUrl, sleep } from "./world.ts";

/** Sends older than this are not repeated: the deduplication window is five minutes. */
const REPEAT_WITHIN_MS = 4 * 60_000;
const VISIBILITY_SECONDS = 2;

interface Unanswered {
  entries: { message: BookedMessage; input: object }[];
  sequenceAbove: bigint;
}

/** Owns its groups: within a group one send at a time, so that the order is known. */
export class FifoWriter {
  readonly #books: Books;
  readonly #queue: QueueRules;
  readonly #random: SeededRandom;
  readonly #groups: { id: string; next: number }[];
  #unanswered: Unanswered | undefined;
  #answered: { message: BookedMessage; input: object }[] = [];

  constructor(books: Books, queue: QueueRules, random: SeededRandom, groupIds: string[]) {
    this.#books = books;
    this.#queue = queue;
    this.#random = random;
    this.#groups = groupIds.map((id) => ({ id, next: 0 }));
  }

  get isSettled(): boolean {
    return this.#unanswered === undefined;
  }

  async step(client: LeanClient, mayStartNew: boolean): Promise<void> {
    if (this.#unanswered === undefined) {
      if (!mayStartNew) return;
      if (this.#answered.length > 0 && this.#random.chance(0.1)) return this.#repeat(client);
      this.#unanswered = this.#compose();
    }
    const { entries, sequenceAbove } = this.#unanswered;
    const answers = await this.#send(
      client,
      entries.map(({ input }) => input),
    );
    let above = sequenceAbove;
    for (const [index, entry] of entries.entries()) {
      this.#books.sent(entry.message, answers[index], above);
      above = entry.message.sequenceNumber as bigint;
    }
    this.#unanswered = undefined;
    this.#answered.push(...entries);
    await sleep(this.#random.between(0, 10));
  }

  #compose(): Unanswered {
    const group = this.#random.pick(this.#groups);
    const count = this.#random.chance(0.6) ? 1 : this.#random.between(2, 4);
    const sequenceAbove = this.#books.sequenceNumberMax;
    const entries = Array.from({ length: count }, () => {
      const key = newKey(this.#queue.name);
      const MessageBody = bodyOf(key, this.#random, 300);
      const more = { group: group.id, place: group.next, poison: this.#random.chance(0.02) };
      group.next += 1;
      const message = this.#books.sending(this.#queue, key, MessageBody, more);
      return { message, input: { MessageBody, MessageGroupId: group.id, MessageDeduplicationId: key } };
    });
    return { entries, sequenceAbove };
  }

  /** A send that was acknowledged long ago, again: it must be answered as then and store nothing. */
  async #repeat(client: LeanClient): Promise<void> {
    const entry = this.#random.pick(this.#answered);
    if (performance.now() - entry.message.sentAtMs > REPEAT_WITHIN_MS) return;
    const [answer] = await this.#send(client, [entry.input]);
    this.#books.tally.repeatedSends += 1;
    this.#books.sent(entry.message, answer);
    this.#books.tally.sends -= 1;
  }

  async #send(client: LeanClient, inputs: object[]) {
    const QueueUrl = queueUrl(this.#queue.name);
    try {
      if (inputs.length === 1) return [await client.call("SendMessage", { QueueUrl, ...inputs[0] })];
      return await sendBatch(client, QueueUrl, inputs);
    } catch (error) {
      if (error instanceof ConnectionLost) this.#books.tally.lostSends += inputs.length;
      throw error;
    }
  }
}

export class FifoConsumer {
  readonly #books: Books;
  readonly #queue: QueueRules;
  readonly #random: SeededRandom;
  readonly #phase: Phase;
  readonly #name: string;
  #attempt = 0;
  #isRetry = false;

  constructor(books: Books, queue: QueueRules, random: SeededRandom, phase: Phase, name: string) {
    this.#books = books;
    this.#queue = queue;
    this.#random = random;
    this.#phase = phase;
    this.#name = name;
  }

  async step(client: LeanClient): Promise<void> {
    const received = await this.#receive(client);
    this.#books.checkOrder(received.map(({ message }) => message));
    for (const { message, receiptHandle } of received) {
      const isTrouble = message.poison || (!this.#phase.isDraining && this.#random.chance(0.05));
      if (!isTrouble) {
        await this.#delete(client, message, receiptHandle);
        continue;
      }
      // A consumer that fails hands back what it has, and leaves the rest of its answer alone.
      if (this.#phase.isDraining || this.#random.chance(0.7)) await this.#handBack(client, message, receiptHandle);
      return;
    }
  }

  async #receive(client: LeanClient) {
    if (!this.#isRetry) this.#attempt += 1;
    const isRetry = this.#isRetry;
    const sentAtMs = performance.now();
    try {
      const { Messages = [] } = await client.call("ReceiveMessage", {
        QueueUrl: queueUrl(this.#queue.name),
        MaxNumberOfMessages: this.#random.between(1, 5),
        VisibilityTimeout: VISIBILITY_SECONDS,
        WaitTimeSeconds: 1,
        ReceiveRequestAttemptId: `${this.#name}-${this.#attempt}`,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      });
      this.#isRetry = false;
      const asked = { sentAtMs, answeredAtMs: performance.now() };
      const received = [];
      for (const raw of Messages as ReceivedMessage[]) {
        const message = this.#books.received(this.#queue, raw, asked, VISIBILITY_SECONDS * 1000, isRetry);
        if (message !== undefined) received.push({ message, receiptHandle: raw.ReceiptHandle });
      }
      return received;
    } catch (error) {
      if (error instanceof ConnectionLost) {
        this.#isRetry = true;
        this.#books.lostReceive(this.#queue);
      }
      throw error;
    }
  }

  async #delete(client: LeanClient, message: BookedMessage, ReceiptHandle: string): Promise<void> {
    const before = message.mayBeDeleted;
    message.mayBeDeleted = true;
    const { status, body } = await client.ask("DeleteMessage", { QueueUrl: queueUrl(this.#queue.name), ReceiptHandle });
    if (status === 200) return this.#books.deleted(message);
    // Refused for certain. A FIFO handle ends with its visibility timeout, and nothing else may be wrong with it.
    message.mayBeDeleted = before;
    if (!/has expired/.test(body.message ?? ""))
      this.#books.finding(`${message.key}: its delete was refused: ${JSON.stringify(body)}`);
  }

  async #handBack(client: LeanClient, message: BookedMessage, ReceiptHandle: string): Promise<void> {
    this.#books.changingVisibility(message);
    const QueueUrl = queueUrl(this.#queue.name);
    await client.ask("ChangeMessageVisibility", { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
  }
}
