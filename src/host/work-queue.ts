// A durable queue of work for those who build on the host: what is added is attempted until it is done, also after a
// restart. An internal queue with a deliverer (deliverer.ts), with plain values at both ends.

import { createHash } from "node:crypto";
import { accept, type Result, refuse } from "../base/result.ts";
import { decodeEnvelope } from "../engine/index.ts";
import { RETENTION_MS_MAX } from "../engine/limits.ts";
import type { Refusal } from "../engine/refusal.ts";
import { Deliverer, type Delivery, type Verdict } from "./deliverer.ts";
import type { MillpondHost } from "./start-host.ts";

export interface Work {
  /** The one that it was added with. */
  id: string;
  /** 1 for the first. */
  attempt: number;
  addedAtMs: number;
  body: Uint8Array;
  attributes: Record<string, string>;
}

export interface WorkQueueOptions {
  /** Of an internal queue: `lambda/events/ARN`. */
  name: string;
  /** Asked before each receive. */
  concurrencyMax: () => number;
  /** After this long an attempt counts as lost, and another begins: longer than any attempt takes. */
  attemptMs: () => number;
  /** Whether the work is done, or when to try again. Never rejects. */
  attempt: (work: Work, signal: AbortSignal) => Promise<{ isDone: true } | { isDone: false; retryAfterMs: number }>;
}

export interface WorkQueue {
  /** Resolves when it is durable. `id` is a UUID. */
  add(id: string, body: Uint8Array, attributes: Record<string, string>): Promise<Result<null, Refusal>>;
  /** Attempts under way are broken off and repeated after the next start. */
  stop(): Promise<void>;
  /** Stops, and forgets what is in it. */
  drop(): void;
  readonly isIdle: boolean;
}

export class HostWorkQueue implements WorkQueue {
  readonly #host: MillpondHost;
  readonly #name: string;
  readonly #deliverer: Deliverer;
  readonly #onGone: (queue: HostWorkQueue) => void;

  constructor(host: MillpondHost, options: WorkQueueOptions, onGone: (queue: HostWorkQueue) => void) {
    this.#host = host;
    this.#name = options.name;
    this.#onGone = onGone;
    this.#place();
    this.#deliverer = new Deliverer(host, {
      queue: options.name,
      get concurrencyMax() {
        return options.concurrencyMax();
      },
      get attemptMs() {
        return options.attemptMs();
      },
      deadLetterArn: () => undefined,
      attempt: async (delivery, signal) => verdictOf(await options.attempt(workOf(delivery), signal)),
      onVerdict: () => {},
    });
    this.#deliverer.start();
  }

  async add(id: string, body: Uint8Array, attributes: Record<string, string>): Promise<Result<null, Refusal>> {
    const { shard, partition } = this.#place();
    const full = this.#host.refuseSends(shard);
    if (full !== undefined) return refuse(full);
    const content = {
      body,
      bodyMd5: createHash("md5").update(body).digest(),
      attributes: Object.entries(attributes).map(([name, value]) => ({ name, dataType: "String", value })),
    };
    const { dependsOn } = shard.perform<"sendMessages">({
      kind: "sendMessages",
      partition,
      senderId: "millpond",
      batch: false,
      entries: [{ content, sizeBytes: body.length }],
      messageIds: [id],
    });
    await this.#host.durable(shard, dependsOn);
    return accept(null);
  }

  async stop(): Promise<void> {
    this.#onGone(this);
    await this.#deliverer.stop();
  }

  drop(): void {
    void this.stop();
    this.#host.catalog.dropInternalQueue(this.#name);
  }

  get isIdle(): boolean {
    return this.#deliverer.isIdle;
  }

  #place() {
    return this.#host.catalog.internalPlace({
      name: this.#name,
      attributes: { MessageRetentionPeriod: String(RETENTION_MS_MAX / 1000) },
    });
  }
}

function workOf({ envelope, attempt }: Delivery): Work {
  const { messageId, sentAtMs, content } = decodeEnvelope(envelope);
  const attributes: Record<string, string> = {};
  for (const { name, value } of content.attributes) attributes[name] = String(value);
  return { id: messageId, attempt, addedAtMs: sentAtMs, body: content.body, attributes };
}

function verdictOf(end: Awaited<ReturnType<WorkQueueOptions["attempt"]>>): Verdict {
  return end.isDone ? { is: "delivered" } : { is: "retry", afterMs: end.retryAfterMs, reason: "" };
}
