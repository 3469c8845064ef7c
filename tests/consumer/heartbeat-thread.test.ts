// A blocked event loop: in real time, with the server in a process of its own, because the test's is the blocked one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CreateQueueCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { consume } from "../../src/consumer/index.ts";
import { startServe } from "../support/server-process.ts";
import { receive, until } from "./world.ts";

for (const thread of [true, false]) {
  test(`a handler that blocks for longer than the visibility timeout ${thread ? "keeps" : "loses"} its message ${thread ? "with" : "without"} a heartbeat thread`, async (context) => {
    const server = startServe(["--memory", "--log-level", "warn"]);
    context.after(() => server.signal("SIGKILL"));
    const endpoint = await server.ready;
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const sqs = new SQSClient({ endpoint, region: "us-east-1", credentials });
    context.after(() => sqs.destroy());
    const create = new CreateQueueCommand({ QueueName: "orders", Attributes: { VisibilityTimeout: "1" } });
    const { QueueUrl = "" } = await sqs.send(create);
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "a" }));
    let attempts = 0;
    const consumer = consume({
      queue: QueueUrl,
      client: sqs,
      decode: "text",
      waitSeconds: 0,
      concurrency: 1,
      prefetch: 0,
      heartbeat: { thread },
      handler: async () => {
        attempts += 1;
        // A thread starts in less, and without one the event loop is blocked before its first beat.
        if (thread) await new Promise((resolve) => setTimeout(resolve, 300));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
        // What others get, asked before anything here can make up for the lost time.
        const seen = await receive(sqs, QueueUrl);
        assert.equal(seen.length, thread ? 0 : 1);
      },
    });
    context.after(() => consumer.stop({ force: true }));
    await consumer.start();
    await until(() => consumer.stats().done + consumer.stats().retried + consumer.stats().lost > 0, "the handler");
    assert.equal(attempts, 1);
    assert.equal(consumer.stats().retried, 0);
    const stopped = await consumer.stop();
    assert.equal(stopped.leftRunning, 0);
  });
}
