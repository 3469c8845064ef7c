// A host with two queues, a shallow and a deep one, on a folder of its own and without HTTP: fills them and receives
// from them.

import { randomUUID } from "node:crypto";
import { systemClock } from "../../src/base/clock.ts";
import type { SendEntry } from "../../src/engine/command.ts";
import { type Host, startHost } from "../../src/host/index.ts";
import { type DataFolder, openDataFolder } from "../../src/log/index.ts";

const BATCH = 10;
const AT_ONCE = 16;
const BODY = Buffer.alloc(256, "b");
const BODY_MD5 = Buffer.alloc(16);
const GROUPS = 1000;
const SEGMENT_BYTES = 64 * 1024 * 1024;
const CACHE_BYTES = 64 * 1024 * 1024;

export type QueueName = "shallow" | "deep";

export class Backlog {
  readonly #host: Host;
  readonly #folder: DataFolder;
  readonly #isFifo: boolean;
  #sentCount = 0;

  private constructor(host: Host, folder: DataFolder, isFifo: boolean) {
    this.#host = host;
    this.#folder = folder;
    this.#isFifo = isFifo;
  }

  /** Answers are not synced: the disk is not what is measured. */
  static async open(path: string, isFifo: boolean): Promise<Backlog> {
    const folder = await openDataFolder(path, { shardCount: 1, durability: "os", segmentBytesMax: SEGMENT_BYTES });
    const host = await startHost({
      openStorage: (shard) => folder.shardStorage(shard),
      shardCount: 1,
      clock: systemClock,
      ids: { uuid: randomUUID },
      awsDelays: false,
      bodyCacheBytesMax: CACHE_BYTES,
      log: () => undefined,
    });
    return new Backlog(host, folder, isFifo);
  }

  get messageCount(): number {
    return this.#host.status().messageCount;
  }

  async create(name: QueueName): Promise<void> {
    const attributes: Record<string, string> = this.#isFifo ? { FifoQueue: "true" } : {};
    await this.#host.execute({ kind: "createQueue", queue: this.#key(name), attributes, tags: {} });
  }

  async close(): Promise<void> {
    await this.#host.stop();
    await this.#folder.close();
  }

  async send(name: QueueName, messages: number): Promise<void> {
    for (let sent = 0; sent < messages; ) {
      const batches = Math.min(AT_ONCE, Math.ceil((messages - sent) / BATCH));
      await inParallel(batches, async () => {
        const entries = Array.from({ length: BATCH }, () => this.#entry());
        const queue = this.#key(name);
        await this.#host.execute({ kind: "sendMessages", queue, senderId: "AIDABENCH", batch: true, entries });
      });
      sent += batches * BATCH;
    }
  }

  /** Receives and deletes at least so many, in batches. Answers the microseconds of processor time for one. */
  async receive(name: QueueName, messages: number): Promise<number> {
    const before = process.cpuUsage();
    let count = 0;
    while (count < messages) {
      const counts = await inParallel(AT_ONCE, () => this.#receiveBatch(name));
      const handedOut = counts.reduce((sum, each) => sum + each, 0);
      if (handedOut === 0) throw new Error(`The ${name} queue is empty.`);
      count += handedOut;
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  }

  async #receiveBatch(name: QueueName): Promise<number> {
    const queue = this.#key(name);
    const received = await this.#host.execute<"receiveMessages">({
      kind: "receiveMessages",
      queue,
      messagesMax: BATCH,
    });
    if (!received.ok) throw new Error(received.refusal.message);
    const receiptHandles = received.value.messages.map(({ receiptHandle }) => receiptHandle);
    if (receiptHandles.length === 0) return 0;
    await this.#host.execute<"deleteMessages">({ kind: "deleteMessages", queue, receiptHandles });
    return receiptHandles.length;
  }

  #entry(): SendEntry {
    const content = { body: BODY, bodyMd5: BODY_MD5, attributes: [] };
    const entry: SendEntry = { content, sizeBytes: BODY.length };
    if (!this.#isFifo) return entry;
    this.#sentCount += 1;
    return { ...entry, groupId: `group-${this.#sentCount % GROUPS}`, deduplicationId: randomUUID() };
  }

  #key(name: QueueName) {
    return { account: "000000000000", region: "us-east-1", name: this.#isFifo ? `${name}.fifo` : name };
  }
}

function inParallel<Answer>(count: number, work: () => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, work));
}
