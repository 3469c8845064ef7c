// KEDA scales from here: its aws-sqs-queue scaler makes these SQS calls, its metrics-api scaler takes one number out of
// a JSON answer. The calls are those of KEDA's scalers, in the form of the Go SDK's JSON protocol.

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../../src/cli/run.ts";
import { type Millpond, startMillpond } from "../../src/testing/index.ts";
import { until } from "../consumer/world.ts";

async function sqs(millpond: Millpond, action: string, input: object): Promise<Record<string, unknown>> {
  const response = await fetch(millpond.endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": `AmazonSQS.${action}`,
      authorization:
        "AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/sqs/aws4_request, SignedHeaders=host, Signature=0",
    },
    body: JSON.stringify(input),
  });
  assert.equal(response.status, 200, action);
  return (await response.json()) as Record<string, unknown>;
}

/** Three messages: one in flight, one visible, one delayed. */
async function givenQueue(millpond: Millpond): Promise<string> {
  const { QueueUrl } = (await sqs(millpond, "CreateQueue", { QueueName: "orders" })) as { QueueUrl: string };
  for (const DelaySeconds of [0, 0, 600])
    await sqs(millpond, "SendMessage", { QueueUrl, MessageBody: "x", DelaySeconds });
  await sqs(millpond, "ReceiveMessage", { QueueUrl, MaxNumberOfMessages: 1 });
  return QueueUrl;
}

test("the aws-sqs-queue scaler finds the queue by name and reads the three counts", async () => {
  const millpond = await startMillpond();
  try {
    const url = await givenQueue(millpond);
    const { QueueUrl } = await sqs(millpond, "GetQueueUrl", { QueueName: "orders" });
    assert.equal(QueueUrl, url);
    // Older scalers refuse a URL whose path is not exactly account and name.
    assert.equal(new URL(url).pathname.split("/").length, 3);
    const ask = async (AttributeNames: string[]) =>
      (await sqs(millpond, "GetQueueAttributes", { QueueUrl, AttributeNames }))["Attributes"];
    const visible = { ApproximateNumberOfMessages: "1" };
    const inFlight = { ApproximateNumberOfMessagesNotVisible: "1" };
    const delayed = { ApproximateNumberOfMessagesDelayed: "1" };
    assert.deepEqual(await ask(Object.keys(visible)), visible);
    assert.deepEqual(await ask(Object.keys({ ...visible, ...inFlight })), { ...visible, ...inFlight });
    assert.deepEqual(await ask(Object.keys({ ...visible, ...inFlight, ...delayed })), {
      ...visible,
      ...inFlight,
      ...delayed,
    });
  } finally {
    await millpond.stop();
  }
});

test("the metrics-api scaler finds numbers in the server's load and in the supervisor's report", async () => {
  const millpond = await startMillpond();
  const interruption = new AbortController();
  let notes = "";
  const note = (text: string) => {
    notes += text;
  };
  const silent = { isTerminal: false, columns: 80 };
  try {
    await givenQueue(millpond);
    const load = await (await fetch(`${millpond.endpoint}/_millpond/queues/000000000000/eu-west-1/orders/load`)).json();
    assert.equal((load as { backlog: unknown }).backlog, 2);
    const running = run(
      [
        "work",
        "--queue",
        "orders",
        "--region",
        "eu-west-1",
        "--dry-run",
        "--listen",
        "0",
        "--target",
        "1",
        "--every",
        "50ms",
      ],
      {
        environment: { AWS_ENDPOINT_URL: millpond.endpoint },
        readInput: async () => "",
        interrupted: interruption.signal,
        out: { ...silent, write: () => undefined },
        err: { ...silent, write: note },
      },
    );
    await until(() => /0 -> 2 workers/.test(notes), "a decision");
    const endpoint = /http:\/\/\S+\//.exec(notes)?.[0] as string;
    const report = (await (await fetch(endpoint)).json()) as Record<string, unknown>;
    assert.deepEqual([report["backlog"], report["wantedWorkers"]], [2, 2]);
    assert.match(String(report["why"]), /2 messages at 1 message a worker/);
    assert.equal((await fetch(endpoint, { method: "POST" })).status, 405);
    interruption.abort();
    assert.equal(await running, 0);
  } finally {
    interruption.abort();
    await millpond.stop();
  }
});
