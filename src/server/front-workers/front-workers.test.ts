// A server whose connections are taken by processes of their own.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { Fault, isFault } from "../../base/fault.ts";
import type { LogSink } from "../log-sink.ts";
import type { RunningServer, ServerOptions } from "../server.ts";
import { startServer } from "../server.ts";

async function withServer(options: ServerOptions, use: (server: RunningServer) => Promise<void>): Promise<void> {
  const server = await startServer({ port: 0, memory: true, workers: 2, ...options });
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows what it asked for
  body: any;
}

/** Each on a connection of its own, so that the processes take turns. */
async function call({ endpoint }: RunningServer, action: string, input: object): Promise<Answer> {
  const headers = {
    "content-type": "application/x-amz-json-1.0",
    "x-amz-target": `AmazonSQS.${action}`,
    connection: "close",
  };
  const response = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(input) });
  return { status: response.status, body: await response.json() };
}

async function get({ endpoint }: RunningServer, path: string): Promise<Answer> {
  const response = await fetch(`${endpoint}${path}`, { headers: { connection: "close" } });
  return { status: response.status, body: await response.json() };
}

async function frontPids(server: RunningServer): Promise<number[]> {
  return (await get(server, "/_millpond/status")).body.frontPids;
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const fromMs = performance.now();
  while (!(await isSo())) {
    assert.ok(performance.now() - fromMs < 20_000, `${what} did not come true`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function waitingReceives(server: RunningServer): number {
  return server.status().shards.reduce((count, shard) => count + shard.waitingReceives, 0);
}

/** A long poll that nobody answers yet. */
async function beginLongPoll(server: RunningServer, QueueUrl: string): Promise<Socket> {
  const count = waitingReceives(server);
  const socket = connect(server.port, "127.0.0.1").resume();
  const body = JSON.stringify({ QueueUrl, WaitTimeSeconds: 20 });
  const head = [
    "POST / HTTP/1.1",
    "Host: a",
    "Content-Type: application/x-amz-json-1.0",
    "X-Amz-Target: AmazonSQS.ReceiveMessage",
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  await until("the receive waits", () => waitingReceives(server) === count + 1);
  return socket;
}

async function createQueue(server: RunningServer): Promise<string> {
  return (await call(server, "CreateQueue", { QueueName: "orders" })).body.QueueUrl;
}

for (const httpFront of ["sockets", "node"] as const) {
  test(`${httpFront}: both processes serve queues, long polls and the Query protocol, and pass the rest on`, async () => {
    await withServer({ httpFront }, async (server) => {
      const QueueUrl = await createQueue(server);
      assert.equal(QueueUrl, `${server.endpoint}/000000000000/orders`);
      const receive = call(server, "ReceiveMessage", { QueueUrl, WaitTimeSeconds: 20, MessageAttributeNames: ["All"] });
      await until("the receive waits", () => waitingReceives(server) === 1);
      const MessageAttributes = { trace: { DataType: "Binary", BinaryValue: "AAH/" } };
      await call(server, "SendMessage", { QueueUrl, MessageBody: "grüße", MessageAttributes });
      const [message] = (await receive).body.Messages;
      assert.equal(message.Body, "grüße");
      assert.deepEqual(message.MessageAttributes, MessageAttributes);
      const MessageBody = "x".repeat(1024 * 1024);
      await call(server, "SendMessage", { QueueUrl, MessageBody });
      const long = (await call(server, "ReceiveMessage", { QueueUrl })).body.Messages[0];
      assert.equal(long.Body, MessageBody);
      const handles = [message, long].map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }));
      const deleted = await call(server, "DeleteMessageBatch", { QueueUrl, Entries: handles });
      assert.deepEqual(deleted.body, { Successful: [{ Id: "0" }, { Id: "1" }] });
      const xml = await (await fetch(`${server.endpoint}/?Action=ListQueues`)).text();
      assert.match(xml, /<QueueUrl>http:[^<]*\/orders<\/QueueUrl>/);
      assert.equal((await call(server, "SendMessage", { QueueUrl: `${QueueUrl}2`, MessageBody: "m" })).status, 400);
      assert.equal((await get(server, "/_millpond/queues")).body.queues.length, 1);
      assert.equal((await get(server, "/_millpond/nothing")).status, 404);
      assert.equal((await fetch(`${server.endpoint}/SimpleNotificationService-00.pem`)).status, 404);
      assert.equal((await frontPids(server)).filter(isAlive).length, 2);
    });
  });
}

test("a client that hangs up takes its long poll with it, and no message", async () => {
  await withServer({}, async (server) => {
    const QueueUrl = await createQueue(server);
    const sockets = [await beginLongPoll(server, QueueUrl), await beginLongPoll(server, QueueUrl)];
    for (const socket of sockets) socket.destroy();
    await until("nothing waits", () => waitingReceives(server) === 0);
    await call(server, "SendMessage", { QueueUrl, MessageBody: "m" });
    const { body } = await call(server, "ReceiveMessage", { QueueUrl, AttributeNames: ["ApproximateReceiveCount"] });
    assert.equal(body.Messages[0].Attributes.ApproximateReceiveCount, "1");
  });
});

test("a process that is killed takes its own connections along, and another one replaces it", async () => {
  const warnings: string[] = [];
  const log: LogSink = (level, text) => {
    if (level === "warn") warnings.push(text);
  };
  await withServer({ log }, async (server) => {
    const QueueUrl = await createQueue(server);
    const polls = [await beginLongPoll(server, QueueUrl), await beginLongPoll(server, QueueUrl)];
    const closed = polls.map((socket) =>
      once(
        socket.on("error", () => {}),
        "close",
      ),
    );
    const [killed, other] = (await frontPids(server)) as [number, number];
    const acknowledged: string[] = [];
    let isOver = false;
    const sender = async (name: string) => {
      for (let index = 0; !isOver; index++) {
        const MessageBody = `${name}-${index}`;
        const answer = await call(server, "SendMessage", { QueueUrl, MessageBody }).catch(() => undefined);
        if (answer?.status === 200) acknowledged.push(MessageBody);
      }
    };
    const senders = ["a", "b", "c", "d"].map(sender);
    await until("messages are sent", () => acknowledged.length > 50);
    process.kill(killed, "SIGKILL");
    await Promise.race(closed);
    const countAtKill = acknowledged.length;
    await until("the other goes on", () => acknowledged.length > countAtKill + 50);
    await until("there are two again", async () => {
      // It may be asked through the one that was killed.
      const pids = await frontPids(server).catch((): number[] => []);
      return pids.length === 2 && !pids.includes(killed) && pids.includes(other);
    });
    isOver = true;
    await Promise.all(senders);
    assert.equal(waitingReceives(server), 0);
    const kept = await server.queues.inspect({ account: "000000000000", region: "us-east-1", name: "orders" }, 1e6);
    const bodies = new Set(kept?.map(({ content }) => Buffer.from(content.body).toString()));
    // Those that waited have received one each.
    assert.deepEqual(
      acknowledged.filter((body) => !bodies.has(body)),
      [],
    );
    assert.deepEqual(warnings, ["A front process ended, and its connections with it. Another one is started."]);
  });
});

test("while the only process is being replaced, clients wait", async () => {
  await withServer({ workers: 1 }, async (server) => {
    const QueueUrl = await createQueue(server);
    const [pid] = (await frontPids(server)) as [number];
    process.kill(pid, "SIGKILL");
    await until("it is gone", () => !isAlive(pid));
    assert.equal((await call(server, "SendMessage", { QueueUrl, MessageBody: "m" })).status, 200);
  });
});

test("a stop answers waiting receives, and leaves no process", async () => {
  await withServer({}, async (server) => {
    const QueueUrl = await createQueue(server);
    const pids = await frontPids(server);
    const receives = [1, 2, 3, 4].map(() => call(server, "ReceiveMessage", { QueueUrl, WaitTimeSeconds: 20 }));
    await until("they wait", () => waitingReceives(server) === receives.length);
    await server.stop();
    for (const { status, body } of await Promise.all(receives))
      assert.deepEqual({ status, body }, { status: 200, body: {} });
    assert.deepEqual(pids.filter(isAlive), []);
    await assert.rejects(call(server, "ListQueues", {}));
  });
});

test("a host that fails is a 503, and a bug a 500 that the log explains", async () => {
  const logged: unknown[] = [];
  const log: LogSink = (_level, _text, details) => logged.push(details);
  await withServer({ log }, async (server) => {
    const { execute } = server.queues;
    server.queues.execute = () => Promise.reject(new Fault("DiskFull", "The disk is full."));
    const { status, body } = await call(server, "ListQueues", {});
    assert.equal(status, 503);
    assert.match(body.message ?? body.Message, /The disk is full/);
    server.queues.execute = () => Promise.reject(new TypeError("a bug"));
    assert.equal((await call(server, "ListQueues", {})).status, 500);
    await until("both are logged", () => logged.length === 2);
    assert.match(JSON.stringify(logged), /"code":"DiskFull".*TypeError: a bug/);
    server.queues.execute = execute;
  });
});

test("a port that is taken is found out before processes are started", async () => {
  await withServer({}, async ({ port }) => {
    await assert.rejects(startServer({ port, memory: true, workers: 2 }), (error) => isFault(error, "PortTaken"));
  });
});
