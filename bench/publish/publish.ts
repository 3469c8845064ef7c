// npm run bench -- publish [--seconds S] [--publishers N] [--undelivered N] [--json]
//
// What publishing costs by the number of subscribed queues, whether HTTP endpoints make it slower, and what messages that a
// dead endpoint never took do to the server. A server of its own for each table, durable and in memory in turn.

import { parseArgs } from "node:util";
import { CreateTopicCommand, SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { HttpClient } from "../load/http-client.ts";
import { encode, expectOk, readMessages } from "../load/sqs-protocol.ts";
import { quantile } from "../report/statistics.ts";
import { cpuSecondsOf } from "../run/processes.ts";
import { millpond, millpondMemory } from "../subjects/millpond.ts";
import { type RunningServer, startServer } from "../subjects/running-server.ts";
import type { Subject } from "../subjects/subject.ts";
import { type Behaviour, type Endpoint, subscribeEndpoint } from "./endpoints.ts";
import { publish } from "./publisher.ts";

const QUEUE_COUNTS = [1, 10, 100];
const ENDPOINT_COUNTS = [1, 10];
const BEHAVIOURS: Behaviour[] = ["answering", "slow", "dead"];
const NEIGHBOUR_ROUND_TRIPS = 500;

interface World {
  server: RunningServer;
  sns: SNSClient;
  sqs: SQSClient;
}

interface Choices {
  seconds: number;
  publishers: number;
  undelivered: number;
}

export async function publishing(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "2" },
      publishers: { type: "string", default: "16" },
      undelivered: { type: "string", default: "100000" },
      json: { type: "boolean", default: false },
    },
  });
  const choices = {
    seconds: Number(values.seconds),
    publishers: Number(values.publishers),
    undelivered: Number(values.undelivered),
  };
  const say = values.json ? () => undefined : (table: object[]) => console.table(table);
  const queues: object[] = [];
  const endpoints: object[] = [];
  for (const subject of [millpond, millpondMemory]) {
    queues.push(...(await inWorld(subject, (world) => byQueues(world, choices))));
    endpoints.push(...(await inWorld(subject, (world) => byEndpoints(world, choices))));
  }
  say(queues);
  say(endpoints);
  const undelivered = await inWorld(millpond, (world) => withDeadEndpoint(world, choices));
  say(undelivered);
  if (values.json) console.log(JSON.stringify({ ...choices, queues, endpoints, undelivered }));
  return 0;
}

/** Every copy is counted in its queue afterwards. */
async function byQueues(world: World, { seconds, publishers }: Choices): Promise<object[]> {
  const rows: object[] = [];
  for (const batch of [1, 10]) {
    for (const count of QUEUE_COUNTS) {
      const { topicArn, queueUrls } = await topicWith(world, `q${count}x${batch}`, count);
      const load = { endpoint: world.server.endpoint, topicArn, batch, publishers };
      // The warm-up is counted with the rest at the end.
      const warm = await publish({ ...load, forMs: seconds * 500 });
      const cpuBefore = cpuOf(world);
      const { messages, ms, p50Ms, p99Ms } = await publish({ ...load, forMs: seconds * 1000 });
      const cpuUs = (cpuOf(world) - cpuBefore) * 1e6;
      for (const url of queueUrls) {
        const found = await messagesIn(world, url);
        if (found !== warm.messages + messages)
          throw new Error(`${url} holds ${found}, not ${warm.messages + messages}`);
      }
      rows.push({
        server: world.server.subject.name,
        queues: count,
        "messages a call": batch,
        "messages/s": whole((messages / ms) * 1000),
        "copies/s": whole((messages * count * 1000) / ms),
        "p50 ms": tenths(p50Ms),
        "p99 ms": tenths(p99Ms),
        "server µs/message": tenths(cpuUs / messages),
        "server µs/copy": tenths(cpuUs / messages / count),
      });
    }
  }
  return rows;
}

/** To one queue always, so that the first row is what the others are beside. */
async function byEndpoints(world: World, { seconds, publishers }: Choices): Promise<object[]> {
  const rows: object[] = [];
  const cases: [Behaviour | undefined, number][] = [[undefined, 0]];
  for (const behaviour of BEHAVIOURS) for (const count of ENDPOINT_COUNTS) cases.push([behaviour, count]);
  for (const [behaviour, count] of cases) {
    const { topicArn } = await topicWith(world, `h${behaviour ?? "none"}${count}`, 1);
    const endpoints: Endpoint[] = [];
    for (let index = 0; index < count; index++) {
      endpoints.push(await subscribeEndpoint(world.sns, topicArn, behaviour as Behaviour));
    }
    const load = { endpoint: world.server.endpoint, topicArn, batch: 1, publishers: Math.ceil(publishers / 8) };
    await publish({ ...load, forMs: seconds * 250 });
    const { messages, ms, p50Ms, p99Ms } = await publish({ ...load, forMs: seconds * 1000 });
    rows.push({
      server: world.server.subject.name,
      endpoints: count,
      they: behaviour === undefined ? "" : `are ${behaviour}`,
      "messages/s": whole((messages / ms) * 1000),
      "p50 ms": tenths(p50Ms),
      "p99 ms": tenths(p99Ms),
      "delivered meanwhile": endpoints.reduce((sum, endpoint) => sum + endpoint.count(), 0),
    });
    for (const endpoint of endpoints) endpoint.close();
  }
  return rows;
}

/** A queue beside the topic is used before, and while, the messages wait for an endpoint that is gone. */
async function withDeadEndpoint(world: World, { publishers, undelivered }: Choices): Promise<object[]> {
  const neighbour = await createQueue(world, "neighbour");
  const { topicArn } = await topicWith(world, "dead", 0);
  await subscribeEndpoint(world.sns, topicArn, "dead");
  await roundTrips(world, neighbour.url);
  const rows = [await lookAt(world, 0, neighbour.url)];
  const load = { endpoint: world.server.endpoint, topicArn, batch: 10, publishers, messages: undelivered };
  const { messages } = await publish(load);
  rows.push(await lookAt(world, messages, neighbour.url));
  return rows;
}

async function lookAt(world: World, waiting: number, queueUrl: string): Promise<object> {
  const { p50Ms, p99Ms } = await roundTrips(world, queueUrl);
  return {
    "undelivered messages": waiting,
    "resident MB": whole((world.server.residentBytes() ?? 0) / 1e6),
    "a neighbour's send and receive: p50 ms": tenths(p50Ms),
    "p99 ms": tenths(p99Ms),
  };
}

async function roundTrips({ server }: World, QueueUrl: string): Promise<{ p50Ms: number; p99Ms: number }> {
  const client = new HttpClient(server.endpoint);
  const send = encode(client, "json", "SendMessage", { QueueUrl, MessageBody: "m".repeat(256) });
  const receive = encode(client, "json", "ReceiveMessage", { QueueUrl });
  const latencies: number[] = [];
  for (let index = 0; index < NEIGHBOUR_ROUND_TRIPS; index++) {
    const sinceMs = performance.now();
    expectOk(await client.send(send));
    const [message] = readMessages(await client.send(receive), "json");
    if (message === undefined) throw new Error("what was sent was not received");
    latencies.push(performance.now() - sinceMs);
  }
  client.close();
  latencies.sort((a, b) => a - b);
  return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}

async function inWorld<Found>(subject: Subject, use: (world: World) => Promise<Found>): Promise<Found> {
  const server = await startServer(subject, { protocol: "json" });
  const access = { accessKeyId: "test", secretAccessKey: "test" };
  const choices = { endpoint: server.endpoint, region: "us-east-1", credentials: access };
  const [sns, sqs] = [new SNSClient(choices), new SQSClient(choices)];
  try {
    return await use({ server, sns, sqs });
  } finally {
    sns.destroy();
    sqs.destroy();
    await server.dispose();
  }
}

async function topicWith(world: World, name: string, queueCount: number) {
  const { TopicArn } = await world.sns.send(new CreateTopicCommand({ Name: name }));
  const topicArn = TopicArn as string;
  const queueUrls: string[] = [];
  for (let index = 0; index < queueCount; index++) {
    const { url, arn } = await createQueue(world, `${name}-${index}`);
    await world.sns.send(new SubscribeCommand({ TopicArn, Protocol: "sqs", Endpoint: arn }));
    queueUrls.push(url);
  }
  return { topicArn, queueUrls };
}

async function createQueue({ sqs }: World, QueueName: string): Promise<{ url: string; arn: string }> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName }));
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] });
  return { url: QueueUrl as string, arn: (await sqs.send(asked)).Attributes?.QueueArn as string };
}

async function messagesIn({ sqs }: World, QueueUrl: string): Promise<number> {
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["ApproximateNumberOfMessages"] });
  return Number((await sqs.send(asked)).Attributes?.ApproximateNumberOfMessages);
}

function cpuOf({ server }: World): number {
  return cpuSecondsOf(server.pids()) ?? Number.NaN;
}

function whole(value: number): number {
  return Math.round(value);
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
