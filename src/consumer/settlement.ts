// Tells the queue what became of a message: deleted, back after a while, back at once, or moved to the dead-letter
// queue. Requests are gathered into batches. Failed entries are looked at: what failed on the queue's side is asked
// again, with the newest receipt handle; what cannot succeed is reported.

import type { Clock } from "../base/clock.ts";
import { pause } from "../base/pause.ts";
import { Batcher } from "./batcher.ts";
import { sendToDeadLetterQueue } from "./dead-letter.ts";
import type { Emitter } from "./events.ts";
import type { HeartbeatPort } from "./heartbeat.ts";
import type { HeldMessage } from "./held-message.ts";
import type { FailedEntry, QueuePort } from "./queue-port.ts";
import { keepWithinHold } from "./retry.ts";
import type { ConsumerStats } from "./stats.ts";

export interface SettlementParts {
  port: QueuePort;
  clock: Clock;
  queueUrl: string;
  queueArn: string;
  heartbeat: HeartbeatPort;
  events: Emitter;
  stats: ConsumerStats;
  random: () => number;
  /** How long a delete may wait for others. */
  deleteLingerMs: number;
  /** Resolves to nothing when there is no dead-letter queue. */
  deadLetterUrl: () => Promise<string | undefined>;
  /** Aborted when there is no time left to ask again. */
  hurry: AbortSignal;
}

/** 0.1 s, doubling: about 12 s in all. */
const DELETE_TRIES_MAX = 8;
const VISIBILITY_TRIES_MAX = 3;
const RETRY_MS_FIRST = 100;
const CALLS_MAX = 4;

type Failure = Pick<FailedEntry, "code" | "message" | "isSenderFault">;

export class Settlement {
  readonly #parts: SettlementParts;
  readonly #deletes: Batcher<HeldMessage, Failure | undefined>;
  readonly #changes: Batcher<{ held: HeldMessage; timeoutSeconds: number }, Failure | undefined>;

  constructor(parts: SettlementParts) {
    this.#parts = parts;
    const { clock, port, queueUrl, stats } = parts;
    this.#deletes = new Batcher({
      clock,
      lingerMs: parts.deleteLingerMs,
      callsMax: CALLS_MAX,
      call: async (batch) => {
        stats.deleteCalls += 1;
        const entries = batch.map((held, index) => ({ id: String(index), receipt: held.receipt }));
        return answersFor(batch, await port.deleteMessages(queueUrl, entries));
      },
    });
    this.#changes = new Batcher({
      clock,
      lingerMs: 0,
      callsMax: CALLS_MAX,
      call: async (batch) => {
        stats.visibilityCalls += 1;
        const entries = batch.map(({ held, timeoutSeconds }, index) => ({
          id: String(index),
          receipt: held.receipt,
          timeoutSeconds,
        }));
        return answersFor(batch, await port.changeVisibility(queueUrl, entries));
      },
    });
  }

  /** From now on deletes do not wait for others. */
  hurry(): void {
    this.#deletes.hurry();
  }

  /** False when the queue still has it: it will be delivered again. The heartbeat goes on until that is known. */
  async delete(held: HeldMessage): Promise<boolean> {
    const failure = await this.#ask(DELETE_TRIES_MAX, () => this.#deletes.add(held));
    await this.#parts.heartbeat.release(held.key);
    if (failure === undefined) return true;
    this.#parts.stats.deleteFailed += 1;
    const { code, message } = failure;
    this.#parts.events.emit("deleteFailed", {
      messageId: held.id,
      code,
      ...(message === undefined ? {} : { message }),
    });
    return false;
  }

  /** Back in the queue after `delayMs`, as far as SQS allows; when this cannot be said, after its visibility timeout. */
  async returnAfter(held: HeldMessage, delayMs: number): Promise<void> {
    const { clock, heartbeat, events } = this.#parts;
    await heartbeat.release(held.key);
    if (held.isLost) return;
    const keptMs = keepWithinHold(delayMs, clock.nowMs() - held.receivedAtMs);
    const change = { held, timeoutSeconds: Math.ceil(keptMs / 1000) };
    const failure = await this.#ask(VISIBILITY_TRIES_MAX, () => this.#changes.add(change));
    // A receipt that the queue no longer knows is no failure: the message is back already.
    if (failure !== undefined && !failure.isSenderFault) {
      events.emit("error", { error: failure, doing: `returning message ${held.id}` });
    }
  }

  /** Where it went, or undefined when there is no dead-letter queue. Rejects when it is still where it was. */
  async reject(held: HeldMessage, why: string, detail?: object): Promise<string | undefined> {
    const { port, queueArn, deadLetterUrl } = this.#parts;
    const url = await deadLetterUrl();
    if (url === undefined) return undefined;
    await sendToDeadLetterQueue(port, url, held.raw, { why, detail, sourceArn: queueArn });
    await this.delete(held);
    return url;
  }

  /** Makes the queue keep the message away for `durationMs` from now. Rejects when the queue refuses. */
  async extend(held: HeldMessage, durationMs: number): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    const timeoutSeconds = Math.ceil(keepWithinHold(durationMs, nowMs - held.receivedAtMs) / 1000);
    const failure = await this.#changes.add({ held, timeoutSeconds });
    if (failure !== undefined) throw new Error(`The queue answered ${failure.code}: ${failure.message ?? ""}`);
    held.leaseUntilMs = nowMs + timeoutSeconds * 1000;
    this.#parts.heartbeat.update(held.key, { untilMs: held.leaseUntilMs });
  }

  /** Asks until it is done, cannot be done, or was tried often enough. */
  async #ask(triesMax: number, ask: () => Promise<Failure | undefined>): Promise<Failure | undefined> {
    for (let tries = 1; ; tries++) {
      const failure = await ask().catch(failureOf);
      const { clock, random, hurry } = this.#parts;
      if (failure === undefined || failure.isSenderFault || tries === triesMax || hurry.aborted) return failure;
      await pause(clock, RETRY_MS_FIRST * 2 ** (tries - 1) * (0.5 + random() / 2), hurry);
    }
  }
}

function answersFor(batch: readonly unknown[], failed: FailedEntry[]): (Failure | undefined)[] {
  const failures = new Map(failed.map((entry) => [entry.id, entry]));
  return batch.map((_, index) => failures.get(String(index)));
}

/** A whole request that failed says nothing about its entries, so they may be asked again. */
function failureOf(error: unknown): Failure {
  const { name, message } = error as Partial<Error>;
  return { code: name ?? "Error", message: message ?? String(error), isSenderFault: false };
}
