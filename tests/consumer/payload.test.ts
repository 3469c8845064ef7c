// What is in a message: envelopes, schemas, large payloads, traces, batches, and producers that report.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import type { ObjectStore, StandardSchema, TraceContext } from "../../src/consumer/index.ts";
import { consume, fromLambda, InvalidMessage, producer } from "../../src/consumer/index.ts";
import { receive, withWorld } from "./world.ts";

class MemoryStore implements ObjectStore {
  readonly objects = new Map<string, string>();

  async put(bucket: string, key: string, body: string): Promise<void> {
    this.objects.set(`${bucket}/${key}`, body);
  }

  async get(bucket: string, key: string): Promise<string> {
    const body = this.objects.get(`${bucket}/${key}`);
    if (body === undefined) throw new InvalidMessage("gone");
    return body;
  }

  async delete(bucket: string, key: string): Promise<void> {
    this.objects.delete(`${bucket}/${key}`);
  }
}

const positive: StandardSchema<{ amount: number }> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) =>
      (value as { amount?: number }).amount !== undefined && (value as { amount: number }).amount > 0
        ? { value: value as { amount: number } }
        : { issues: [{ message: "must be above 0", path: ["amount"] }] },
  },
};

test("a body that does not match its schema is rejected with the issues, once", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const url = await queue("orders", {}, { name: "failed", after: 5 });
    await send(url, ['{"amount":5}', '{"amount":-5}']);
    const amounts: number[] = [];
    const handler = ({ body }: { body: { amount: number } }) => void amounts.push(body.amount);
    await own(consume({ queue: url, client: sqs, clock, schema: positive, handler })).start();
    await clock.advance("1s");
    assert.deepEqual(amounts, [5]);
    const [dead] = await receive(sqs, url.replace("orders", "failed"));
    assert.equal(dead?.Body, '{"amount":-5}');
    const { "millpond-rejected": why, "millpond-rejected-detail": detail } = dead?.MessageAttributes ?? {};
    assert.equal(why?.StringValue, "the body does not match the schema");
    assert.equal(detail?.StringValue, '{"issues":["amount: must be above 0"]}');
  });
});

test("SNS notifications and EventBridge events are opened; what is around them is kept", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const notification = {
      Type: "Notification",
      MessageId: "n-1",
      TopicArn: "arn:aws:sns:us-east-1:000000000000:orders",
      Subject: "hello",
      Message: '{"order":7}',
      Timestamp: "2026-01-01T00:00:00.000Z",
      MessageAttributes: { tier: { Type: "String", Value: "gold" }, raw: { Type: "Binary", Value: "AQI=" } },
    };
    const event = {
      version: "0",
      id: "e-1",
      "detail-type": "OrderPlaced",
      source: "shop",
      account: "000000000000",
      time: "2026-01-01T00:00:00Z",
      region: "us-east-1",
      resources: ["arn:x"],
      detail: { order: 8 },
    };
    for (const [decode, body] of [
      ["sns", notification],
      ["eventbridge", event],
    ] as const) {
      const url = await queue(`from-${decode}`);
      await send(url, [JSON.stringify(body)]);
      const seen: unknown[] = [];
      const handler = (message: { body: unknown; envelope?: object }) => void seen.push(message.body, message.envelope);
      await own(consume({ queue: url, client: sqs, clock, decode, handler })).start();
      await clock.advance("1s");
      const [inner, envelope] = seen as [object, Record<string, unknown>];
      assert.deepEqual(inner, { order: decode === "sns" ? 7 : 8 });
      if (decode === "sns") {
        assert.deepEqual(envelope["attributes"], { tier: "gold", raw: Buffer.from([1, 2]) });
        assert.deepEqual([envelope["messageId"], envelope["subject"]], ["n-1", "hello"]);
      } else
        assert.deepEqual([envelope["id"], envelope["detailType"], envelope["source"]], ["e-1", "OrderPlaced", "shop"]);
    }
  });
});

test("a large payload goes through the store in the format of AWS's extended clients, and goes with the message", async () => {
  await withWorld(async ({ queue, sqs, clock, own }) => {
    const url = await queue("orders");
    const store = new MemoryStore();
    const largePayload = { store, bucket: "payloads", prefix: "orders/" };
    const text = "é".repeat(1_500_000);
    await producer({ queue: url, client: sqs, clock, largePayload }).send({ body: text, attributes: { tier: "gold" } });
    assert.equal(store.objects.size, 1);
    const seen: [number, unknown][] = [];
    await own(
      consume<string>({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        largePayload,
        handler: ({ body, attributes, raw }) => {
          assert.equal(body, text);
          assert.equal(attributes["ExtendedPayloadSize"], "3000000");
          const [name, pointer] = JSON.parse(raw.Body ?? "");
          assert.equal(name, "software.amazon.payloadoffloading.PayloadS3Pointer");
          assert.deepEqual([...store.objects.keys()], [`payloads/${pointer.s3Key}`]);
          seen.push([body.length, attributes["tier"]]);
        },
      }),
    ).start();
    await clock.advance("1s");
    assert.deepEqual(seen, [[1_500_000, "gold"]]);
    assert.equal(store.objects.size, 0);
  });
});

test("older pointers are read; a pointer to somewhere else is rejected and its object left alone", async () => {
  await withWorld(async ({ queue, sqs, clock, own, states }) => {
    const url = await queue("orders", {}, { name: "failed", after: 5 });
    const store = new MemoryStore();
    await store.put("payloads", "old", "from the past");
    await store.put("secrets", "key", "not for us");
    const post = (pointer: unknown, attribute: string) =>
      sqs.send(
        new SendMessageCommand({
          QueueUrl: url,
          MessageBody: JSON.stringify(pointer),
          MessageAttributes: { [attribute]: { DataType: "Number", StringValue: "13" } },
        }),
      );
    const old = { s3BucketName: "payloads", s3Key: "old" };
    await post(["com.amazon.sqs.javamessaging.MessageS3Pointer", old], "SQSLargePayloadSize");
    await post(old, "ExtendedPayloadSize");
    await post([{ s3BucketName: "secrets", s3Key: "key" }], "ExtendedPayloadSize");
    await post(
      ["software.amazon.payloadoffloading.PayloadS3Pointer", { s3BucketName: "secrets", s3Key: "key" }],
      "ExtendedPayloadSize",
    );
    const seen: string[] = [];
    await own(
      consume<string>({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        largePayload: { store, allow: [{ bucket: "payloads" }], deleteObject: false },
        handler: ({ body }) => void seen.push(body),
      }),
    ).start();
    await clock.advance("1s");
    assert.deepEqual(seen, ["from the past", "from the past"]);
    assert.equal(store.objects.size, 2);
    assert.equal((await states("failed")).length, 2);
  });
});

test("a trace goes from producer to handler and on to what the handler sends, never over ten attributes", async () => {
  await withWorld(async ({ queue, sqs, clock, own }) => {
    const first = await queue("first");
    const second = await queue("second");
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const xray = "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1";
    await producer({ queue: first, client: sqs, clock }).send({ body: "a", trace: { traceparent, xray } });
    const onwards = producer({ queue: second, client: sqs, clock });
    const traces: TraceContext[] = [];
    const ten = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, "x"]));
    await own(
      consume({
        queue: first,
        client: sqs,
        clock,
        decode: "text",
        handler: async (_, { trace }) => {
          traces.push(trace);
          await onwards.send({ body: "b" });
          await onwards.send({ body: "c", attributes: ten });
        },
      }),
    ).start();
    await clock.advance("1s");
    assert.deepEqual(traces, [{ traceparent, xray }]);
    const [b, c] = (await receive(sqs, second)).sort((left, right) =>
      String(left.Body).localeCompare(String(right.Body)),
    );
    assert.equal(b?.MessageAttributes?.["traceparent"]?.StringValue, traceparent);
    assert.equal(b?.Attributes?.AWSTraceHeader, xray);
    assert.deepEqual(Object.keys(c?.MessageAttributes ?? {}).sort(), Object.keys(ten).sort());
    assert.equal(c?.Attributes?.AWSTraceHeader, xray);
  });
});

test("a producer splits by count and bytes and reports each message that was not sent", async () => {
  await withWorld(async ({ queue, sqs, clock, states }) => {
    await queue("orders");
    const small = Array.from({ length: 25 }, (_, index) => ({ body: { index } }));
    const big = { body: "x".repeat(400_000) };
    const huge = { body: "x".repeat(1_100_000) };
    const calls = { count: 0 };
    const real = sqs.send.bind(sqs);
    let isFlaky = true;
    sqs.send = (async (command: { constructor: { name: string }; input: { Entries?: { Id: string }[] } }) => {
      if (command.constructor.name !== "SendMessageBatchCommand") return real(command as never);
      calls.count += 1;
      const [first] = command.input.Entries ?? [];
      if (!isFlaky || first?.Id !== "0") return real(command as never);
      // The first message fails once, on the queue's side.
      isFlaky = false;
      command.input.Entries?.shift();
      const answer = (await real(command as never)) as { Failed?: object[] };
      return { ...answer, Failed: [{ Id: "0", Code: "InternalError", SenderFault: false }] };
    }) as typeof sqs.send;
    const sending = producer({ queue: "orders", client: sqs, clock, callsMax: 1 }).sendAll([
      ...small,
      big,
      big,
      big,
      huge,
      { body: "bad", attributes: { "AWS.reserved": "x" } },
    ]);
    await clock.advance("1s");
    const { sent, failed } = await sending;
    assert.equal(sent.length, 28);
    assert.deepEqual(
      failed.map(({ index, code, isSenderFault }) => [index, code, isSenderFault]),
      [
        [28, "MessageTooLong", true],
        [29, failed[1]?.code, true],
      ],
    );
    // 10 + 10 + (5 + 2 large ones) + (1 large one + the bad one), and the first again.
    assert.equal(calls.count, 5);
    assert.equal((await states("orders")).length, 28);
  });
});

test("on FIFO nothing of a group is sent behind a message that could not be", async () => {
  await withWorld(async ({ queue, sqs, clock, inspect }) => {
    const url = await queue("orders.fifo");
    const huge = "x".repeat(1_100_000);
    const { sent, failed } = await producer({ queue: url, client: sqs, clock }).sendAll([
      { body: "a1", groupId: "a" },
      { body: huge, groupId: "a" },
      { body: "a3", groupId: "a" },
      { body: "b1", groupId: "b" },
    ]);
    assert.deepEqual(
      [sent.map(({ index }) => index), failed.map(({ code }) => code)],
      [
        [0, 3],
        ["MessageTooLong", "GroupStopped"],
      ],
    );
    assert.deepEqual(
      (await inspect("orders.fifo")).map(({ body }) => body),
      ["a1", "b1"],
    );
  });
});

test("the rate limit spaces starts out, and a burst is what it says", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const url = await queue("orders");
    await send(
      url,
      Array.from({ length: 30 }, (_, index) => String(index)),
    );
    const startMs = clock.nowMs();
    const at: number[] = [];
    await own(
      consume({
        queue: url,
        client: sqs,
        clock,
        rateLimit: { count: 5, per: "1s", burst: 3 },
        handler: () => void at.push(clock.nowMs() - startMs),
      }),
    ).start();
    await clock.advance("4s");
    assert.deepEqual(at.slice(0, 6), [0, 0, 0, 200, 400, 600]);
    assert.equal(at.length, 23);
  });
});

test("messages of one key run at most so many at a time on a standard queue", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const url = await queue("orders");
    await send(url, ["a1", "a2", "a3", "b1"]);
    const running = new Set<string>();
    const together: string[] = [];
    await own(
      consume<string>({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        concurrency: { max: 10, perGroup: 2, key: ({ Body }) => Body?.slice(0, 1) },
        handler: async ({ body }) => {
          running.add(body);
          together.push([...running].sort().join(" "));
          await new Promise<void>((resolve) => clock.setTimer(clock.nowMs() + 1000, resolve));
          running.delete(body);
        },
      }),
    ).start();
    await clock.advance("3s");
    assert.ok(together.some((names) => names.includes("b1")));
    assert.ok(
      together.every((names) => (names.match(/a/g) ?? []).length <= 2),
      String(together),
    );
  });
});

test("a Lambda handler runs as it is, with partial batch responses", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const url = await queue("orders", {}, { name: "failed", after: 2 });
    await send(url, ["good", "bad", "fine"]);
    const seen: string[] = [];
    const lambda = (event: { Records: { messageId: string; body: string; eventSource: string }[] }) => {
      const failing = event.Records.filter(({ body }) => body === "bad");
      seen.push(...event.Records.map(({ body }) => body));
      assert.equal(event.Records[0]?.eventSource, "aws:sqs");
      return { batchItemFailures: failing.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    };
    const queueArn = "arn:aws:sqs:us-east-1:000000000000:orders";
    const batchHandler = fromLambda(lambda, { queueArn });
    const consumer = own(
      consume({ queue: url, client: sqs, clock, decode: "text", retry: { delay: "1s" }, batchHandler }),
    );
    await consumer.start();
    await clock.advance("30s");
    assert.deepEqual(seen.sort(), ["bad", "bad", "fine", "good"]);
    assert.equal((await receive(sqs, url.replace("orders", "failed")))[0]?.Body, "bad");
  });
});

test("a batch waits for its fill as long as it is told, and around wraps every single call", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const url = await queue("orders");
    const batches: number[] = [];
    const batchHandler = (messages: readonly unknown[]) => void batches.push(messages.length);
    const options = { queue: url, client: sqs, clock, decode: "text" as const };
    const consumer = own(consume({ ...options, batchWait: "5s", batchHandler }));
    await consumer.start();
    await send(url, ["a"]);
    await clock.advance("2s");
    await send(url, ["b", "c"]);
    await clock.advance("2s");
    assert.deepEqual(batches, []);
    await clock.advance("2s");
    assert.deepEqual(batches, [3]);
    const stopping = consumer.stop();
    await clock.advance("20s");
    await stopping;
    const steps: string[] = [];
    const single = own(
      consume({
        ...options,
        around: async (message, next) => {
          steps.push(`before ${message.text}`);
          const answer = await next();
          steps.push("after");
          return answer;
        },
        handler: () => void steps.push("handler"),
      }),
    );
    await single.start();
    await send(url, ["d"]);
    await clock.advance("1s");
    assert.deepEqual(steps, ["before d", "handler", "after"]);
  });
});
