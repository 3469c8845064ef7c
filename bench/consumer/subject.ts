// One consumer under measurement: fills a queue, works on it for a while, and counts messages and requests.

import { CreateQueueCommand, DeleteQueueCommand, type Message, SQSClient } from "@aws-sdk/client-sqs";
import { Consumer } from "sqs-consumer";
import { consume, producer } from "../../src/consumer/index.ts";

export interface Order {
  subject: "millpond/consumer" | "sqs-consumer";
  endpoint: string;
  handlerMs: number;
  concurrency: number;
  seconds: number;
}

export interface Measured {
  messages: number;
  receives: number;
  deletes: number;
  seconds: number;
}

const WARM_UP_SECONDS = 1;
/** More than any subject works off, so that no receive ever waits. */
const PER_SECOND_MAX = 4000;

const order = JSON.parse(process.argv[2] as string) as Order;
const { handlerMs, concurrency } = order;
const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const sqs = new SQSClient({ endpoint: order.endpoint, region: "us-east-1", credentials });
const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: "bench" }));
const ceiling = handlerMs === 0 ? PER_SECOND_MAX : Math.min(PER_SECOND_MAX, (concurrency * 1000) / handlerMs);
const count = Math.ceil((order.seconds + WARM_UP_SECONDS + 1) * ceiling) + 200;
await producer({ queue: QueueUrl, client: sqs }).sendAll(
  Array.from({ length: count }, (_, index) => ({ body: `message ${index}` })),
);

const counted: Measured = { messages: 0, receives: 0, deletes: 0, seconds: order.seconds };
const real = sqs.send.bind(sqs);
sqs.send = ((command: object, ...rest: never[]) => {
  const { name } = command.constructor;
  if (name === "ReceiveMessageCommand") counted.receives += 1;
  if (name.startsWith("DeleteMessage")) counted.deletes += 1;
  return real(command as never, ...rest);
}) as typeof sqs.send;

async function work(): Promise<void> {
  if (handlerMs > 0) await new Promise((resolve) => setTimeout(resolve, handlerMs));
  counted.messages += 1;
}

const stop = order.subject === "sqs-consumer" ? startSqsConsumer() : await startMillpondConsumer();
await pause(WARM_UP_SECONDS * 1000);
const before = { ...counted, atMs: performance.now() };
await pause(order.seconds * 1000);
const measured: Measured = {
  messages: counted.messages - before.messages,
  receives: counted.receives - before.receives,
  deletes: counted.deletes - before.deletes,
  seconds: (performance.now() - before.atMs) / 1000,
};
await stop();
await real(new DeleteQueueCommand({ QueueUrl }));
console.log(JSON.stringify(measured));
process.exit(0);

async function startMillpondConsumer(): Promise<() => Promise<unknown>> {
  const consumer = consume({
    queue: QueueUrl,
    client: sqs,
    decode: "text",
    concurrency,
    abortPolls: true,
    handler: work,
  });
  await consumer.start();
  return () => consumer.stop({ drain: "1s" });
}

/** A consumer of its own works on a batch of up to ten at a time; more concurrency is more consumers. */
function startSqsConsumer(): () => Promise<unknown> {
  const consumers = Array.from({ length: Math.ceil(concurrency / 10) }, () =>
    Consumer.create({
      queueUrl: QueueUrl,
      sqs,
      batchSize: Math.min(10, concurrency),
      handleMessage: async (message: Message) => {
        await work();
        return message;
      },
    }),
  );
  for (const consumer of consumers) {
    consumer.on("error", () => undefined);
    consumer.start();
  }
  return async () => consumers.forEach((consumer) => void consumer.stop({ abort: true }));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
