// A host over a data folder in a temporary place, with topics and subscriptions, for tests that restart it.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PublishEntry, QueueKey, ReceivedMessage } from "../../src/engine/command.ts";
import type { SubscriptionProtocol, TopicKey } from "../../src/engine/index.ts";
import type { HostOptions } from "../../src/host/host.ts";
import { MillpondHost } from "../../src/host/start-host.ts";
import { type DataFolder, openDataFolder } from "../../src/log/index.ts";
import { seededIds } from "../../src/testing/seeded-ids.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";

const SCOPE = { account: "000000000000", region: "us-east-1" };
export const queue = (name: string): QueueKey => ({ ...SCOPE, name });
export const topic = (name: string): TopicKey => ({ ...SCOPE, name });
export const arnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

/** Its folder survives its restarts. Stop it at the end of the test. */
export class World {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1));
  readonly #ids = seededIds(7);
  readonly #shardCount: number;
  readonly #more: Partial<HostOptions>;
  readonly #root = mkdtempSync(join(tmpdir(), "millpond-publish-"));
  #folder: DataFolder | undefined;
  host!: MillpondHost;

  constructor(shardCount: number, more: Partial<HostOptions> = {}) {
    this.#shardCount = shardCount;
    this.#more = more;
  }

  async start(): Promise<this> {
    this.#folder = await openDataFolder(this.#root, {
      shardCount: this.#shardCount,
      durability: "os",
      segmentBytesMax: 256 * 1024,
    });
    const folder = this.#folder;
    this.host = new MillpondHost({
      openStorage: (shard) => folder.shardStorage(shard),
      shardCount: folder.shardCount,
      clock: this.clock,
      ids: this.#ids,
      awsDelays: false,
      bodyCacheBytesMax: 64 * 1024,
      log: () => undefined,
      ...this.#more,
    });
    await this.host.open();
    this.host.startDeliveries();
    this.clock.settleWith(() => this.host.settle());
    return this;
  }

  async restart(): Promise<void> {
    await this.host.stop();
    await this.#folder?.close();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.host.stop();
    await this.#folder?.close();
    rmSync(this.#root, { recursive: true });
  }

  createQueue(name: string, attributes: Record<string, string> = {}) {
    return this.host.execute<"createQueue">({ kind: "createQueue", queue: queue(name), attributes, tags: {} });
  }

  async createTopic(name: string, attributes: Record<string, string> = {}): Promise<void> {
    const outcome = await this.host.execute<"createTopic">({
      kind: "createTopic",
      topic: topic(name),
      attributes,
      tags: {},
    });
    assert.ok(outcome.ok, JSON.stringify(outcome));
  }

  /** Answers with the subscription's ARN. */
  async subscribe(
    topicName: string,
    endpoint: string,
    attributes: Record<string, string> = {},
    protocol: SubscriptionProtocol = "sqs",
  ): Promise<string> {
    const outcome = await this.host.execute<"subscribe">({
      kind: "subscribe",
      topic: topic(topicName),
      protocol,
      endpoint: protocol === "sqs" ? arnOf(endpoint) : endpoint,
      attributes,
      owner: SCOPE.account,
      principal: "arn:aws:iam::000000000000:root",
    });
    assert.ok(outcome.ok, JSON.stringify(outcome));
    return outcome.value.subscriptionArn;
  }

  async publish(topicName: string, message: string, more: Partial<PublishEntry> = {}) {
    const outcome = await this.host.execute<"publish">({
      kind: "publish",
      topic: topic(topicName),
      entries: [{ messages: { default: message }, attributes: [], ...more }],
    });
    if (!outcome.ok) return outcome.refusal;
    const [entry] = outcome.value.entries;
    assert.ok(entry?.ok);
    return entry.value;
  }

  async receive(name: string): Promise<ReceivedMessage[]> {
    const outcome = await this.host.execute<"receiveMessages">({
      kind: "receiveMessages",
      queue: queue(name),
      messagesMax: 10,
    });
    assert.ok(outcome.ok);
    return outcome.value.messages;
  }

  async bodies(name: string): Promise<string[]> {
    return (await this.receive(name)).map(({ content }) => Buffer.from(content.body).toString());
  }
}
