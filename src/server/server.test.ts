import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { isFault } from "../base/fault.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { LogSink } from "./log-sink.ts";
import type { RunningServer, ServerOptions } from "./server.ts";
import { startServer } from "./server.ts";

async function withServer(options: ServerOptions, use: (server: RunningServer) => Promise<void>): Promise<void> {
  const server = await startServer({ port: 0, memory: true, ...options });
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "millpond-server-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function callSqs(server: RunningServer, action: string, input: object, headers: Record<string, string> = {}) {
  const response = await fetch(server.endpoint, {
    method: "POST",
    headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AmazonSQS.${action}`, ...headers },
    body: JSON.stringify(input),
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

async function getJson(server: RunningServer, path: string, init: RequestInit = {}) {
  const response = await fetch(`${server.endpoint}${path}`, init);
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

test("the ready file appears whole once the server answers, and goes when it stops", async () => {
  await withFolder(async (folder) => {
    const readyFile = join(folder, "ready.json");
    writeFileSync(readyFile, "left over\n");
    const server = await startServer({ port: 0, memory: true, readyFile });
    const line = readFileSync(readyFile, "utf8");
    assert.equal(line.indexOf("\n"), line.length - 1);
    assert.deepEqual(JSON.parse(line), { endpoint: server.endpoint, pid: process.pid });
    await server.stop();
    assert.equal(existsSync(readyFile), false);
  });
});

test("a start that fails leaves nothing open: no ready file, no lock on the data folder", async () => {
  await withFolder(async (folder) => {
    const data = join(folder, "data");
    const readyFile = join(folder, "ready.json");
    await withServer({}, async ({ port }) => {
      await assert.rejects(startServer({ port, data, readyFile }), (error) => isFault(error, "PortTaken"));
    });
    assert.equal(existsSync(readyFile), false);
    const server = await startServer({ port: 0, data });
    await server.stop();
  });
});

test("what was acknowledged is there after a stop and a start", async () => {
  await withFolder(async (data) => {
    const first = await startServer({ port: 0, data });
    await callSqs(first, "CreateQueue", { QueueName: "orders" });
    await callSqs(first, "SendMessage", { QueueUrl: `${first.endpoint}/000000000000/orders`, MessageBody: "kept" });
    await first.stop();
    const second = await startServer({ port: 0, data });
    const { answer } = await getJson(second, "/_millpond/queues/000000000000/us-east-1/orders/messages");
    assert.equal((answer["messages"] as { body: string }[])[0]?.body, "kept");
    await second.stop();
  });
});

test("what waited for an endpoint says, after a start on another port, where the server is now", async () => {
  await withFolder(async (folder) => {
    const asked: string[] = [];
    let status = 500;
    let heard = () => {};
    const subscriber = createServer(async (request, response) => {
      asked.push(JSON.parse(await text(request)).SubscribeURL);
      response.writeHead(status).end();
      heard();
    });
    await once(subscriber.listen(0, "127.0.0.1"), "listening");
    const endpoint = `http://127.0.0.1:${(subscriber.address() as AddressInfo).port}/hook`;
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const options = { port: 0, data: folder, clock, logLevel: "error" } as const;
    let hears = new Promise<void>((resolve) => (heard = resolve));
    const first = await startServer(options);
    try {
      const scope = { account: "000000000000", region: "us-east-1" };
      const topic = { ...scope, name: "t" };
      await first.queues.execute<"createTopic">({ kind: "createTopic", topic, attributes: {}, tags: {} });
      await first.queues.execute<"subscribe">({
        kind: "subscribe",
        topic,
        protocol: "http",
        endpoint,
        attributes: {},
        owner: scope.account,
        principal: `arn:aws:iam::${scope.account}:root`,
      });
      await hears;
    } finally {
      await first.stop();
    }
    await clock.advance(60_000);
    status = 200;
    hears = new Promise<void>((resolve) => (heard = resolve));
    const second = await startServer(options);
    try {
      await hears;
      assert.ok(asked[0]?.startsWith(`${first.endpoint}/?`), asked[0]);
      assert.ok(asked.at(-1)?.startsWith(`${second.endpoint}/?`), asked.at(-1));
    } finally {
      await second.stop();
      subscriber.close();
    }
  });
});

test("health answers in our form, in LocalStack's and at /health", async () => {
  await withServer({}, async (server) => {
    const ours = await getJson(server, "/_millpond/health");
    assert.equal(ours.status, 200);
    assert.deepEqual(Object.keys(ours.answer), ["status", "version", "uptimeSeconds", "durability", "shards"]);
    assert.equal(ours.answer["durability"], "memory");
    const theirs = await getJson(server, "/_localstack/health");
    assert.deepEqual(theirs.answer["services"], { sqs: "running", sns: "running", lambda: "running", sts: "running" });
    assert.equal((await getJson(server, "/health")).status, 200);
  });
});

test("reset is refused unless it was allowed at start, under each of its names", async () => {
  const names = ["/_millpond/reset", "/_localstack/state/reset", "/moto-api/reset"];
  await withServer({}, async (server) => {
    for (const name of names) assert.equal((await getJson(server, name, { method: "POST" })).status, 403, name);
  });
  await withServer({ allowReset: true }, async (server) => {
    for (const name of names) {
      await callSqs(server, "CreateQueue", { QueueName: "orders" });
      assert.equal((await getJson(server, name, { method: "POST" })).status, 200, name);
      assert.equal(server.status().queueCount, 0, name);
    }
    const foreign = { method: "POST", headers: { origin: "https://evil.example" } };
    assert.equal((await getJson(server, "/_millpond/reset", foreign)).status, 403);
  });
});

test("the queue list shows counts, of every account and region", async () => {
  await withServer({}, async (server) => {
    const authorization = "AWS4-HMAC-SHA256 Credential=123456789012/20260101/eu-west-1/sqs/aws4_request, Signature=0";
    await callSqs(server, "CreateQueue", { QueueName: "here" });
    await callSqs(server, "CreateQueue", { QueueName: "there" }, { authorization });
    await callSqs(server, "SendMessage", { QueueUrl: `${server.endpoint}/000000000000/here`, MessageBody: "a" });
    const { answer } = await getJson(server, "/_millpond/queues");
    const queues = answer["queues"] as { name: string; region: string; account: string; visibleCount: number }[];
    assert.deepEqual(
      queues.map(({ name, region, account, visibleCount }) => [name, region, account, visibleCount]),
      [
        ["here", "us-east-1", "000000000000", 1],
        ["there", "eu-west-1", "123456789012", 0],
      ],
    );
  });
});

test("unknown admin paths, wrong methods and wrong limits are told apart", async () => {
  await withServer({}, async (server) => {
    assert.equal((await getJson(server, "/_millpond/nothing")).status, 404);
    assert.equal((await getJson(server, "/_millpond/reset")).status, 405);
    const peek = "/_millpond/queues/000000000000/us-east-1/none/messages";
    assert.equal((await getJson(server, peek)).status, 404);
    assert.equal((await getJson(server, "/_millpond/topics/000000000000/us-east-1/none/subscriptions")).status, 404);
    assert.equal((await getJson(server, `${peek}?limit=0`)).status, 400);
    assert.equal((await getJson(server, "/_millpond/clock/advance", { method: "POST", body: "{}" })).status, 409);
  });
});

test("LocalStack's peek shows what is visible, and more on request, without consuming", async () => {
  await withServer({}, async (server) => {
    const QueueUrl = `${server.endpoint}/000000000000/orders`;
    await callSqs(server, "CreateQueue", { QueueName: "orders" });
    for (const MessageBody of ["one", "two & <three>"]) await callSqs(server, "SendMessage", { QueueUrl, MessageBody });
    await callSqs(server, "SendMessage", { QueueUrl, MessageBody: "later", DelaySeconds: 60 });
    const path = `/_aws/sqs/messages?QueueUrl=${encodeURIComponent(QueueUrl)}`;
    const asJson = { headers: { accept: "application/json" } };

    async function bodies(more: string): Promise<unknown[]> {
      const { answer } = await getJson(server, path + more, asJson);
      const result = (answer as { ReceiveMessageResponse: { ReceiveMessageResult: { Message: unknown } | null } })
        .ReceiveMessageResponse.ReceiveMessageResult;
      return [result?.Message ?? []].flat().map((message) => (message as { Body: string }).Body);
    }

    assert.deepEqual(await bodies(""), ["one", "two & <three>"]);
    await callSqs(server, "ReceiveMessage", { QueueUrl, MaxNumberOfMessages: 1 });
    assert.equal((await bodies("")).length, 1);
    assert.deepEqual(await bodies("&ShowInvisible=true"), ["one", "two & <three>"]);
    assert.deepEqual(await bodies("&ShowInvisible=1&ShowDelayed=true"), ["one", "two & <three>", "later"]);
    const xml = await (await fetch(`${server.endpoint}/_aws/sqs/messages/us-east-1/000000000000/orders`)).text();
    assert.match(xml, /<ReceiveMessageResponse xmlns="[^"]+"><ReceiveMessageResult><Message><MessageId>/);
    assert.match(xml, /<Name>ApproximateReceiveCount<\/Name><Value>0<\/Value>/);
    const missing = await getJson(server, "/_aws/sqs/messages/us-east-1/000000000000/none", asJson);
    assert.equal(missing.status, 400);
    const short = await getJson(server, "/_aws/sqs/messages?QueueUrl=http%3A%2F%2Flocalhost%2Fnonsense", asJson);
    assert.equal(short.status, 404);
  });
});

test("a request over the limit gets AWS's error in the caller's protocol", async () => {
  await withServer({ requestBytesMax: 1024 * 1024 }, async (server) => {
    const json = await callSqs(server, "SendMessage", { MessageBody: "x".repeat(1024 * 1024) });
    assert.equal(json.status, 413);
    assert.match(String(json.answer["__type"]), /#RequestTooLarge$/);
    const query = await fetch(server.endpoint, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `Action=SendMessage&MessageBody=${"x".repeat(1024 * 1024)}`,
    });
    assert.equal(query.status, 413);
    assert.match(await query.text(), /<Code>RequestTooLarge<\/Code>/);
  });
});

test("a host that stopped is a retryable 503, and a surprise is a 500 that the log can find", async () => {
  const logged: [string, string, Record<string, unknown>][] = [];
  const log: LogSink = (level, text, details = {}) => void logged.push([level, text, details]);
  await withServer({ log }, async (server) => {
    const original = server.queues.execute;
    server.queues.execute = async () => {
      throw new TypeError("a bug");
    };
    const surprise = await callSqs(server, "ListQueues", {});
    server.queues.execute = original;
    assert.equal(surprise.status, 500);
    assert.match(String(surprise.answer["__type"]), /#InternalFailure$/);
    const [level, , details] = logged.at(-1) ?? [];
    assert.equal(level, "error");
    assert.match(String(details?.["stack"]), /a bug/);
    assert.equal(details?.["operation"], "ListQueues");
    await server.queues.stop();
    const stopped = await callSqs(server, "ListQueues", {});
    assert.equal(stopped.status, 503);
  });
});

test("a person's browser gets a page, anything else at / gets AWS's answer", async () => {
  await withServer({}, async (server) => {
    const page = await fetch(`${server.endpoint}/`, { headers: { accept: "text/html,application/xhtml+xml" } });
    assert.equal(page.status, 200);
    assert.match(await page.text(), /aws sqs create-queue/);
    const bare = await fetch(`${server.endpoint}/`);
    assert.equal(bare.status, 404);
    assert.match(await bare.text(), /UnknownOperation/);
  });
});

test("stopping answers a waiting receive", async () => {
  const server = await startServer({ port: 0, memory: true });
  await callSqs(server, "CreateQueue", { QueueName: "quiet" });
  const QueueUrl = `${server.endpoint}/000000000000/quiet`;
  const waiting = callSqs(server, "ReceiveMessage", { QueueUrl, WaitTimeSeconds: 20 });
  // The receive is known to wait once a later request on another connection was answered.
  await callSqs(server, "ListQueues", {});
  await server.stop();
  assert.deepEqual((await waiting).status, 200);
});
