// Receives from the queue: as many receives at once as keep coming back full, one when they do not. How many messages
// may be asked for is the consumer's to say; it counts what is asked for but not yet here.
//
// A receive that failed is repeated after a growing pause, for ever: a poller that gives up is a consumer that stands
// still unnoticed. On a FIFO queue the repetition carries the attempt id of the one that failed, so that messages whose
// answer was lost are handed out again and not locked away until their visibility timeout ends.

import { randomUUID } from "node:crypto";
import type { Clock, TimerHandle } from "../base/clock.ts";
import type { Emitter } from "./events.ts";
import { BATCH_ENTRIES_MAX } from "./limits.ts";
import type { QueuePort, RawMessage, ReceiveRequest } from "./queue-port.ts";
import type { ConsumerStats } from "./stats.ts";

export interface PollersParts {
  port: QueuePort;
  clock: Clock;
  events: Emitter;
  stats: ConsumerStats;
  random: () => number;
  request: Pick<ReceiveRequest, "queueUrl" | "waitSeconds" | "visibilityTimeoutSeconds">;
  isFifo: boolean;
  pollersMax: number;
  /** How many to ask for now, given that so many are asked for already; 0 for none. At most ten. */
  wanted: (asked: number) => number;
  take: (messages: RawMessage[]) => void;
}

const PAUSE_MS_FIRST = 100;
const PAUSE_MS_MAX = 20_000;
/** SQS forgets an attempt id after five minutes; well before that a new one is as good. */
const ATTEMPT_ID_MS_MAX = 4 * 60_000;

export class Pollers {
  readonly #parts: PollersParts;
  #abort = new AbortController();
  readonly #open = new Set<Promise<void>>();
  #asked = 0;
  #openMax = 1;
  #failures = 0;
  #pause: TimerHandle | undefined;
  #isClosed = false;
  #lostAttempt: { id: string; atMs: number } | undefined;

  constructor(parts: PollersParts) {
    this.#parts = parts;
  }

  /** Messages asked for and not yet here. */
  get asked(): number {
    return this.#asked;
  }

  /** Opens as many receives as there is reason for. Call whenever there may be room. */
  pump(): void {
    while (!this.#isClosed && this.#pause === undefined && this.#open.size < this.#openMax) {
      const wanted = Math.min(BATCH_ENTRIES_MAX, this.#parts.wanted(this.#asked));
      if (wanted <= 0) return;
      this.#start(wanted);
    }
  }

  /** No new receives. Resolves when the open ones are over; with `abort` they are cut off. */
  async close(abort: boolean): Promise<void> {
    this.#isClosed = true;
    this.#pause?.cancel();
    if (abort) this.cutOff();
    await Promise.all(this.#open);
  }

  /** Ends the open receives without their answers. */
  cutOff(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  #start(wanted: number): void {
    this.#asked += wanted;
    const { stats } = this.#parts;
    const receive = this.#receive(wanted).finally(() => {
      this.#open.delete(receive);
      stats.polling = this.#open.size;
      this.pump();
    });
    this.#open.add(receive);
    stats.polling = this.#open.size;
  }

  async #receive(wanted: number): Promise<void> {
    const { port, request, events, stats } = this.#parts;
    const attempt = this.#attempt();
    const { signal } = this.#abort;
    try {
      stats.receives += 1;
      const attemptId = attempt === undefined ? {} : { attemptId: attempt.id };
      const messages = await port.receive({ ...request, messagesMax: wanted, ...attemptId }, signal);
      this.#asked -= wanted;
      this.#failures = 0;
      this.#grow(messages.length === wanted);
      stats.received += messages.length;
      if (messages.length === 0) stats.emptyReceives += 1;
      events.emit("received", { count: messages.length });
      this.#parts.take(messages);
    } catch (error) {
      this.#asked -= wanted;
      if (signal.aborted) return;
      this.#lostAttempt = attempt;
      events.emit("error", { error, doing: "receiving messages" });
      this.#pauseAfterFailure();
    }
  }

  #attempt(): { id: string; atMs: number } | undefined {
    if (!this.#parts.isFifo) return undefined;
    const nowMs = this.#parts.clock.nowMs();
    const lost = this.#lostAttempt;
    this.#lostAttempt = undefined;
    if (lost !== undefined && nowMs - lost.atMs < ATTEMPT_ID_MS_MAX) return lost;
    return { id: randomUUID(), atMs: nowMs };
  }

  #grow(wasFull: boolean): void {
    this.#openMax = wasFull ? Math.min(this.#parts.pollersMax, this.#openMax + 1) : Math.max(1, this.#openMax - 1);
  }

  #pauseAfterFailure(): void {
    const { clock, random } = this.#parts;
    this.#openMax = 1;
    const fullMs = Math.min(PAUSE_MS_MAX, PAUSE_MS_FIRST * 2 ** this.#failures);
    this.#failures = Math.min(20, this.#failures + 1);
    this.#pause?.cancel();
    this.#pause = clock.setTimer(clock.nowMs() + Math.round(fullMs * (0.5 + random() / 2)), () => {
      this.#pause = undefined;
      this.pump();
    });
  }
}
