// What happens on the connection itself: pipelining, chunks, 100-continue, and clients that go away.

import assert from "node:assert/strict";
import { request as openRequest } from "node:http";
import { connect } from "node:net";
import { converse, FORM_TYPE, formOf, JSON_TYPE } from "./http.ts";
import type { ScenarioQueue } from "./scenario-queue.ts";
import type { World } from "./world.ts";
import { scenariosOnOneServer } from "./world.ts";

function jsonRequest(action: string, input: object, headers: string[] = []): string {
  const body = JSON.stringify(input);
  const lines = [
    "POST / HTTP/1.1",
    "Host: pond",
    `Content-Type: ${JSON_TYPE}`,
    `X-Amz-Target: AmazonSQS.${action}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
}

/** Starts a long poll on a connection of its own and cuts it once the server waits. */
async function hangUpWhileWaiting(world: World, queue: ScenarioQueue): Promise<void> {
  const { hostname, port } = new URL(world.endpoint);
  const socket = connect(Number(port), hostname);
  const input = { QueueUrl: queue.url, WaitTimeSeconds: 20, AttributeNames: ["All"] };
  socket.write(jsonRequest("ReceiveMessage", input));
  await world.untilReceiving(1);
  socket.destroy();
  await world.untilReceivingAtMost(0);
}

scenariosOnOneServer((scenario) => {
  scenario("requests that follow each other unasked are answered in order", async (world) => {
    const queue = await world.queue();
    const { url: QueueUrl } = queue;
    const answers = await converse(
      world.endpoint,
      jsonRequest("SendMessage", { QueueUrl, MessageBody: "one" }) +
        jsonRequest("ReceiveMessage", { QueueUrl, VisibilityTimeout: 0 }) +
        jsonRequest("Dance", {}) +
        jsonRequest("SendMessage", { QueueUrl, MessageBody: "two" }, ["Connection: close"]),
    );
    assert.deepEqual(statusesOf(answers), [200, 200, 404, 200]);
    assert.ok(answers.indexOf('"Body":"one"') < answers.indexOf("UnknownOperation"));
    assert.equal(await queue.counts(), "2/0/0");
  });

  scenario("a chunked body is read, however it is cut", async (world) => {
    const queue = await world.queue();
    const body = Buffer.from(formOf({ Action: "SendMessage", QueueUrl: queue.name, MessageBody: "grün 🐸" }));
    const head = [
      "POST / HTTP/1.1",
      "Host: pond",
      `Content-Type: ${FORM_TYPE}`,
      "Transfer-Encoding: chunked",
      "Connection: close",
    ];
    const chunks = Array.from(body, (byte) =>
      Buffer.concat([Buffer.from("1\r\n"), Buffer.of(byte), Buffer.from("\r\n")]),
    );
    const answer = await converse(world.endpoint, `${head.join("\r\n")}\r\n\r\n`, ...chunks, "0\r\n\r\n");
    assert.deepEqual(statusesOf(answer), [200]);
    assert.deepEqual(await queue.receiveBodies(), ["grün 🐸"]);
  });

  scenario("a client that asks before it sends is told to go on", async (world) => {
    const queue = await world.queue();
    const { hostname, port } = new URL(world.endpoint);
    const body = JSON.stringify({ QueueUrl: queue.url, MessageBody: "m" });
    const headers = {
      "content-type": JSON_TYPE,
      "x-amz-target": "AmazonSQS.SendMessage",
      "content-length": Buffer.byteLength(body),
      expect: "100-continue",
    };
    const status = await new Promise((resolve, reject) => {
      const request = openRequest({ hostname, port, method: "POST", headers, agent: false });
      request.on("continue", () => request.end(body));
      request.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on("error", reject);
      request.flushHeaders();
    });
    assert.equal(status, 200);
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("a client that asks before it sends far too much is told no", async (world) => {
    const head = [
      "POST / HTTP/1.1",
      "Host: pond",
      `Content-Type: ${JSON_TYPE}`,
      "X-Amz-Target: AmazonSQS.SendMessage",
      "Content-Length: 99999999",
      "Expect: 100-continue",
    ];
    const answer = await converse(world.endpoint, `${head.join("\r\n")}\r\n\r\n`);
    assert.doesNotMatch(answer, /100 Continue/);
    assert.ok((statusesOf(answer)[0] ?? 0) >= 400);
  });

  scenario("a request of HTTP/1.0 without Host is answered with the address it came to", async (world) => {
    const answer = await converse(world.endpoint, "GET /?Action=CreateQueue&QueueName=old HTTP/1.0\r\n\r\n");
    assert.deepEqual(statusesOf(answer), [200]);
    assert.match(answer, new RegExp(`<QueueUrl>${world.endpoint}/000000000000/old</QueueUrl>`));
  });

  scenario("a whole URL in the request line is read like its path", async (world) => {
    const target = "http://proxied.example/000000000000/old?Action=GetQueueUrl&QueueName=old";
    const request = `GET ${target} HTTP/1.1\r\nHost: pond:1\r\nConnection: close\r\n\r\n`;
    await world.queue({}, "old");
    assert.match(await converse(world.endpoint, request), /<QueueUrl>http:\/\/pond:1\/000000000000\/old</);
  });

  scenario("a client that hangs up during a long poll takes no message with it", async (world) => {
    const queue = await world.queue();
    await hangUpWhileWaiting(world, queue);
    await queue.send("m");
    assert.equal(await queue.counts(), "1/0/0");
    const message = await queue.receiveOne();
    assert.equal(message.Attributes?.ApproximateReceiveCount, "1");
  });

  scenario("a client that hangs up neither locks a FIFO group nor spends a delivery", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1, { FifoQueue: "true" });
    await hangUpWhileWaiting(world, source);
    await source.sendTo("g", "m");
    assert.equal((await source.receiveOne()).Attributes?.ApproximateReceiveCount, "1");
    assert.equal(await dlq.counts(), "0/0/0");
  });

  scenario("the next receive in line gets what a hung-up one would have got", async (world) => {
    const queue = await world.queue();
    const { hostname, port } = new URL(world.endpoint);
    const gone = connect(Number(port), hostname);
    gone.write(jsonRequest("ReceiveMessage", { QueueUrl: queue.url, WaitTimeSeconds: 20 }));
    await world.untilReceiving(1);
    const patient = queue.receiveBodies({ WaitTimeSeconds: 20 });
    await world.untilReceiving(2);
    gone.destroy();
    await world.untilReceivingAtMost(1);
    await queue.send("m");
    assert.deepEqual(await patient, ["m"]);
  });

  scenario("a client that leaves in the middle of a request leaves nothing behind", async (world) => {
    const queue = await world.queue();
    const { hostname, port } = new URL(world.endpoint);
    const whole = jsonRequest("SendMessage", { QueueUrl: queue.url, MessageBody: "m".repeat(1000) });
    for (const length of [10, 60, whole.length - 1]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () =>
          socket.write(whole.slice(0, length), () => socket.destroy()),
        );
        socket.on("close", () => resolve());
      });
    }
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("bytes that are no HTTP are answered 400 and the server goes on", async (world) => {
    for (const bytes of [
      "nonsense\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "\u0016\u0003\u0001",
      "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    ]) {
      const answer = await converse(world.endpoint, bytes, "\r\n\r\n");
      assert.match(answer, /^HTTP\/1\.1 4\d\d /);
    }
    assert.deepEqual(await world.sqs.listQueues({ QueueNamePrefix: "nothing" }), {});
  });
});
