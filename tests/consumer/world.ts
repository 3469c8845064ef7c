// A Millpond on a virtual clock, a client of it that the clock waits for, and the few calls that stories need.

import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { Consumer } from "../../src/consumer/index.ts";
import type { Millpond, MillpondOptions, PresentedMessage } from "../../src/testing/index.ts";
import { startMillpond } from "../../src/testing/index.ts";

export interface World {
  millpond: Millpond;
  sqs: SQSClient;
  clock: Millpond["clock"];
  /** The queue's URL. Attributes are SQS's; `dlq` makes a dead-letter queue and names the receives it takes. */
  queue(name: string, attributes?: Record<string, string>, dlq?: { name: string; after: number }): Promise<string>;
  send(url: string, bodies: string[], group?: (body: string) => string): Promise<void>;
  /** Body and state of every message, oldest first. */
  states(queue: string): Promise<string[]>;
  inspect(queue: string): Promise<PresentedMessage[]>;
  /** Stops it at the end of the test, whatever happened. */
  own<C extends Consumer>(consumer: C): C;
}

export function clientOf(millpond: Millpond): SQSClient {
  const credentials = { accessKeyId: millpond.accessKeyId, secretAccessKey: millpond.secretAccessKey };
  return new SQSClient({ endpoint: millpond.endpoint, region: millpond.region, credentials });
}

export async function withWorld(use: (world: World) => Promise<void>, options: MillpondOptions = {}): Promise<void> {
  const millpond = await startMillpond({ clock: "virtual", ...options });
  const sqs = millpond.clock.follow(clientOf(millpond));
  const consumers: Consumer[] = [];
  const world: World = {
    millpond,
    sqs,
    clock: millpond.clock,
    async queue(name, attributes = {}, dlq) {
      const all = { ...attributes };
      if (name.endsWith(".fifo")) Object.assign(all, { FifoQueue: "true", ContentBasedDeduplication: "true" });
      if (dlq !== undefined) {
        const deadLetterTargetArn = await arnOf(sqs, await world.queue(dlq.name));
        all["RedrivePolicy"] = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: dlq.after });
      }
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: all }));
      return QueueUrl as string;
    },
    async send(url, bodies, group) {
      for (let from = 0; from < bodies.length; from += 10) {
        const Entries = bodies.slice(from, from + 10).map((MessageBody, index) => ({
          Id: String(index),
          MessageBody,
          ...(group === undefined ? {} : { MessageGroupId: group(MessageBody) }),
        }));
        await sqs.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
      }
    },
    async states(queue) {
      return (await millpond.inspect(queue)).map(({ body, state }) => `${body} ${state}`);
    },
    inspect: (queue) => millpond.inspect(queue),
    own(consumer) {
      consumers.push(consumer);
      return consumer;
    },
  };
  try {
    await use(world);
  } finally {
    for (const consumer of consumers) await consumer.stop({ force: true });
    sqs.destroy();
    await millpond.stop();
  }
}

export async function arnOf(sqs: SQSClient, url: string): Promise<string> {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] }));
  return Attributes?.QueueArn as string;
}

export async function receive(sqs: SQSClient, url: string, max = 10) {
  const answer = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: max,
      MessageSystemAttributeNames: ["All"],
      MessageAttributeNames: ["All"],
    }),
  );
  return answer.Messages ?? [];
}

/** Work that takes this long by the world's clock. */
export function sleepOn(clock: Millpond["clock"], ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(clock.nowMs() + ms, resolve);
    signal?.addEventListener("abort", () => {
      timer.cancel();
      reject(signal.reason);
    });
  });
}

/** Resolves when the condition holds, looking again after every turn of the event loop; real time, for real I/O. */
export async function until(condition: () => boolean, what: string, msMax = 10_000): Promise<void> {
  const startedAtMs = performance.now();
  while (!condition()) {
    if (performance.now() - startedAtMs > msMax) throw new Error(`waited ${msMax} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
