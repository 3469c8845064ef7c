// npm run bench -- publish [--only TABLE] [--seconds S] [--messages N] [--json FILE]
//
// What a topic carries: rate and processor time by the number of queues behind it, whether HTTP subscribers delay a
// publisher, at fixed rates and by kind, and what messages cost that a dead endpoint does not take.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { HttpClient } from "../load/http-client.ts";
import { encode, expectOk, readCounts, readMessages, readQueueUrl } from "../load/sqs-protocol.ts";
import { median, quantile } from "../report/statistics.ts";
import { describeMachine, loadAverage } from "../run/machine.ts";
import { cpuSecondsOf } from "../run/processes.ts";
import { millpond, millpondMemory } from "../subjects/millpond.ts";
import { type RunningServer, startServer } from "../subjects/running-server.ts";
import type { Subject } from "../subjects/subject.ts";
import { type EndpointKind, type Endpoints, subscribeEndpoints } from "./endpoints.ts";
import { publishPaced } from "./paced-load.ts";
import { SnsClient } from "./sns-client.ts";

const BODY = "m".repeat(256);
const CONNECTIONS = 16;
const QUEUES = [1, 10, 100];
const BATCHES = [1, 10];
const KINDS: readonly EndpointKind[] = ["answering", "slow", "dead"];
const SUBSCRIBERS = [1, 10];
/** Of the paced publishers beside subscribers of each kind. */
const GENTLE_PER_SECOND = 20;
const PACES_PER_SECOND = [200, 500];
const PACED_SUBSCRIBERS = [0, 1, 10];
const PACED_ROUNDS = 3;
const WARM_UP_SECONDS = 1;
const DELIVERED_MS_MAX = 120_000;

type Row = Record<string, string | number>;

export async function publish(args: string[]): Promise<number> {
  const flag = { type: "string" } as const;
  const { values } = parseArgs({ args, options: { only: flag, seconds: flag, messages: flag, json: flag } });
  const seconds = Number(values.seconds ?? 5);
  const messages = Number(values.messages ?? 100_000);
  const measures: Record<string, (subject: Subject) => Promise<Row[]>> = {
    "fan-out": (subject) => fanOuts(subject, seconds),
    paced: (subject) => paced(subject, seconds),
    subscribers: (subject) => withSubscribers(subject, seconds),
    undelivered: async (subject) => [await onServer(subject, (server) => undelivered(server, messages, seconds))],
  };
  const titles = Object.keys(measures).filter((title) => values.only === undefined || title === values.only);
  if (titles.length === 0) throw new Error(`--only is one of ${Object.keys(measures).join(", ")}`);
  const tables: Record<string, Row[]> = {};
  const loadBefore = loadAverage();
  for (const title of titles) {
    const rows: Row[] = [];
    for (const subject of [millpond, millpondMemory]) rows.push(...((await measures[title]?.(subject)) ?? []));
    tables[title] = rows;
    console.log(`\n${title}\n\n${markdown(rows)}`);
  }
  const load = { before: loadBefore, after: loadAverage() };
  console.log(`\nload of the machine: ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after`);
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ machine: describeMachine(), load, tables }, undefined, 2)}\n`);
  }
  return 0;
}

async function fanOuts(subject: Subject, seconds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const batch of BATCHES) {
    for (const queues of QUEUES) {
      rows.push(await onServer(subject, (server) => fanOut(server, queues, batch, seconds)));
    }
  }
  return rows;
}

async function fanOut(server: RunningServer, queues: number, batch: number, seconds: number): Promise<Row> {
  const sns = new SnsClient(server.endpoint);
  const sqs = new HttpClient(server.endpoint);
  const topicArn = await sns.call("CreateTopic", { Name: "bench" }, "TopicArn");
  const urls: string[] = [];
  for (let index = 0; index < queues; index++) urls.push(await subscribeQueue(sns, sqs, topicArn, `copies-${index}`));
  const cpuBefore = cpuSecondsOf(server.pids()) ?? Number.NaN;
  const fromMs = performance.now();
  const { timesMs } = await load(server, topicArn, { batch, seconds, connections: CONNECTIONS });
  const tookSeconds = (performance.now() - fromMs) / 1000;
  const cpuMicros = ((cpuSecondsOf(server.pids()) ?? Number.NaN) - cpuBefore) * 1e6;
  const published = timesMs.length * batch;
  for (const QueueUrl of urls) {
    const asked = { QueueUrl, AttributeNames: ["ApproximateNumberOfMessages"] };
    const counts = readCounts(await sqs.send(encode(sqs, "json", "GetQueueAttributes", asked)), "json");
    const found = counts["ApproximateNumberOfMessages"];
    if (found !== published) throw new Error(`${QueueUrl} holds ${found} of ${published} copies`);
  }
  sns.close();
  sqs.close();
  return {
    queues,
    batch,
    "publishes/s": Math.round(published / tookSeconds),
    "copies/s": Math.round((published * queues) / tookSeconds),
    "server µs/publish": round(cpuMicros / published),
    "server µs/copy": round(cpuMicros / published / queues),
  };
}

/** A server with a topic and so many HTTP subscribers, which all live through all rounds. */
interface PacedCase {
  http: number;
  server: RunningServer;
  request: Buffer;
  endpoints: Endpoints;
  published: number;
}

interface PacedRound {
  p50Ms: number;
  p99Ms: number;
  serverCores: number;
  deliveredAfterMs: number;
}

/** At fixed rates, the numbers of subscribers in turn within each round; medians of the rounds. */
export async function paced(subject: Subject, seconds: number): Promise<Row[]> {
  const cases: PacedCase[] = [];
  try {
    for (const http of PACED_SUBSCRIBERS) cases.push(await openCase(subject, http));
    for (const each of cases) await pacedRound(each, PACES_PER_SECOND[0] as number, WARM_UP_SECONDS);
    const rows: Row[] = [];
    for (const perSecond of PACES_PER_SECOND) {
      const rounds = cases.map((): PacedRound[] => []);
      for (let round = 0; round < PACED_ROUNDS; round++) {
        for (const [index, each] of cases.entries()) rounds[index]?.push(await pacedRound(each, perSecond, seconds));
      }
      for (const [index, { http }] of cases.entries()) {
        const of = (name: keyof PacedRound, at = index) => median((rounds[at] ?? []).map((each) => each[name])) ?? 0;
        rows.push({
          server: subject.name,
          "publishes/s": perSecond,
          http,
          "p50 ms": round(of("p50Ms"), 2),
          "p99 ms": round(of("p99Ms"), 2),
          "× p50": round(of("p50Ms") / of("p50Ms", 0), 2),
          "× p99": round(of("p99Ms") / of("p99Ms", 0), 2),
          "server, cores": round(of("serverCores"), 2),
          "last delivery after ms": round(of("deliveredAfterMs")),
        });
      }
    }
    return rows;
  } finally {
    for (const { server, endpoints } of cases) {
      await server.dispose();
      await endpoints.end();
    }
  }
}

async function openCase(subject: Subject, http: number): Promise<PacedCase> {
  const server = await startServer(subject, { protocol: "json" });
  const sns = new SnsClient(server.endpoint);
  const topicArn = await sns.call("CreateTopic", { Name: "bench" }, "TopicArn");
  const endpoints = await subscribeEndpoints(sns, topicArn, "answering", http);
  const request = publishRequest(sns, topicArn, 1);
  sns.close();
  return { http, server, request, endpoints, published: 0 };
}

/** It ends when all is delivered, so that nothing of it is left for the next one. */
async function pacedRound(at: PacedCase, perSecond: number, seconds: number): Promise<PacedRound> {
  const { server, endpoints, request } = at;
  const cpuBefore = cpuSecondsOf(server.pids()) ?? Number.NaN;
  const fromMs = performance.now();
  const timesMs = await publishPaced(() => new SnsClient(server.endpoint), request, { perSecond, seconds });
  const endMs = performance.now();
  const cpuSeconds = (cpuSecondsOf(server.pids()) ?? Number.NaN) - cpuBefore;
  at.published += timesMs.length;
  while (endpoints.notified < at.published * at.http) {
    if (performance.now() > endMs + DELIVERED_MS_MAX) throw new Error("the endpoints do not get every message");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const deliveredAfterMs = at.http === 0 ? 0 : performance.now() - endMs;
  return { ...quantiles(timesMs), serverCores: (cpuSeconds * 1000) / (endMs - fromMs), deliveredAfterMs };
}

/**
 * One connection. Back to back, a publisher shares the one thread with the deliveries that it causes; paced, the server
 * has time left, and what remains is whether a publish waits for a subscriber.
 */
async function withSubscribers(subject: Subject, seconds: number): Promise<Row[]> {
  const cell = (kind: EndpointKind, count: number) =>
    onServer(subject, async (server) => {
      const sns = new SnsClient(server.endpoint);
      const topicArn = await sns.call("CreateTopic", { Name: "bench" }, "TopicArn");
      const endpoints = await subscribeEndpoints(sns, topicArn, kind, count);
      const gentle = { perSecond: GENTLE_PER_SECOND, seconds: seconds * 2 };
      const request = publishRequest(sns, topicArn, 1);
      const paced = await publishPaced(() => new SnsClient(server.endpoint), request, gentle);
      const closed = await load(server, topicArn, { batch: 1, seconds, connections: 1 });
      await endpoints.end();
      sns.close();
      return { paced: quantiles(paced), closed: quantiles(closed.timesMs) };
    });
  const none = await cell("answering", 0);
  const rowOf = (http: string, { paced, closed }: Awaited<ReturnType<typeof cell>>): Row => ({
    server: subject.name,
    http,
    "paced p50 ms": paced.p50Ms,
    "p99 ms": paced.p99Ms,
    "× p50": round(paced.p50Ms / none.paced.p50Ms, 2),
    "× p99": round(paced.p99Ms / none.paced.p99Ms, 2),
    "back to back p50 ms": closed.p50Ms,
    "its p99 ms": closed.p99Ms,
    "its × p50": round(closed.p50Ms / none.closed.p50Ms, 2),
    "its × p99": round(closed.p99Ms / none.closed.p99Ms, 2),
  });
  const rows = [rowOf("none", none)];
  for (const kind of KINDS) {
    for (const count of SUBSCRIBERS) rows.push(rowOf(`${count} ${kind}`, await cell(kind, count)));
  }
  return rows;
}

async function undelivered(server: RunningServer, messages: number, seconds: number): Promise<Row> {
  const sns = new SnsClient(server.endpoint);
  const topicArn = await sns.call("CreateTopic", { Name: "bench" }, "TopicArn");
  await subscribeEndpoints(sns, topicArn, "dead", 1);
  const before = quantiles(await neighbour(server, seconds));
  const residentBefore = server.residentBytes() ?? Number.NaN;
  await load(server, topicArn, { batch: 10, count: Math.ceil(messages / 10), connections: CONNECTIONS });
  const residentAfter = server.residentBytes() ?? Number.NaN;
  const after = quantiles(await neighbour(server, seconds));
  sns.close();
  return {
    messages,
    "resident MB before": round(residentBefore / 1e6),
    "resident MB after": round(residentAfter / 1e6),
    "neighbour p50 ms": before.p50Ms,
    "p99 ms": before.p99Ms,
    "p50 ms meanwhile": after.p50Ms,
    "p99 ms meanwhile": after.p99Ms,
  };
}

/** Times of sending a message to a queue of its own and receiving it, one after the other, milliseconds. */
async function neighbour(server: RunningServer, seconds: number): Promise<number[]> {
  const sqs = new HttpClient(server.endpoint);
  const created = await sqs.send(encode(sqs, "json", "CreateQueue", { QueueName: "neighbour" }));
  const QueueUrl = readQueueUrl(created, "json");
  const send = encode(sqs, "json", "SendMessage", { QueueUrl, MessageBody: BODY });
  const receive = encode(sqs, "json", "ReceiveMessage", { QueueUrl, WaitTimeSeconds: 1 });
  const timesMs: number[] = [];
  for (const untilMs = performance.now() + seconds * 1000; performance.now() < untilMs; ) {
    const fromMs = performance.now();
    expectOk(await sqs.send(send));
    const [message] = readMessages(await sqs.send(receive), "json");
    timesMs.push(performance.now() - fromMs);
    if (message === undefined) throw new Error("the neighbouring queue did not give its message");
    const { receiptHandle: ReceiptHandle } = message;
    expectOk(await sqs.send(encode(sqs, "json", "DeleteMessage", { QueueUrl, ReceiptHandle })));
  }
  sqs.close();
  return timesMs;
}

interface Load {
  batch: number;
  connections: number;
  /** One of the two ends it: time, or requests. */
  seconds?: number;
  count?: number;
}

/** Closed loop; the time of each request. */
async function load(server: RunningServer, topicArn: string, options: Load) {
  const { batch, connections, seconds, count } = options;
  const timesMs: number[] = [];
  const untilMs = performance.now() + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  let left = count ?? Number.POSITIVE_INFINITY;
  const one = async () => {
    const sns = new SnsClient(server.endpoint);
    const request = publishRequest(sns, topicArn, batch);
    while (left > 0 && performance.now() < untilMs) {
      left -= 1;
      const fromMs = performance.now();
      await sns.send(request, batch);
      timesMs.push(performance.now() - fromMs);
    }
    sns.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
  return { timesMs };
}

function publishRequest(sns: SnsClient, TopicArn: string, batch: number): Buffer {
  if (batch === 1) return sns.encode("Publish", { TopicArn, Message: BODY });
  const entries = Array.from({ length: batch }, (_, index) => {
    const entry = `PublishBatchRequestEntries.member.${index + 1}`;
    return { [`${entry}.Id`]: String(index), [`${entry}.Message`]: BODY };
  });
  return sns.encode("PublishBatch", Object.assign({ TopicArn }, ...entries));
}

async function subscribeQueue(sns: SnsClient, sqs: HttpClient, TopicArn: string, QueueName: string): Promise<string> {
  const url = readQueueUrl(await sqs.send(encode(sqs, "json", "CreateQueue", { QueueName })), "json");
  const Endpoint = `arn:aws:sqs:us-east-1:000000000000:${QueueName}`;
  await sns.call("Subscribe", { TopicArn, Protocol: "sqs", Endpoint }, "SubscriptionArn");
  return url;
}

async function onServer<Value extends object>(
  subject: Subject,
  measure: (server: RunningServer) => Promise<Value>,
): Promise<Value & { server: string }> {
  const server = await startServer(subject, { protocol: "json" });
  try {
    return { server: subject.name, ...(await measure(server)) };
  } finally {
    await server.dispose();
  }
}

function quantiles(timesMs: number[]): { p50Ms: number; p99Ms: number } {
  timesMs.sort((a, b) => a - b);
  return { p50Ms: round(quantile(timesMs, 0.5), 2), p99Ms: round(quantile(timesMs, 0.99), 2) };
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

function markdown(rows: readonly Row[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => cell.toLocaleString("en")).join(" | ")} |`;
  const titles = Object.keys(rows[0] ?? {});
  return [line(titles), line(titles.map(() => "---")), ...rows.map((row) => line(Object.values(row)))].join("\n");
}
