// The same port with TLS, through each front: requests, queue URLs, and clients that never finish their handshake.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as openRequest } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { isFault } from "../../src/base/fault.ts";
import type { RunningServer, ServerOptions } from "../../src/server/index.ts";
import { startServer } from "../../src/server/index.ts";
import { projectRoot } from "../support/project.ts";

const FOLDER = join(projectRoot, "tests", "support", "tls");
const tlsCert = join(FOLDER, "certificate.pem");
const tlsKey = join(FOLDER, "key.pem");
const ca = readFileSync(tlsCert);

async function withServer(options: ServerOptions, use: (server: RunningServer) => Promise<void>): Promise<void> {
  const server = await startServer({ port: 0, memory: true, tlsCert, tlsKey, ...options });
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

async function call({ port }: RunningServer, action: string, input: object): Promise<Record<string, unknown>> {
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AmazonSQS.${action}` };
  const request = openRequest({ host: "127.0.0.1", port, ca, method: "POST", headers, agent: false });
  request.end(JSON.stringify(input));
  const [response] = await once(request, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  assert.equal(response.statusCode, 200, text);
  return JSON.parse(text);
}

const FRONTS: { name: string; options: ServerOptions }[] = [
  { name: "sockets", options: { httpFront: "sockets" } },
  { name: "node", options: { httpFront: "node" } },
  { name: "sockets in a process of its own", options: { httpFront: "sockets", workers: 1 } },
  { name: "node in a process of its own", options: { httpFront: "node", workers: 1 } },
];

for (const { name, options } of FRONTS) {
  test(`${name}: queues are reached by https, and their URLs say so`, async () => {
    await withServer(options, async (server) => {
      assert.equal(server.endpoint, `https://127.0.0.1:${server.port}`);
      const { QueueUrl } = await call(server, "CreateQueue", { QueueName: "orders" });
      assert.equal(QueueUrl, `${server.endpoint}/000000000000/orders`);
      const MessageBody = "x".repeat(500_000);
      await call(server, "SendMessage", { QueueUrl, MessageBody });
      const { Messages } = (await call(server, "ReceiveMessage", { QueueUrl })) as { Messages: { Body: string }[] };
      assert.equal(Messages[0]?.Body, MessageBody);
    });
  });

  test(`${name}: requests that follow each other unasked are answered in order over TLS`, async () => {
    await withServer(options, async ({ port }) => {
      const socket = connectTls({ host: "127.0.0.1", port, ca }).setEncoding("utf8");
      const list = (prefix: string, headers = "") =>
        `GET /?Action=ListQueues&QueueNamePrefix=${prefix} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
      socket.write(list("a") + list("!") + list("b", "Connection: close\r\n"));
      let answers = "";
      for await (const chunk of socket) answers += chunk;
      assert.deepEqual(
        [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
        ["200", "200", "200"],
      );
    });
  });

  test(`${name}: who speaks no TLS is cut off, and who never finishes its handshake does not hold up a stop`, {
    timeout: 20_000,
  }, async () => {
    let stopAtMs = 0;
    await withServer(options, async (server) => {
      const plain = connect(server.port, "127.0.0.1").on("error", () => undefined);
      plain.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      plain.resume();
      await once(plain, "close");
      const silent = connect(server.port, "127.0.0.1").on("error", () => undefined);
      await once(silent, "connect");
      await call(server, "ListQueues", {});
      stopAtMs = performance.now();
    });
    assert.ok(performance.now() - stopAtMs < 2000, "the stop waited for a client that said nothing");
  });
}

test("certificates and keys that cannot be used are faults that name the files", async () => {
  const start = async (options: ServerOptions) => startServer({ port: 0, memory: true, ...options });
  const isInvalid = (pattern: RegExp) => (error: unknown) =>
    isFault(error, "SettingInvalid") && pattern.test(error.message);
  await assert.rejects(start({ tlsCert, tlsKey: join(FOLDER, "none.pem") }), isInvalid(/tls-key cannot be read/));
  await assert.rejects(start({ tlsCert: tlsKey, tlsKey }), isInvalid(/key\.pem .*cannot be used together/));
  await assert.rejects(start({ tlsCert }), isInvalid(/tls-key is not set/));
});
