// What becomes of a message at each ending of its handler.

import type { Clock } from "../base/clock.ts";
import type { LargePayloadOptions } from "./claim-check.ts";
import { pointerOf } from "./claim-check.ts";
import type { Delivery } from "./delivery.ts";
import { ConsumerStopped, HandlerTimedOut, MessageLost } from "./errors.ts";
import type { Emitter } from "./events.ts";
import type { HeldMessage } from "./held-message.ts";
import type { Ending, Job } from "./job.ts";
import { HELD_MS_MAX } from "./limits.ts";
import { deliveryOf } from "./open-message.ts";
import type { RetryPolicy } from "./retry.ts";
import type { Settlement } from "./settlement.ts";
import type { ConsumerStats } from "./stats.ts";

export interface EndingsParts {
  clock: Clock;
  events: Emitter;
  stats: ConsumerStats;
  settlement: Settlement;
  retry: RetryPolicy;
  isFifo: boolean;
  timeoutMs: number | undefined;
  largePayload: LargePayloadOptions | undefined;
}

/** A rejected message of a FIFO queue without a dead-letter queue: longer would hold up its group as long. */
const REJECTED_FIFO_DELAY_MS = 5 * 60_000;

export class Endings {
  readonly #parts: EndingsParts;

  constructor(parts: EndingsParts) {
    this.#parts = parts;
  }

  /** Resolves when the queue has been told; true when it no longer has the message. Never rejects. */
  async settle(held: HeldMessage, ending: Ending, job: Job | undefined): Promise<boolean> {
    switch (ending.kind) {
      case "done":
        return this.#delete(held, (message) => {
          this.#parts.stats.done += 1;
          const handlerMs = this.#parts.clock.nowMs() - (job?.startedAtMs ?? held.receivedAtMs);
          this.#parts.events.emit("done", { message, handlerMs });
        });
      case "invalid":
        return this.#reject(held, ending.error.message, ending.error.detail);
      case "failed":
        return this.#retry(held, ending.error);
      case "aborted":
        return this.#aborted(held, ending.error);
      case "verdict":
        switch (ending.verdict.kind) {
          case "retry":
            await this.#returnAfter(held, ending.verdict.delayMs, { ...whyOf(ending.verdict.why) });
            return false;
          case "reject":
            return this.#reject(held, ending.verdict.why, ending.verdict.detail);
          case "discard": {
            const { why } = ending.verdict;
            return this.#delete(held, (message) => {
              this.#parts.stats.discarded += 1;
              this.#parts.events.emit("discarded", { message, why });
            });
          }
        }
    }
  }

  /** At once, because it was not worked on. */
  async giveBack(held: HeldMessage): Promise<void> {
    this.#parts.stats.givenBack += 1;
    await this.#parts.settlement.returnAfter(held, 0);
  }

  async #delete(held: HeldMessage, tell: (message: Delivery) => void): Promise<boolean> {
    // Before the answer: the work is done, whatever becomes of the delete.
    const isDeleted = this.#parts.settlement.delete(held);
    tell(messageOf(held));
    if (!(await isDeleted)) return false;
    await this.#deletePayload(held);
    return true;
  }

  async #deletePayload(held: HeldMessage): Promise<void> {
    const { largePayload, events } = this.#parts;
    if (largePayload === undefined || largePayload.deleteObject === false) return;
    try {
      const pointer = pointerOf(held.raw);
      if (pointer !== undefined) await largePayload.store.delete(pointer.bucket, pointer.key);
    } catch (error) {
      events.emit("error", { error, doing: `deleting the large payload of message ${held.id}` });
    }
  }

  async #retry(held: HeldMessage, error: unknown): Promise<boolean> {
    const { clock, events } = this.#parts;
    const message = messageOf(held);
    const elapsedMs = clock.nowMs() - (message.firstReceivedAtMs ?? held.receivedAtMs);
    let delayMs: number | "reject" = 0;
    try {
      delayMs = this.#parts.retry(held.attempt, error, elapsedMs);
    } catch (failure) {
      events.emit("error", { error: failure, doing: "asking retry.delay" });
    }
    if (delayMs === "reject") return this.#reject(held, wordsOf(error));
    await this.#returnAfter(held, delayMs, { error });
    return false;
  }

  async #aborted(held: HeldMessage, error: Error): Promise<boolean> {
    const { stats, events, timeoutMs = 0 } = this.#parts;
    if (error instanceof MessageLost) return false;
    if (error instanceof ConsumerStopped) {
      await this.giveBack(held);
      return false;
    }
    if (error instanceof HandlerTimedOut) {
      stats.timedOut += 1;
      events.emit("timedOut", { message: messageOf(held), timeoutMs });
    }
    return this.#retry(held, error);
  }

  async #returnAfter(held: HeldMessage, delayMs: number, cause: { error?: unknown; why?: string }): Promise<void> {
    this.#parts.stats.retried += 1;
    this.#parts.events.emit("retried", { message: messageOf(held), delayMs, ...cause });
    await this.#parts.settlement.returnAfter(held, delayMs);
  }

  async #reject(held: HeldMessage, why: string, detail?: object): Promise<boolean> {
    const { settlement, events, stats, isFifo } = this.#parts;
    let to: string | undefined;
    try {
      to = await settlement.reject(held, why, detail);
    } catch (error) {
      events.emit("error", { error, doing: `moving message ${held.id} to the dead-letter queue` });
      return this.#retry(held, error);
    }
    stats.rejected += 1;
    events.emit("rejected", {
      messageId: held.id,
      why,
      ...(detail === undefined ? {} : { detail }),
      ...(to === undefined ? {} : { to }),
    });
    if (to !== undefined) return true;
    await settlement.returnAfter(held, isFifo ? REJECTED_FIFO_DELAY_MS : HELD_MS_MAX);
    return false;
  }
}

function messageOf(held: HeldMessage): Delivery {
  return held.delivery ?? deliveryOf(held, held.raw.Body ?? "", undefined);
}

function whyOf(why: string | undefined): { why?: string } {
  return why === undefined ? {} : { why };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
