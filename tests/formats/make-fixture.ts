// Made `format-1`: node dist/tests/formats/make-fixture.js. Run it again only for a new format, into a new folder; what
// an older version wrote must stay what it is.

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { QueueAttributes, SendEntry } from "../../src/engine/command.ts";
import { openDataFolder } from "../../src/log/index.ts";
import {
  describeHost,
  entry,
  FORMAT_FOLDER,
  MADE_AT_MS,
  type QueueName,
  queueArn,
  queueKey,
  startFixtureHost,
} from "./fixture.ts";

if (existsSync(FORMAT_FOLDER)) throw new Error(`${FORMAT_FOLDER} is there: formats are not rewritten.`);
const DATA = join(FORMAT_FOLDER, "data");
const folder = await openDataFolder(DATA, { shardCount: 1, durability: "fsync", segmentBytesMax: 16 * 1024 });
const host = await startFixtureHost(folder, MADE_AT_MS, 1);

const create = (name: QueueName, attributes: QueueAttributes, tags: Record<string, string> = {}) =>
  host.execute({ kind: "createQueue", queue: queueKey(name), attributes, tags });
const send = async (name: QueueName, entries: SendEntry[]) => {
  const sent = await host.execute<"sendMessages">({
    kind: "sendMessages",
    queue: queueKey(name),
    senderId: "AIDAFIXTURE",
    batch: true,
    entries,
  });
  if (!sent.ok || sent.value.entries.some(({ ok }) => !ok)) throw new Error(`could not send to ${name}`);
};
const receive = async (name: QueueName, messagesMax: number, visibilityTimeoutMs: number, attemptId?: string) => {
  const attempt = attemptId === undefined ? {} : { attemptId };
  const received = await host.execute<"receiveMessages">({
    kind: "receiveMessages",
    queue: queueKey(name),
    messagesMax,
    visibilityTimeoutMs,
    waitMs: 0,
    ...attempt,
  });
  return received.ok ? received.value.messages.map(({ receiptHandle }) => receiptHandle) : [];
};

await create("orders-dead", { MessageRetentionPeriod: "1209600" });
const redrive = JSON.stringify({ deadLetterTargetArn: queueArn("orders-dead"), maxReceiveCount: 2 });
await create("orders", { RedrivePolicy: redrive, VisibilityTimeout: "45" }, { team: "fixtures" });
await create("steps.fifo", { FifoQueue: "true", ContentBasedDeduplication: "true" });

// Two messages that were received too often, before the snapshot.
await send("orders", [entry("poison 1"), entry("poison 2")]);
for (let round = 0; round < 3; round++) await receive("orders", 10, 0);
await host.settle();

for (let batch = 0; batch < 10; batch++) {
  await send(
    "orders",
    Array.from({ length: 10 }, (_, index) => entry(`order ${batch * 10 + index} ${"·".repeat(40)}`)),
  );
}
const first = await receive("orders", 10, 600_000);
await host.execute({ kind: "deleteMessages", queue: queueKey("orders"), receiptHandles: first.slice(0, 5) });
await host.settle();

// After the snapshot: what only the log knows.
const attributes = [
  { name: "kind", dataType: "String", value: "résumé" },
  { name: "weight", dataType: "Number.kg", value: "-12.50" },
  { name: "thumbnail", dataType: "Binary.png", value: Uint8Array.of(0, 1, 128, 255) },
];
const rich = entry("a body with attributes ✓");
await send("orders", [
  { ...rich, content: { ...rich.content, attributes, traceHeader: "Root=1-5759e988-bd862e3fe1be46a994272793" } },
  entry("delayed by 15 minutes", { delayMs: 900_000 }),
]);
const steps = (group: string, bodies: string[]) =>
  bodies.map((body) => entry(body, { groupId: group, deduplicationId: `${group}-${body}` }));
await send("steps.fifo", [...steps("a", ["1", "2", "3"]), ...steps("b", ["1", "2"])]);
await receive("steps.fifo", 1, 300_000, "attempt-1");
await host.execute({ kind: "tagQueue", queue: queueKey("steps.fifo"), tags: { added: "later" } });
for (let batch = 0; batch < 4; batch++) {
  await send(
    "orders",
    Array.from({ length: 5 }, (_, index) => entry(`late order ${batch * 5 + index}`)),
  );
}
await host.settle();

const found = await describeHost(host);
await host.stop();
await folder.close();
const shard = join(DATA, "shards", "0000");
for (const name of await readdir(shard)) if (name.endsWith(".spare")) rmSync(join(shard, name));
writeFileSync(join(FORMAT_FOLDER, "expected.json"), `${JSON.stringify(found, undefined, 1)}\n`);
