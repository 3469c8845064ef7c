// A move task that is slower than the crashes: it must go on after each of them and bring every message over once.

import type { LeanClient } from "../support/lean-client.ts";
import { type Books, md5 } from "./books.ts";
import { sendBatch } from "./standard-traffic.ts";
import { queueArn, queueUrl, sleep } from "./world.ts";

const PARKED = "parked-dead";
const TARGET = "parked-again";
const BATCHES = 40;
const FINISH_MS_MAX = 60_000;

export class MoveWatch {
  readonly #books: Books;
  readonly #bodies = new Map<string, number>();

  constructor(books: Books) {
    this.#books = books;
  }

  async open(client: LeanClient, messagesPerSecond: number): Promise<void> {
    await client.call("CreateQueue", { QueueName: PARKED });
    await client.call("CreateQueue", { QueueName: TARGET });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: queueArn(PARKED), maxReceiveCount: 1 });
    await client.call("CreateQueue", { QueueName: "parked", Attributes: { RedrivePolicy } });
    for (let batch = 0; batch < BATCHES; batch++) {
      const bodies = Array.from({ length: 10 }, (_, index) => `parked ${batch}.${index}`);
      await sendBatch(
        client,
        queueUrl(PARKED),
        bodies.map((MessageBody) => ({ MessageBody })),
      );
      for (const body of bodies) this.#bodies.set(body, 0);
    }
    await client.call("StartMessageMoveTask", {
      SourceArn: queueArn(PARKED),
      DestinationArn: queueArn(TARGET),
      MaxNumberOfMessagesPerSecond: messagesPerSecond,
    });
  }

  /** Waits for the task and counts what arrived. */
  async close(client: LeanClient): Promise<void> {
    const startedAtMs = performance.now();
    for (;;) {
      const { Results = [] } = await client.call("ListMessageMoveTasks", { SourceArn: queueArn(PARKED) });
      const [task] = Results;
      if (task?.Status === "COMPLETED") break;
      if (task?.Status !== "RUNNING" || performance.now() - startedAtMs > FINISH_MS_MAX) {
        this.#books.finding(`the move task did not complete: ${JSON.stringify(task)}`);
        break;
      }
      await sleep(200);
    }
    await this.#collect(client, TARGET);
    for (const [body, count] of this.#bodies) {
      if (count !== 1) this.#books.finding(`move task: "${body}" arrived ${count} times`);
    }
    const left = await client.call("ReceiveMessage", { QueueUrl: queueUrl(PARKED), MaxNumberOfMessages: 10 });
    if (left.Messages !== undefined) this.#books.finding(`move task: ${left.Messages.length} messages stayed behind`);
  }

  async #collect(client: LeanClient, queue: string): Promise<void> {
    const QueueUrl = queueUrl(queue);
    for (;;) {
      const { Messages = [] } = await client.call("ReceiveMessage", {
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 600,
      });
      if (Messages.length === 0) return;
      for (const { Body, MD5OfBody, ReceiptHandle } of Messages) {
        if (MD5OfBody !== md5(Body) || !this.#bodies.has(Body))
          this.#books.finding(`move task: unknown body "${Body}"`);
        this.#bodies.set(Body, (this.#bodies.get(Body) ?? 0) + 1);
        await client.call("DeleteMessage", { QueueUrl, ReceiptHandle });
      }
    }
  }
}
