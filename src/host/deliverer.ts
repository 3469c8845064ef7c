// Takes messages from an internal queue and has them delivered, several at a time, until each is delivered or given
// up. Attempts, waiting between them and giving up are the queue's: an attempt is a receive, waiting is a visibility
// timeout, and what is given up goes to a dead-letter queue. So all of it survives a restart, and a message whose
// attempt was cut short by one is tried again.

import { isFault } from "../base/fault.ts";
import { pause } from "../base/pause.ts";
import { internalQueueKey, type Receipt } from "../engine/index.ts";
import { receiveMessages } from "./receive.ts";
import type { Shard } from "./shard.ts";
import type { MillpondHost } from "./start-host.ts";

const WAIT_MS = 20_000;
const RETRY_MS = 1000;
const RECEIVE_MAX = 10;
/** An endpoint that refuses everything gets a fifth of the time of one attempt at a time; at most a second of rest. */
const REST_PER_ATTEMPT = 4;
const REST_MS_MAX = 1000;

export interface Delivery {
  receipt: Receipt;
  /** 1 for the first. */
  attempt: number;
  /** Standing alone (copy-envelope.ts). */
  envelope: Uint8Array;
}

export type Verdict =
  | { is: "delivered" }
  | { is: "retry"; afterMs: number; reason: string }
  | { is: "giveUp"; reason: string };

export interface DelivererOptions {
  /** Name of the internal queue. */
  queue: string;
  concurrencyMax: number;
  /** After this long an attempt counts as lost, and another begins: longer than any attempt takes. */
  attemptMs: number;
  /** Absent or undefined: no limit. */
  perSecondMax?: () => number | undefined;
  /**
   * After so many attempts in a row that failed, what is attempted counts as dead until one succeeds: one attempt at a
   * time, with rests, so that a long backlog for it takes nothing from others. Absent: never.
   */
  deadAfterFailures?: number;
  /** Where it goes when it is given up; undefined: nowhere. */
  deadLetterArn: (delivery: Delivery) => string | undefined;
  /** Rejects with a fault when a shard is being read again: another attempt follows. */
  attempt: (delivery: Delivery, signal: AbortSignal) => Promise<Verdict>;
  onVerdict: (delivery: Delivery, verdict: Verdict) => void;
}

export class Deliverer {
  readonly #host: MillpondHost;
  readonly #options: DelivererOptions;
  readonly #stopped = new AbortController();
  readonly #attempts = new Set<Promise<void>>();
  /** Handed out by the queue; their attempts begin when that is durable. */
  #takenCount = 0;
  #running: Promise<void> | undefined;
  #slotFreed: () => void = () => undefined;
  #nextAtMs = 0;
  #failuresInARow = 0;
  /** The last attempt's. */
  #attemptTookMs = 0;
  #isResting = false;

  constructor(host: MillpondHost, options: DelivererOptions) {
    this.#host = host;
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Attempts under way are broken off; their messages are tried again after the next start. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#slotFreed();
    await this.#running;
    await Promise.all(this.#attempts);
  }

  /** Nothing is under way, and nothing waits that could be. */
  get isIdle(): boolean {
    if (this.#attempts.size > 0 || this.#takenCount > 0) return false;
    if (this.#isResting) return true;
    if (this.#host.catalogShard.mode !== "serving") return true;
    const place = this.#host.catalog.place(internalQueueKey(this.#options.queue));
    return (place?.shard.state.partitions.get(place.partition)?.readyCount ?? 0) === 0;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        const free = (this.#isDead ? 1 : this.#options.concurrencyMax) - this.#attempts.size;
        if (free <= 0) await this.#slot();
        else if (this.#isDead && this.#attemptTookMs > 0) await this.#rest();
        else {
          const deliveries = await this.#receive(Math.min(free, RECEIVE_MAX));
          this.#takenCount = 0;
          for (const delivery of deliveries) this.#begin(delivery);
        }
      } catch (error) {
        this.#takenCount = 0;
        if (signal.aborted) return;
        this.#tellIfBug(error);
        await this.#pause(RETRY_MS);
      }
    }
  }

  async #receive(messagesMax: number): Promise<Delivery[]> {
    const queue = internalQueueKey(this.#options.queue);
    const received = await receiveMessages<Delivery>(
      { kind: "receiveMessages", queue, messagesMax, waitMs: WAIT_MS, visibilityTimeoutMs: this.#options.attemptMs },
      () => this.#host.receiveRoute(queue),
      (shard, partition, slot) => {
        this.#takenCount += 1;
        return readDelivery(shard, partition, slot);
      },
      this.#host.options.clock,
      this.#stopped,
    );
    if (received.ok) return received.value.messages;
    // The queue is gone: whoever dropped it stops this deliverer, too.
    await this.#pause(RETRY_MS);
    return [];
  }

  #begin(delivery: Delivery): void {
    const attempt = this.#deliver(delivery).finally(() => {
      this.#attempts.delete(attempt);
      this.#slotFreed();
    });
    this.#attempts.add(attempt);
  }

  /** Never rejects. */
  async #deliver(delivery: Delivery): Promise<void> {
    const { signal } = this.#stopped;
    const { clock } = this.#host.options;
    const sinceMs = clock.nowMs();
    const verdict = await this.#attempt(delivery);
    this.#attemptTookMs = clock.nowMs() - sinceMs;
    // What is given up says less: its endpoint may have answered.
    if (verdict.is === "delivered") this.#failuresInARow = 0;
    else if (verdict.is === "retry") this.#failuresInARow += 1;
    try {
      this.#settle(delivery, verdict);
      if (!signal.aborted) this.#options.onVerdict(delivery, verdict);
    } catch (error) {
      // A shard is being read again: the message comes back when its time is over.
      this.#tellIfBug(error);
    }
  }

  async #attempt(delivery: Delivery): Promise<Verdict> {
    const { signal } = this.#stopped;
    try {
      await this.#turn();
      await this.#host.turns.next();
      if (signal.aborted) return { is: "retry", afterMs: 0, reason: "The server stopped." };
      return await this.#options.attempt(delivery, signal);
    } catch (error) {
      this.#tellIfBug(error);
      return { is: "retry", afterMs: RETRY_MS, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Faults are the world's, and told by those that they happen to. */
  #tellIfBug(error: unknown): void {
    if (isFault(error)) return;
    this.#host.options.log("error", "A delivery failed unexpectedly. This is a bug in Millpond.", {
      queue: this.#options.queue,
      stack: error instanceof Error ? error.stack : String(error),
    });
  }

  #settle(delivery: Delivery, verdict: Verdict): void {
    const { receipt } = delivery;
    const place = this.#host.catalog.place(internalQueueKey(this.#options.queue));
    if (place === undefined) return;
    const { shard, partition } = place;
    switch (verdict.is) {
      case "delivered":
        shard.perform<"deleteMessages">({ kind: "deleteMessages", partition, receipts: [receipt] });
        return;
      case "retry": {
        const entries = [{ receipt, visibilityTimeoutMs: verdict.afterMs }];
        shard.perform<"changeVisibility">({ kind: "changeVisibility", partition, entries });
        return;
      }
      case "giveUp": {
        const arn = this.#options.deadLetterArn(delivery);
        const target = arn === undefined ? undefined : this.#host.catalog.targetOf(arn);
        shard.perform<"forwardMessages">({ kind: "forwardMessages", partition, receipts: [receipt], target });
      }
    }
  }

  /** Waits for this attempt's turn when the rate is limited. */
  async #turn(): Promise<void> {
    const perSecond = this.#options.perSecondMax?.();
    if (perSecond === undefined) return;
    const nowMs = this.#host.options.clock.nowMs();
    const atMs = Math.max(nowMs, this.#nextAtMs);
    this.#nextAtMs = atMs + 1000 / perSecond;
    if (atMs > nowMs) await this.#pause(atMs - nowMs);
  }

  get #isDead(): boolean {
    return this.#failuresInARow >= (this.#options.deadAfterFailures ?? Number.POSITIVE_INFINITY);
  }

  /** Longer after an attempt that took longer, because the endpoint was slow to refuse or the server is busy. */
  async #rest(): Promise<void> {
    const restMs = Math.min(REST_PER_ATTEMPT * this.#attemptTookMs, REST_MS_MAX);
    this.#attemptTookMs = 0;
    this.#isResting = true;
    await this.#pause(restMs);
    this.#isResting = false;
  }

  #slot(): Promise<void> {
    return new Promise((resolve) => {
      this.#slotFreed = resolve;
    });
  }

  #pause(ms: number): Promise<void> {
    return pause(this.#host.options.clock, ms, this.#stopped.signal);
  }
}

function readDelivery(shard: Shard, partition: number, slot: number): Delivery | Promise<Delivery> {
  const { table } = shard.state;
  const seq = table.seq.get(slot);
  const receiveSeq = table.receiveSeq.get(slot);
  const receipt: Receipt = { partition, slot, seq, receiveSeq, text: "" };
  const attempt = table.receiveCount.get(slot);
  const envelope = shard.readEnvelope(slot);
  return envelope instanceof Promise
    ? envelope.then((bytes) => ({ receipt, attempt, envelope: bytes }))
    : { receipt, attempt, envelope };
}
