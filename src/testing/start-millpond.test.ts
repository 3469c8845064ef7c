import assert from "node:assert/strict";
import { test } from "node:test";
import type { Millpond, MillpondOptions } from "./start-millpond.ts";
import { startMillpond } from "./start-millpond.ts";

async function withMillpond(options: MillpondOptions, use: (millpond: Millpond) => Promise<void>): Promise<void> {
  const millpond = await startMillpond(options);
  try {
    await use(millpond);
  } finally {
    await millpond.stop();
  }
}

async function call(millpond: Millpond, action: string, input: object): Promise<Record<string, unknown>> {
  const response = await fetch(millpond.endpoint, {
    method: "POST",
    headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AmazonSQS.${action}` },
    body: JSON.stringify(input),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function states(millpond: Millpond, queue: string): Promise<string[]> {
  return (await millpond.inspect(queue)).map(({ state, body }) => `${body} ${state}`);
}

test("virtual time moves only when told, and what is due in between happens", async () => {
  await withMillpond({ clock: "virtual", startAtMs: 1_000_000 }, async (millpond) => {
    const { QueueUrl } = (await call(millpond, "CreateQueue", { QueueName: "orders" })) as { QueueUrl: string };
    await call(millpond, "SendMessage", { QueueUrl, MessageBody: "now" });
    await call(millpond, "SendMessage", { QueueUrl, MessageBody: "later", DelaySeconds: 10 });
    await call(millpond, "ReceiveMessage", { QueueUrl, VisibilityTimeout: 30 });
    assert.deepEqual(await states(millpond, "orders"), ["now inFlight", "later delayed"]);
    await millpond.clock.advance("10s");
    assert.deepEqual(await states(millpond, QueueUrl), ["now inFlight", "later visible"]);
    await millpond.clock.advance(20_000);
    assert.deepEqual(await states(millpond, "orders"), ["now visible", "later visible"]);
    assert.equal(millpond.clock.nowMs(), 1_030_000);
  });
});

test("a long poll ends when virtual time passes its wait, or at once with a message", async () => {
  await withMillpond({ clock: "virtual" }, async (millpond) => {
    const { QueueUrl } = (await call(millpond, "CreateQueue", { QueueName: "orders" })) as { QueueUrl: string };
    const empty = call(millpond, "ReceiveMessage", { QueueUrl, WaitTimeSeconds: 20 });
    await call(millpond, "ListQueues", {});
    await millpond.clock.advance("20s");
    assert.deepEqual(await empty, {});
    const woken = call(millpond, "ReceiveMessage", { QueueUrl, WaitTimeSeconds: 20 });
    await call(millpond, "SendMessage", { QueueUrl, MessageBody: "hello" });
    assert.equal(((await woken)["Messages"] as unknown[]).length, 1);
  });
});

test("the same seed gives the same message ids", async () => {
  async function idsOf(seed: number): Promise<string[]> {
    const ids: string[] = [];
    await withMillpond({ seed }, async (millpond) => {
      const { QueueUrl } = (await call(millpond, "CreateQueue", { QueueName: "orders" })) as { QueueUrl: string };
      for (const MessageBody of ["a", "b"]) {
        ids.push(String((await call(millpond, "SendMessage", { QueueUrl, MessageBody }))["MessageId"]));
      }
    });
    return ids;
  }
  assert.deepEqual(await idsOf(7), await idsOf(7));
  assert.notDeepEqual(await idsOf(7), await idsOf(8));
});

test("reset wipes everything, and inspecting a queue that is gone says which", async () => {
  await withMillpond({ shards: 4 }, async (millpond) => {
    await call(millpond, "CreateQueue", { QueueName: "orders" });
    assert.deepEqual(await millpond.inspect("orders"), []);
    await millpond.reset();
    await assert.rejects(millpond.inspect("orders"), /no queue "orders" in account 000000000000/);
  });
});

test("real time cannot be advanced, and a typo in a duration is not guessed at", async () => {
  await withMillpond({}, async (millpond) => {
    await assert.rejects(millpond.clock.advance("1s"), /virtual/);
  });
  await withMillpond({ clock: "virtual" }, async (millpond) => {
    await assert.rejects(millpond.clock.advance("1 sec"), RangeError);
  });
});

test("other languages move the clock over HTTP", async () => {
  await withMillpond({ clock: "virtual" }, async (millpond) => {
    const beforeMs = millpond.clock.nowMs();
    const init = { method: "POST", body: '{"by": "1m30s"}' };
    const response = await fetch(`${millpond.endpoint}/_millpond/clock/advance`, init);
    assert.deepEqual(await response.json(), { nowMs: beforeMs + 90_000 });
  });
});

test("the environment for a child process points at this server", async () => {
  await withMillpond({}, async ({ env, endpoint, region }) => {
    assert.equal(env["AWS_ENDPOINT_URL"], endpoint);
    assert.equal(env["AWS_REGION"], region);
  });
});
