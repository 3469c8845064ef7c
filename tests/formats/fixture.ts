// What the data folder of a format holds, and how its host is run: shared by the script that made it and by the test
// that reads it. A folder is made once, by the version that introduces its format, and kept for ever.

import { createHash } from "node:crypto";
import type { Clock } from "../../src/base/clock.ts";
import type { QueueKey, SendEntry } from "../../src/engine/command.ts";
import { type Host, startHost } from "../../src/host/index.ts";
import type { DataFolder } from "../../src/log/index.ts";
import { seededIds } from "../../src/testing/seeded-ids.ts";

export const FORMAT_FOLDER = "tests/formats/format-1";
export const MADE_AT_MS = 1_750_000_000_000;

export const QUEUES = ["orders", "orders-dead", "steps.fifo"] as const;
export type QueueName = (typeof QUEUES)[number];

export function queueKey(name: QueueName): QueueKey {
  return { account: "000000000000", region: "us-east-1", name };
}

export function queueArn(name: QueueName): string {
  return `arn:aws:sqs:us-east-1:000000000000:${name}`;
}

/** Time stands still; nothing in the fixture waits for it. */
export function startFixtureHost(folder: DataFolder, nowMs: number, seed: number): Promise<Host> {
  const clock: Clock = { nowMs: () => nowMs, setTimer: () => ({ cancel: () => undefined }) };
  return startHost({
    openStorage: (shard) => folder.shardStorage(shard),
    shardCount: folder.shardCount,
    clock,
    ids: seededIds(seed),
    awsDelays: false,
    bodyCacheBytesMax: 1024,
    thresholds: { snapshotAfterBytesMin: 12 * 1024 },
    log: () => undefined,
  });
}

export function entry(body: string, more: Partial<SendEntry> = {}): SendEntry {
  const bytes = Buffer.from(body);
  const content = { body: bytes, bodyMd5: createHash("md5").update(bytes).digest(), attributes: [] };
  return { content, sizeBytes: bytes.length, ...more };
}

/** Everything that is to be found again, as plain text values. */
export async function describeHost(host: Host): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const name of QUEUES) {
    const attributes = await host.execute<"getQueueAttributes">({ kind: "getQueueAttributes", queue: queueKey(name) });
    const tags = await host.execute<"listQueueTags">({ kind: "listQueueTags", queue: queueKey(name) });
    const messages = (await host.inspect(queueKey(name))) ?? [];
    found[name] = {
      attributes: attributes.ok && attributes.value.attributes,
      tags: tags.ok && tags.value.tags,
      messages: messages.map(({ content, ...message }) => ({
        ...message,
        body: Buffer.from(content.body).toString(),
        bodyMd5: Buffer.from(content.bodyMd5).toString("hex"),
        traceHeader: content.traceHeader,
        attributes: content.attributes.map(({ value, ...attribute }) => ({
          ...attribute,
          value: typeof value === "string" ? value : `hex ${Buffer.from(value).toString("hex")}`,
        })),
      })),
    };
  }
  return JSON.parse(JSON.stringify(found)) as Record<string, unknown>;
}
