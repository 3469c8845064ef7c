// sqs-consumer with the current AWS SDK: handles, fails into the dead-letter queue, and keeps the order of a FIFO queue.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { Consumer, type ConsumerOptions } from "sqs-consumer";
import { startServer } from "./tools.ts";

const WAIT_MS_MAX = 20_000;

test("sqs-consumer: create, send, receive, delete, dead letters, FIFO", async (context) => {
  const endpoint = await startServer(context);
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const sqs = new SQSClient({ endpoint, region: "us-east-1", credentials });
  context.after(() => sqs.destroy());
  const create = async (QueueName: string, Attributes: Record<string, string> = {}) =>
    (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl as string;
  const attribute = async (
    QueueUrl: string,
    name: "QueueArn" | "ApproximateNumberOfMessages" | "ApproximateNumberOfMessagesNotVisible",
  ) =>
    (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }))).Attributes?.[name] as string;

  const dead = await create("consumer-dead");
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: await attribute(dead, "QueueArn"), maxReceiveCount: 2 });
  const queue = await create("consumer", { RedrivePolicy });
  const fifo = await create("consumer.fifo", { FifoQueue: "true", ContentBasedDeduplication: "true" });
  const bodies = Array.from({ length: 20 }, (_, index) => `message ${index}`);
  for (const MessageBody of [...bodies, "poison"])
    await sqs.send(new SendMessageCommand({ QueueUrl: queue, MessageBody }));
  for (const part of [bodies.slice(0, 10), bodies.slice(10)]) {
    const Entries = part.map((MessageBody, index) => ({ Id: String(index), MessageBody, MessageGroupId: "g" }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: fifo, Entries }));
  }

  const errors: Error[] = [];
  const handled = { plain: [] as string[], dead: [] as string[], fifo: [] as string[] };
  const consume = (options: Omit<ConsumerOptions, "sqs">) => {
    const consumer = Consumer.create({
      sqs,
      waitTimeSeconds: 1,
      terminateVisibilityTimeout: true,
      suppressFifoWarning: true,
      ...options,
    });
    // A handler that fails is part of the test ("processing_error"); anything else is not.
    consumer.on("error", (error) => errors.push(error));
    consumer.start();
    context.after(() => consumer.stop({ abort: true }));
  };
  let poisonTries = 0;
  consume({
    queueUrl: queue,
    handleMessage: async (message: Message) => {
      if (message.Body !== "poison") handled.plain.push(message.Body as string);
      else {
        poisonTries += 1;
        throw new Error("this one always fails");
      }
      return message;
    },
  });
  const noteBatch = (into: string[]) => async (messages: Message[]) => {
    into.push(...messages.map((message) => message.Body as string));
    return messages;
  };
  consume({ queueUrl: fifo, batchSize: 10, handleMessageBatch: noteBatch(handled.fifo) });
  consume({ queueUrl: dead, batchSize: 10, handleMessageBatch: noteBatch(handled.dead) });

  const startedAtMs = performance.now();
  while (handled.dead.length < 1 || handled.plain.length < 20 || handled.fifo.length < 20) {
    assert.ok(performance.now() - startedAtMs < WAIT_MS_MAX, JSON.stringify(handled));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(handled.plain.sort(), bodies.sort());
  assert.equal(poisonTries, 2);
  assert.deepEqual(handled.dead, ["poison"]);
  assert.deepEqual(
    handled.fifo,
    Array.from({ length: 20 }, (_, index) => `message ${index}`),
  );
  assert.deepEqual(errors, []);
  // Deletes are on their way when the last handler returns.
  for (const url of [queue, fifo, dead]) {
    for (const name of ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const) {
      while ((await attribute(url, name)) !== "0") {
        assert.ok(performance.now() - startedAtMs < WAIT_MS_MAX, `${url} still has messages`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
});
