// A backlog far larger than memory should notice: bodies stay on disk, a receive costs the same however deep the queue
// is, and a restart is quick. Run it alone: what else the machine does shows in the rates.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { queueUrl } from "../crash/world.ts";
import { LeanClient } from "../support/lean-client.ts";
import { scratchFolder } from "../support/project.ts";
import { startServe } from "../support/server-process.ts";

const DEEP_MESSAGES = 2_000_000;
const SMALL_MESSAGES = 1_000_000;
const RESIDENT_BYTES_MAX = 700e6;
const RESTART_MS_MAX = 5000;
/** A shared machine's noise, and a body read from disk instead of from memory. */
const DEEP_SLOWDOWN_MAX = 2;
const MEASURED_MESSAGES = 3000;
const SHALLOW_DEPTH = 10;
const SENDERS = 8;
const QueueUrl = queueUrl("scale");

test("2 million messages of 1 KB stay under 700 MB resident, and receiving costs what it costs at depth 10", async (context) => {
  const data = join(scratchFolder(context, "scale"), "data");
  const server = startServe(["--data", data]);
  context.after(() => server.signal("SIGKILL"));
  const endpoint = await server.ready;
  const client = new LeanClient(endpoint);
  await client.call("CreateQueue", { QueueName: "scale" });
  const restMb = residentBytes(server.pid) / 1e6;

  await measureShallow(client, 500);
  const shallowMs = await measureShallow(client, MEASURED_MESSAGES);

  let mostBytes = 0;
  const watch = setInterval(() => {
    mostBytes = Math.max(mostBytes, residentBytes(server.pid));
  }, 200);
  context.after(() => clearInterval(watch));
  const perSecond = await fill(endpoint, DEEP_MESSAGES, 1000);
  const deepMs = await measureReceives(client, MEASURED_MESSAGES);
  const filledMb = residentBytes(server.pid) / 1e6;
  clearInterval(watch);

  console.log(
    `${DEEP_MESSAGES} messages of 1 KB at ${Math.round(perSecond)} a second; resident ${restMb.toFixed(0)} MB empty, ` +
      `${filledMb.toFixed(0)} MB full, ${(mostBytes / 1e6).toFixed(0)} MB at most`,
  );
  console.log(
    `receive and delete, median: ${shallowMs.toFixed(3)} ms at depth ${SHALLOW_DEPTH}, ${deepMs.toFixed(3)} ms at depth ${DEEP_MESSAGES}`,
  );
  const { Attributes } = await client.call("GetQueueAttributes", {
    QueueUrl,
    AttributeNames: ["ApproximateNumberOfMessages"],
  });
  assert.equal(Number(Attributes.ApproximateNumberOfMessages), DEEP_MESSAGES - MEASURED_MESSAGES);
  client.close();
  assert.ok(mostBytes < RESIDENT_BYTES_MAX, `${mostBytes} bytes were resident`);
  assert.ok(deepMs < DEEP_SLOWDOWN_MAX * shallowMs, `${deepMs} ms deep against ${shallowMs} ms shallow`);
});

test("a server with 1 million small messages restarts within 5 s, after a stop and after a kill", async (context) => {
  const data = join(scratchFolder(context, "restart"), "data");
  let server = startServe(["--data", data]);
  context.after(() => server.signal("SIGKILL"));
  const endpoint = await server.ready;
  let client = new LeanClient(endpoint);
  await client.call("CreateQueue", { QueueName: "scale" });
  client.close();
  await fill(endpoint, SMALL_MESSAGES, 50);

  const took: Record<string, number> = {};
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    await server.signal(signal);
    const fromMs = performance.now();
    server = startServe(["--data", data]);
    client = new LeanClient(await server.ready);
    const { Attributes } = await client.call("GetQueueAttributes", {
      QueueUrl,
      AttributeNames: ["ApproximateNumberOfMessages"],
    });
    took[signal] = Math.round(performance.now() - fromMs);
    client.close();
    assert.equal(Number(Attributes.ApproximateNumberOfMessages), SMALL_MESSAGES);
  }
  console.log(
    `restart with ${SMALL_MESSAGES} messages: ${took["SIGKILL"]} ms after a kill, ${took["SIGTERM"]} ms after a stop`,
  );
  for (const ms of Object.values(took)) assert.ok(ms < RESTART_MS_MAX, `a restart took ${ms} ms`);
});

/** Sends in batches of ten over several connections; answers messages per second. */
async function fill(endpoint: string, messages: number, bytes: number): Promise<number> {
  const Entries = Array.from({ length: 10 }, (_, index) => ({
    Id: String(index),
    MessageBody: `${index} `.padEnd(bytes, "abcdefghij"),
  }));
  let batchesLeft = messages / 10;
  const fromMs = performance.now();
  const send = async () => {
    const client = new LeanClient(endpoint);
    const request = client.encode("SendMessageBatch", { QueueUrl, Entries });
    while (batchesLeft > 0) {
      batchesLeft -= 1;
      const { status, body } = await client.send(request);
      if (status !== 200 || body.includes('"Failed"')) throw new Error(`a batch was refused: ${body.toString()}`);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  return messages / ((performance.now() - fromMs) / 1000);
}

/** Fills the queue to the shallow depth and empties it, again and again. */
async function measureShallow(client: LeanClient, messages: number): Promise<number> {
  const Entries = Array.from({ length: SHALLOW_DEPTH }, (_, index) => ({
    Id: String(index),
    MessageBody: "".padEnd(1000, "s"),
  }));
  const times: number[] = [];
  while (times.length < messages) {
    await client.call("SendMessageBatch", { QueueUrl, Entries });
    times.push(...(await timeReceives(client, SHALLOW_DEPTH)));
  }
  return median(times);
}

async function measureReceives(client: LeanClient, messages: number): Promise<number> {
  return median(await timeReceives(client, messages));
}

async function timeReceives(client: LeanClient, messages: number): Promise<number[]> {
  const times: number[] = [];
  for (let received = 0; received < messages; received++) {
    const fromMs = performance.now();
    const { Messages } = await client.call("ReceiveMessage", { QueueUrl });
    await client.call("DeleteMessage", { QueueUrl, ReceiptHandle: Messages[0].ReceiptHandle });
    times.push(performance.now() - fromMs);
  }
  return times;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}
