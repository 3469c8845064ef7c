// A writer and consumers of a standard queue with a dead-letter queue. Consumers do what real ones do: delete at once,
// delete much later with the old handle, hand back, ask for more time, or fail.

import { ConnectionLost, type LeanClient } from "../support/lean-client.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import type { BookedMessage, Books, QueueRules, ReceivedMessage } from "./books.ts";
import { queueUrl, sleep } from "./world.ts";

/** Every length and both plain and wide characters occur. */
const FILLER = "the pond fills at one end and empties at the other — Mühle, 水車, 🌊 ".repeat(5000);

export interface Phase {
  /** No more sends, and consumers delete what they can get. */
  isDraining: boolean;
  isOver: boolean;
}

interface Held {
  message: BookedMessage;
  receiptHandle: string;
  deleteAtMs: number;
}

let keyCount = 0;

export function newKey(queue: string): string {
  keyCount += 1;
  return `${queue}#${keyCount}`;
}

export function bodyOf(key: string, random: SeededRandom, charactersMax: number): string {
  // Not half of a character at the end.
  return `${key} ${FILLER.slice(0, random.between(1, charactersMax)).replace(/[\uD800-\uDBFF]$/, "")}`;
}

export function standardWriter(books: Books, queue: QueueRules, random: SeededRandom, charactersMax: number) {
  return async (client: LeanClient): Promise<void> => {
    const count = random.chance(0.5) ? 1 : random.between(2, 10);
    const entries = Array.from({ length: count }, () => {
      const key = newKey(queue.name);
      const MessageBody = bodyOf(key, random, random.chance(0.01) ? 90_000 / count : charactersMax);
      const attributes = random.chance(0.3) ? sampleAttributes(key, random) : undefined;
      const delaySeconds = random.chance(0.05) ? 1 : 0;
      const message = books.sending(queue, key, MessageBody, {
        attributes,
        poison: queue.deadLetterQueue !== undefined && random.chance(0.04),
      });
      const input = {
        MessageBody,
        ...(attributes === undefined ? {} : { MessageAttributes: attributes }),
        ...(delaySeconds === 0 ? {} : { DelaySeconds: delaySeconds }),
        ...(random.chance(0.2) ? { MessageGroupId: `tenant-${random.between(1, 5)}` } : {}),
      };
      return { message, input, delaySeconds };
    });
    const sentAtMs = performance.now();
    const QueueUrl = queueUrl(queue.name);
    try {
      const answers =
        count === 1
          ? [await client.call("SendMessage", { QueueUrl, ...entries[0]?.input })]
          : await sendBatch(
              client,
              QueueUrl,
              entries.map(({ input }) => input),
            );
      for (const [index, { message, delaySeconds }] of entries.entries()) {
        books.sent(message, answers[index]);
        // A consumer may have it already: then its hold is newer.
        if (delaySeconds > 0 && message.counts.length === 0) {
          message.hold = { sinceMs: performance.now(), untilMs: sentAtMs + delaySeconds * 1000 };
        }
      }
    } catch (error) {
      if (error instanceof ConnectionLost) books.tally.lostSends += count;
      throw error;
    }
    await sleep(random.between(0, 6));
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers as they came
export async function sendBatch(client: LeanClient, QueueUrl: string, inputs: object[]): Promise<any[]> {
  const Entries = inputs.map((input, index) => ({ Id: String(index), ...input }));
  const { Successful = [], Failed = [] } = await client.call("SendMessageBatch", { QueueUrl, Entries });
  if (Failed.length > 0) throw new Error(`a batch entry was refused: ${JSON.stringify(Failed[0])}`);
  return inputs.map((_, index) => Successful.find((entry: { Id: string }) => entry.Id === String(index)));
}

export class StandardConsumer {
  readonly #books: Books;
  readonly #queue: QueueRules;
  readonly #random: SeededRandom;
  readonly #phase: Phase;
  #held: Held[] = [];

  constructor(books: Books, queue: QueueRules, random: SeededRandom, phase: Phase) {
    this.#books = books;
    this.#queue = queue;
    this.#random = random;
    this.#phase = phase;
  }

  async step(client: LeanClient): Promise<void> {
    await this.#deleteDue(client);
    const visibilitySeconds = this.#random.between(2, 4);
    const received = await this.#receive(client, visibilitySeconds);
    const toDelete: Held[] = [];
    for (const { message, receiptHandle } of received) {
      const held: Held = { message, receiptHandle, deleteAtMs: performance.now() + this.#random.between(0, 5000) };
      switch (this.#decide(message)) {
        case "delete":
          toDelete.push(held);
          break;
        case "deleteLater":
          this.#held.push(held);
          break;
        case "handBack":
          await this.#changeVisibility(client, held, 0);
          break;
        case "askForTime":
          await this.#changeVisibility(client, held, this.#random.between(1, 6));
          this.#held.push(held);
          break;
        case "forget":
          break;
      }
    }
    await this.#delete(client, toDelete);
  }

  #decide(message: BookedMessage): "delete" | "deleteLater" | "handBack" | "askForTime" | "forget" {
    if (this.#phase.isDraining) return message.poison ? "handBack" : "delete";
    const dice = this.#random.between(1, 100);
    if (message.poison) return dice <= 70 ? "handBack" : "forget";
    if (dice <= 10) return "handBack";
    if (dice <= 20) return "askForTime";
    return dice <= 40 ? "deleteLater" : "delete";
  }

  async #receive(client: LeanClient, visibilitySeconds: number) {
    const sentAtMs = performance.now();
    try {
      const { Messages = [] } = await client.call("ReceiveMessage", {
        QueueUrl: queueUrl(this.#queue.name),
        MaxNumberOfMessages: this.#random.between(1, 10),
        VisibilityTimeout: visibilitySeconds,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      });
      const asked = { sentAtMs, answeredAtMs: performance.now() };
      const received = [];
      for (const raw of Messages as ReceivedMessage[]) {
        const message = this.#books.received(this.#queue, raw, asked, visibilitySeconds * 1000);
        if (message !== undefined) received.push({ message, receiptHandle: raw.ReceiptHandle });
      }
      return received;
    } catch (error) {
      if (error instanceof ConnectionLost) this.#books.lostReceive(this.#queue);
      throw error;
    }
  }

  async #deleteDue(client: LeanClient): Promise<void> {
    const nowMs = performance.now();
    const isDue = ({ deleteAtMs }: Held) => this.#phase.isDraining || deleteAtMs <= nowMs;
    const due = this.#held.filter(isDue);
    this.#held = this.#held.filter((held) => !isDue(held));
    await this.#delete(client, due);
  }

  async #delete(client: LeanClient, helds: Held[]): Promise<void> {
    const QueueUrl = queueUrl(this.#queue.name);
    for (let at = 0; at < helds.length; ) {
      const part = helds.slice(at, at + this.#random.between(1, 10));
      at += part.length;
      try {
        if (part.length === 1) await client.call("DeleteMessage", { QueueUrl, ReceiptHandle: part[0]?.receiptHandle });
        else {
          const Entries = part.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
          const { Failed = [] } = await client.call("DeleteMessageBatch", { QueueUrl, Entries });
          if (Failed.length > 0) this.#books.finding(`a delete was refused: ${JSON.stringify(Failed[0])}`);
        }
        for (const { message } of part) this.#books.deleted(message);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        this.#books.tally.lostDeletes += part.length;
        for (const { message } of part) message.mayBeDeleted = true;
        // Not known to be deleted: the same old handles are tried on the next server.
        this.#held.push(...part.map((held) => ({ ...held, deleteAtMs: 0 })), ...helds.slice(at));
        throw error;
      }
    }
  }

  async #changeVisibility(client: LeanClient, { message, receiptHandle }: Held, seconds: number): Promise<void> {
    this.#books.changingVisibility(message);
    const sentAtMs = performance.now();
    const { status, body } = await client.ask("ChangeMessageVisibility", {
      QueueUrl: queueUrl(this.#queue.name),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    });
    if (status === 200)
      this.#books.changedVisibility(message, { sentAtMs, answeredAtMs: performance.now() }, seconds * 1000);
    // Another consumer may have deleted it with a handle of its own, or it has moved.
    else if (!message.mayBeDeleted && !message.isInDeadLetter) {
      this.#books.finding(`${message.key}: a visibility change was refused: ${JSON.stringify(body)}`);
    }
  }
}

/** Empties the dead-letter queue of `queue`. */
export function deadLetterConsumer(books: Books, queue: QueueRules) {
  const QueueUrl = queueUrl(queue.deadLetterQueue as string);
  return async (client: LeanClient): Promise<void> => {
    const sentAtMs = performance.now();
    const { Messages = [] } = await client.call("ReceiveMessage", {
      QueueUrl,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 2,
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ["All"],
      MessageAttributeNames: ["All"],
    });
    const asked = { sentAtMs, answeredAtMs: performance.now() };
    const received = (Messages as ReceivedMessage[]).map((raw) => ({
      raw,
      message: books.receivedFromDeadLetter(queue, raw, asked),
    }));
    for (const { raw, message } of received) {
      if (message === undefined) continue;
      message.mayBeDeletedInDeadLetter = true;
      const answer = await client.ask("DeleteMessage", { QueueUrl, ReceiptHandle: raw.ReceiptHandle });
      if (answer.status === 200) message.deletedInDeadLetterAtMs ??= performance.now();
      else message.mayBeDeletedInDeadLetter = false;
    }
  };
}

function sampleAttributes(key: string, random: SeededRandom): Record<string, unknown> {
  return {
    key: { DataType: "String", StringValue: key },
    weight: { DataType: "Number.kg", StringValue: String(random.between(0, 1_000_000)) },
    bytes: { DataType: "Binary", BinaryValue: Buffer.from(key).toString("base64") },
  };
}
