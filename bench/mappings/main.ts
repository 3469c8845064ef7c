// npm run bench:mappings -- [--json]
//
// What an event source mapping carries, with a function that does nothing, a server in a process of its own and a data
// folder on disk: messages a second from a backlog by batch size, the time from sending to the handler when everything
// is idle, and what a mapping costs that has nothing to do.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Lambda } from "@aws-sdk/client-lambda";
import { makeZip } from "../../tests/functions/make-zip.ts";
import { LeanClient } from "../../tests/support/lean-client.ts";
import { type ServerProcess, startServe } from "../../tests/support/server-process.ts";

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });

const BACKLOGS = [
  { batchSize: 1, messages: 5_000 },
  { batchSize: 10, messages: 20_000 },
  { batchSize: 1000, messages: 100_000 },
];
const IDLE_SENDS = 100;
const IDLE_PAUSE_MS = 100;
const IDLE_MAPPINGS = 1000;
const IDLE_WATCH_MS = 30_000;
const TICKS_PER_SECOND = 100;
const BODY_BYTES = 200;

/** Notes when it was called, where it is told to; in milliseconds with a fraction, as the sender does. */
const NO_OP = `
import { appendFileSync } from "node:fs";
export const handler = async ({ Records }) => {
  if (!process.env.NOTES) return;
  const now = performance.timeOrigin + performance.now();
  appendFileSync(process.env.NOTES, Records.map(({ body }) => now - Number(body) + "\\n").join(""));
};
`;

interface World {
  server: ServerProcess;
  client: LeanClient;
  lambda: Lambda;
  endpoint: string;
  folder: string;
}

const rates: { batchSize: number; messages: number; perSecond: number }[] = [];
for (const backlog of BACKLOGS) rates.push({ ...backlog, perSecond: await inWorld((world) => rate(world, backlog)) });
const idle = await inWorld(latency);
const cost = await inWorld(idleCost);
if (values.json) console.log(JSON.stringify({ rates, idle, cost }));
else print();

async function rate(world: World, { batchSize, messages }: { batchSize: number; messages: number }): Promise<number> {
  await createFunction(world);
  const mapping = await createMapping(world, "work", batchSize, false);
  await fill(world, "work", messages);
  await world.lambda.invoke({ FunctionName: "no-op", Payload: Buffer.from('{"Records":[]}') });
  await world.lambda.updateEventSourceMapping({ UUID: mapping, Enabled: true });
  const fromMs = performance.now();
  while (
    ((await (await fetch(`${world.endpoint}/_millpond/status`)).json()) as { messageCount: number }).messageCount > 0
  ) {
    await pause(20);
  }
  return messages / ((performance.now() - fromMs) / 1000);
}

async function latency(world: World): Promise<{ p50Ms: number; p99Ms: number }> {
  const notes = join(world.folder, "notes");
  writeFileSync(notes, "");
  await createFunction(world, { NOTES: notes });
  await createMapping(world, "work", 10, true);
  for (let sent = 0; sent < IDLE_SENDS; sent++) {
    const MessageBody = String(performance.timeOrigin + performance.now());
    await world.client.call("SendMessage", { QueueUrl: urlOf("work"), MessageBody });
    await pause(IDLE_PAUSE_MS);
  }
  // The first calls start processes.
  const took = readFileSync(notes, "utf8").split("\n").filter(Boolean).map(Number).slice(10);
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor(took.length * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

async function idleCost(world: World): Promise<{ mappings: number; kibEach: number; cpuMsPerSecond: number }> {
  await createFunction(world);
  for (let index = 0; index < IDLE_MAPPINGS; index++) {
    await world.client.call("CreateQueue", { QueueName: `q${index}` });
  }
  await pause(2000);
  const before = memoryBytes(world.server.pid);
  for (let index = 0; index < IDLE_MAPPINGS; index++) await createMapping(world, `q${index}`, 10, true, false);
  await pause(2000);
  const kibEach = (memoryBytes(world.server.pid) - before) / 1024 / IDLE_MAPPINGS;
  const cpuBefore = cpuMs(world.server.pid);
  await pause(IDLE_WATCH_MS);
  const cpuMsPerSecond = ((cpuMs(world.server.pid) - cpuBefore) / IDLE_WATCH_MS) * 1000;
  return { mappings: IDLE_MAPPINGS, kibEach, cpuMsPerSecond };
}

async function inWorld<Value>(measure: (world: World) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "millpond-mappings-"));
  const server = startServe(["--data", join(folder, "data"), "--log-level", "warn"]);
  const endpoint = await server.ready;
  const client = new LeanClient(endpoint);
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const lambda = new Lambda({ endpoint, region: "us-east-1", credentials });
  try {
    return await measure({ server, client, lambda, endpoint, folder });
  } finally {
    await client.close();
    lambda.destroy();
    await server.signal("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function createFunction({ lambda }: World, Variables: Record<string, string> = {}): Promise<void> {
  await lambda.createFunction({
    FunctionName: "no-op",
    Runtime: "nodejs20.x",
    Handler: "index.handler",
    Role: "arn:aws:iam::000000000000:role/functions",
    Code: { ZipFile: makeZip([{ path: "index.mjs", text: NO_OP }]) },
    Environment: { Variables },
  });
}

async function createMapping(
  { client, lambda }: World,
  queue: string,
  batchSize: number,
  isOn: boolean,
  isNew = true,
): Promise<string> {
  if (isNew) await client.call("CreateQueue", { QueueName: queue });
  const { UUID = "" } = await lambda.createEventSourceMapping({
    EventSourceArn: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
    FunctionName: "no-op",
    BatchSize: batchSize,
    MaximumBatchingWindowInSeconds: batchSize > 10 ? 1 : 0,
    Enabled: isOn,
  });
  return UUID;
}

async function fill({ endpoint }: World, queue: string, messages: number): Promise<void> {
  const clients = Array.from({ length: 16 }, () => new LeanClient(endpoint));
  const MessageBody = "m".repeat(BODY_BYTES);
  let left = messages;
  await Promise.all(
    clients.map(async (client) => {
      while (left > 0) {
        const count = Math.min(10, left);
        left -= count;
        const Entries = Array.from({ length: count }, (_, index) => ({ Id: String(index), MessageBody }));
        await client.call("SendMessageBatch", { QueueUrl: urlOf(queue), Entries });
      }
      await client.close();
    }),
  );
}

function urlOf(name: string): string {
  return `http://queues.test/000000000000/${name}`;
}

function memoryBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1000;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function print(): void {
  console.log("| batch size | backlog | messages/s |");
  console.log("|---|---|---|");
  for (const { batchSize, messages, perSecond } of rates) {
    console.log(`| ${batchSize} | ${messages.toLocaleString("en")} | ${Math.round(perSecond).toLocaleString("en")} |`);
  }
  console.log(
    `\nFrom SendMessage to the handler, all idle: ${idle.p50Ms.toFixed(1)} ms median, ${idle.p99Ms.toFixed(1)} ms of 99 %.`,
  );
  const { mappings, kibEach, cpuMsPerSecond } = cost;
  console.log(
    `${mappings} idle mappings: ${kibEach.toFixed(1)} KiB of memory each, ${cpuMsPerSecond.toFixed(1)} ms of processor a second together.`,
  );
}
