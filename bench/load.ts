// The load generator: one process, plain keep-alive sockets, requests made beforehand with headers as long as the
// AWS SDK's. Closed loop: each connection sends its next request when the last one was answered.
//
//   node load.js '{"endpoint": ..., "work": "send", "connections": 16, "seconds": 1.5, "warmUpSeconds": 0.5}'
//
// Prints "measuring" when its warm-up is over, and at the end one JSON line (LoadResult).

import { pathToFileURL } from "node:url";
import { LeanClient } from "../tests/support/lean-client.ts";

export type Work = "send" | "batch" | "receive";

export interface LoadOrder {
  endpoint: string;
  work: Work;
  connections: number;
  seconds: number;
  warmUpSeconds: number;
}

export interface LoadResult {
  messages: number;
  requests: number;
  seconds: number;
  /** Of one request; for "receive" of a receive and its delete together. */
  p50Ms: number;
  p99Ms: number;
  /** Of this process, within the measured time. */
  cpuSeconds: number;
}

const BODY_BYTES = 256;
const BATCH = 10;
/** Kept in the receive queue, so that every run of "receive" sees about the same depth. */
const BACKLOG = 20_000;
const RECEIVE_QUEUE = "bench-receive";
const SEND_QUEUE = "bench-send";
const HANDLE_START = Buffer.from('"ReceiptHandle":"');
const QUOTE = 0x22;

type Step = (client: LeanClient) => Promise<void>;

async function run({ endpoint, work, connections, seconds, warmUpSeconds }: LoadOrder): Promise<LoadResult> {
  const setUp = new LeanClient(endpoint);
  for (const QueueName of [RECEIVE_QUEUE, SEND_QUEUE]) await setUp.call("CreateQueue", { QueueName });
  await setUp.call("PurgeQueue", { QueueUrl: urlOf(SEND_QUEUE) });
  if (work === "receive") await topUp(setUp);
  const clients = Array.from({ length: connections }, () => new LeanClient(endpoint));
  const step = makeStep(work, setUp);

  await loop(clients, step, warmUpSeconds, undefined);
  if (work === "receive") await topUp(setUp);
  // Whoever started this reads the processor's clocks now.
  console.log("measuring");
  const times: number[] = [];
  const cpuBefore = process.cpuUsage();
  const fromMs = performance.now();
  await loop(clients, step, seconds, times);
  const tookSeconds = (performance.now() - fromMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  for (const client of [setUp, ...clients]) client.close();

  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    messages: times.length * (work === "batch" ? BATCH : 1),
    requests: times.length * (work === "receive" ? 2 : 1),
    seconds: tookSeconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuSeconds: (user + system) / 1e6,
  };
}

function makeStep(work: Work, encoder: LeanClient): Step {
  const QueueUrl = urlOf(SEND_QUEUE);
  if (work === "send") {
    const request = encoder.encode("SendMessage", { QueueUrl, MessageBody: bodyOf(BODY_BYTES) });
    return (client) => expectOk(client.send(request));
  }
  if (work === "batch") {
    const request = batchRequest(encoder, QueueUrl);
    return (client) => expectOk(client.send(request));
  }
  const ReceiveUrl = urlOf(RECEIVE_QUEUE);
  const receive = encoder.encode("ReceiveMessage", { QueueUrl: ReceiveUrl, VisibilityTimeout: 600 });
  return async (client) => {
    const { status, body } = await client.send(receive);
    const start = body.indexOf(HANDLE_START) + HANDLE_START.length;
    if (status !== 200 || start < HANDLE_START.length) throw new Error(`a receive came back with ${status} ${body}`);
    const ReceiptHandle = body.toString("latin1", start, body.indexOf(QUOTE, start));
    await expectOk(client.send(client.encode("DeleteMessage", { QueueUrl: ReceiveUrl, ReceiptHandle })));
  };
}

async function loop(clients: LeanClient[], step: Step, seconds: number, times: number[] | undefined): Promise<void> {
  const untilMs = performance.now() + seconds * 1000;
  await Promise.all(
    clients.map(async (client) => {
      for (let fromMs = performance.now(); fromMs < untilMs; ) {
        await step(client);
        const nowMs = performance.now();
        times?.push(nowMs - fromMs);
        fromMs = nowMs;
      }
    }),
  );
}

async function topUp(client: LeanClient): Promise<void> {
  const QueueUrl = urlOf(RECEIVE_QUEUE);
  const AttributeNames = ["ApproximateNumberOfMessages"];
  const { Attributes } = await client.call("GetQueueAttributes", { QueueUrl, AttributeNames });
  const request = batchRequest(client, QueueUrl);
  for (let there = Number(Attributes.ApproximateNumberOfMessages); there < BACKLOG; there += BATCH) {
    await expectOk(client.send(request));
  }
}

async function expectOk(answer: Promise<{ status: number; body: Buffer }>): Promise<void> {
  const { status, body } = await answer;
  if (status !== 200 || body.includes('"Failed"')) throw new Error(`an answer was ${status}: ${body}`);
}

function batchRequest(encoder: LeanClient, QueueUrl: string): Buffer {
  const Entries = Array.from({ length: BATCH }, (_, index) => ({ Id: String(index), MessageBody: bodyOf(BODY_BYTES) }));
  return encoder.encode("SendMessageBatch", { QueueUrl, Entries });
}

function bodyOf(bytes: number): string {
  return "".padEnd(bytes, '{"order":4711,"sku":"pond"} ').slice(0, bytes);
}

function urlOf(queue: string): string {
  return `http://localhost/000000000000/${queue}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  console.log(JSON.stringify(await run(JSON.parse(process.argv[2] as string))));
}
