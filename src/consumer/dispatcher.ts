// The middle of a consumer: takes messages in, starts handlers as slots free, and sees to it that every message ends
// in exactly one way. A message that was taken in is in one of these places:
//
//   waiting    in a lane, for a slot (also: kept there while the breaker is open)
//   running    in a job
//   settling   being deleted, returned or moved; the heartbeat holds it until the queue has answered
//
// The heartbeat covers all three. Whatever frees a slot, a lane or room calls `pump`, which starts what can start and
// then lets the pollers ask for more.

import type { Clock, TimerHandle } from "../base/clock.ts";
import type { Breaker } from "./breaker.ts";
import type { Endings } from "./endings.ts";
import { HandlerTimedOut, HeldTooLong, MessageLost } from "./errors.ts";
import type { Emitter } from "./events.ts";
import type { HeartbeatNews, HeartbeatPort } from "./heartbeat.ts";
import { HeldMessage } from "./held-message.ts";
import type { Ending, JobParts } from "./job.ts";
import { Job } from "./job.ts";
import { Lanes } from "./lanes.ts";
import { BATCH_ENTRIES_MAX } from "./limits.ts";
import type { RawMessage } from "./queue-port.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { ConsumerStats } from "./stats.ts";

export interface DispatcherParts {
  clock: Clock;
  events: Emitter;
  stats: ConsumerStats;
  heartbeat: HeartbeatPort;
  endings: Endings;
  job: JobParts;
  breaker: Breaker | undefined;
  rateLimit: RateLimit | undefined;
  concurrency: number;
  batchSize: number;
  batchWaitMs: number;
  prefetch: number | "auto";
  isFifo: boolean;
  perGroup: number | undefined;
  key: ((raw: RawMessage) => string | undefined) | undefined;
  visibilityTimeoutMs: number;
  /** Of the queue's redrive policy; absent when there is none or it is not known. */
  maxReceiveCount: number | undefined;
  /** Lets the pollers look whether there is room. */
  poll: () => void;
}

/** Automatic prefetch: what is worked off in this time. */
const PREFETCH_MS = 1000;
const PREFETCH_MAX = 20;
/** With lanes, messages of busy lanes may fill the room while slots stand idle: then so much more is taken in. */
const LANES_ROOM_FACTOR = 10;
/** While so many are being settled no more are taken in: the queue does not answer. */
const SETTLING_MAX = 1000;

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #lanes: Lanes<HeldMessage>;
  readonly #jobs = new Set<Job>();
  /** Waiting and running, by message id. */
  readonly #inHand = new Map<string, HeldMessage>();
  /** All that the heartbeat may have news of. */
  readonly #byKey = new Map<number, HeldMessage>();
  readonly #settling = new Set<Promise<void>>();
  #isStarting = true;
  /** What waits or arrives is given back. */
  #isHalted = false;
  #isProbeRunning = false;
  #runningMessages = 0;
  #plannedPump: TimerHandle | undefined;
  #plannedProbe: TimerHandle | undefined;
  #gatheringSinceMs = 0;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#lanes = new Lanes(parts.isFifo ? 1 : (parts.perGroup ?? Number.POSITIVE_INFINITY));
  }

  get runningCount(): number {
    return this.#jobs.size;
  }

  get leakedCount(): number {
    return [...this.#jobs].filter((job) => job.isLeaked).length;
  }

  get waitingCount(): number {
    return this.#lanes.waiting;
  }

  /** How many messages to ask the queue for, when so many are asked for already. */
  wanted(asked: number): number {
    const { breaker, concurrency, batchSize, isFifo, perGroup } = this.#parts;
    if (!this.#isStarting || this.#settling.size >= SETTLING_MAX) return 0;
    if (breaker !== undefined && breaker.state !== "closed") {
      const needsProbe = breaker.state === "probing" && !this.#isProbeRunning && this.#lanes.waiting === 0;
      return needsProbe && asked === 0 ? 1 : 0;
    }
    const slots = concurrency * batchSize;
    const running = this.#runningMessages;
    const prefetch = this.#prefetch();
    const inHand = running + this.#lanes.waiting + asked;
    const room = slots + prefetch - inHand;
    const isIdle = running + this.#lanes.startable + asked < slots;
    if (isIdle) {
      const hasLanes = isFifo || perGroup !== undefined;
      return Math.min(BATCH_ENTRIES_MAX, hasLanes ? slots * LANES_ROOM_FACTOR + prefetch - inHand : room);
    }
    // Nothing stands idle: better a full receive later than a small one now.
    return room >= Math.min(BATCH_ENTRIES_MAX, prefetch) ? Math.min(BATCH_ENTRIES_MAX, room) : 0;
  }

  take(messages: RawMessage[]): void {
    for (const raw of messages) this.#takeOne(raw);
    this.pump();
  }

  /** Starts what can start, then polls. */
  pump(): void {
    while (this.#isStarting && this.#jobs.size < this.#parts.concurrency) {
      const batch = this.#nextBatch();
      if (batch === undefined) break;
      this.#start(batch, this.#parts.breaker?.state === "probing");
    }
    this.#parts.poll();
  }

  /** Nothing is started until `resume`; what waits and what still arrives is given back. */
  halt(): void {
    this.#isStarting = false;
    this.#isHalted = true;
    for (const held of this.#lanes.takeAll()) this.#giveBack(held);
  }

  /** Nothing will be started any more. */
  close(): void {
    this.halt();
    this.#plannedPump?.cancel();
    this.#plannedProbe?.cancel();
  }

  resume(): void {
    this.#isStarting = true;
    this.#isHalted = false;
    this.pump();
  }

  /** What waits is kept, but not started: for a pause that may be over in a second. */
  hold(): void {
    this.#isStarting = false;
  }

  abortAll(reason: Error): void {
    for (const job of this.#jobs) job.abortAll(reason);
  }

  /** Resolves when no handler runs, or at once when `signal` is aborted. */
  async handlersOver(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    while (this.#jobs.size > 0 && !signal.aborted) {
      await Promise.race([aborted, Promise.all([...this.#jobs].map((job) => job.over))]);
    }
  }

  /** Resolves when the queue has been told about every message that ended. */
  async settled(): Promise<void> {
    while (this.#settling.size > 0) await Promise.all(this.#settling);
  }

  hear(news: HeartbeatNews): void {
    const { events, stats } = this.#parts;
    switch (news.kind) {
      case "beat":
        stats.heartbeats += 1;
        break;
      case "failed":
        events.emit("heartbeatFailed", { messageIds: news.messageIds, error: news.error });
        break;
      case "heldLong":
        events.emit("heldLong", { messageId: news.messageId, heldMs: news.heldMs });
        break;
      case "extended": {
        const held = this.#byKey.get(news.key);
        if (held !== undefined) held.leaseUntilMs = news.untilMs;
        break;
      }
      case "lost": {
        const held = this.#byKey.get(news.key);
        if (held !== undefined) this.#lose(held, news.why);
        break;
      }
      case "limit": {
        const held = this.#byKey.get(news.key);
        if (held !== undefined) this.#giveUp(held, new HeldTooLong(news.heldMs));
        break;
      }
    }
  }

  #takeOne(raw: RawMessage): void {
    const { clock, heartbeat, visibilityTimeoutMs } = this.#parts;
    const nowMs = clock.nowMs();
    const leaseUntilMs = nowMs + visibilityTimeoutMs;
    const known = this.#inHand.get(raw.MessageId ?? "");
    if (known !== undefined && !known.isLost) {
      // Delivered again while we have it: it is the same work, under a newer receipt handle.
      known.receipt = raw.ReceiptHandle ?? "";
      known.leaseUntilMs = leaseUntilMs;
      heartbeat.update(known.key, { receipt: known.receipt, untilMs: leaseUntilMs });
      return;
    }
    const held = new HeldMessage(raw, nowMs, leaseUntilMs, this.#laneOf(raw));
    this.#byKey.set(held.key, held);
    heartbeat.hold({
      key: held.key,
      messageId: held.id,
      receipt: held.receipt,
      receivedAtMs: nowMs,
      untilMs: leaseUntilMs,
    });
    if (this.#lanes.waiting === 0) this.#gatheringSinceMs = nowMs;
    this.#inHand.set(held.id, held);
    const isOpen = this.#parts.breaker?.state === "open";
    // An open breaker needs one to probe with, and must not let the queue count a receive that would be one too many.
    const isWelcome = !this.#isHalted && (!isOpen || this.#lanes.waiting === 0 || this.#isLastReceive(held));
    if (isWelcome) this.#lanes.add(held);
    else this.#giveBack(held);
  }

  #laneOf(raw: RawMessage): string | undefined {
    const { isFifo, perGroup, key, events } = this.#parts;
    const groupId = raw.Attributes?.["MessageGroupId"];
    if (isFifo) return groupId;
    if (key === undefined) return perGroup === undefined ? undefined : groupId;
    try {
      return key(raw);
    } catch (error) {
      events.emit("error", { error, doing: "asking concurrency.key for a message's key" });
      return undefined;
    }
  }

  #nextBatch(): HeldMessage[] | undefined {
    const { breaker, batchSize, isFifo } = this.#parts;
    if (breaker !== undefined && breaker.state !== "closed") {
      const probe = breaker.state === "probing" && !this.#isProbeRunning ? this.#lanes.next() : undefined;
      return probe === undefined ? undefined : [probe];
    }
    if (this.#lanes.startable === 0 || !this.#mayStart()) return undefined;
    const batch: HeldMessage[] = [];
    while (batch.length < batchSize) {
      const held = this.#lanes.next();
      if (held === undefined) break;
      batch.push(held);
      while (isFifo && batch.length < batchSize) {
        const more = this.#lanes.more(held.lane);
        if (more === undefined) break;
        batch.push(more);
      }
    }
    this.#parts.rateLimit?.take(batch.length);
    this.#gatheringSinceMs = this.#parts.clock.nowMs();
    return batch.length === 0 ? undefined : batch;
  }

  /** False when it is too early; then a timer is set for when it is not. */
  #mayStart(): boolean {
    const { rateLimit, batchSize, batchWaitMs, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const gatherMs = this.#lanes.waiting >= batchSize ? 0 : this.#gatheringSinceMs + batchWaitMs - nowMs;
    const waitMs = Math.max(rateLimit?.waitMs(nowMs) ?? 0, gatherMs);
    if (waitMs <= 0) return true;
    this.#plannedPump ??= clock.setTimer(nowMs + waitMs, () => {
      this.#plannedPump = undefined;
      this.pump();
    });
    return false;
  }

  #start(batch: HeldMessage[], isProbe: boolean): void {
    const { clock, stats, events } = this.#parts;
    if (isProbe) this.#isProbeRunning = true;
    const failedLanes = new Set<string>();
    const job = new Job(batch, this.#parts.job, (held, ending) => {
      const { lane } = held;
      // On FIFO nothing is done out of turn: behind a failed one, also what was worked on goes back.
      const isBehindFailed = this.#parts.isFifo && lane !== undefined && failedLanes.has(lane);
      if (this.#isToBeRetried(ending) && lane !== undefined) failedLanes.add(lane);
      if (isBehindFailed) this.#giveBackRunning(held, job);
      else this.#ended(held, ending, job, isProbe);
    });
    this.#jobs.add(job);
    this.#runningMessages += batch.length;
    void job.over.then(() => {
      this.#jobs.delete(job);
      this.#runningMessages -= batch.length;
      if (isProbe) this.#isProbeRunning = false;
      if (job.isLeaked) {
        for (const { delivery } of batch) if (delivery !== undefined) events.emit("late", { message: delivery });
      }
      const handlerMs = (clock.nowMs() - job.startedAtMs) / batch.length;
      stats.handlerMs = stats.handlerMs === 0 ? handlerMs : stats.handlerMs * 0.9 + handlerMs * 0.1;
      this.pump();
    });
  }

  #ended(held: HeldMessage, ending: Ending, job: Job, isProbe: boolean): void {
    const isFailure = this.#toldToBreaker(ending, isProbe);
    const { breaker, isFifo } = this.#parts;
    if (isFailure && breaker !== undefined && breaker.state !== "closed" && this.#isKept(held, isProbe)) {
      // It stays ours until the downstream is back, so that the queue counts no receive for it.
      void job.over.then(() => {
        this.#lanes.finish(held);
        if (held.isLost) this.#forget(held);
        else if (this.#isHalted) this.#giveBack(held);
        else this.#lanes.addFirst(held);
        this.pump();
      });
      return;
    }
    this.#letGo(held);
    const isToBeRetried = this.#isToBeRetried(ending);
    if (isFifo && isToBeRetried) this.#giveBackLane(held.lane);
    const settling = this.#parts.endings.settle(held, ending, job).then((isGone) => {
      // Worked on, but still in the queue: what is behind it must not overtake it.
      if (!isGone && isFifo && !isToBeRetried) this.#giveBackLane(held.lane);
    });
    this.#settle(held, settling);
    // A FIFO group goes on when the queue no longer has this message and its handler is over; others with the slot.
    void Promise.all([job.over, isFifo ? settling : undefined]).then(() => this.#finishLane(held));
  }

  #giveBackRunning(held: HeldMessage, job: Job): void {
    this.#giveBack(held);
    void job.over.then(() => this.#finishLane(held));
  }

  #finishLane(held: HeldMessage): void {
    this.#lanes.finish(held);
    this.pump();
  }

  /** Tells the breaker, and opens or closes with it. True when this was a failure that it counts. */
  #toldToBreaker(ending: Ending, isProbe: boolean): boolean {
    const { breaker, clock, events } = this.#parts;
    if (breaker === undefined) return false;
    const isSuccess = ending.kind === "done" || ending.kind === "verdict";
    const isFailed = ending.kind === "failed" || (ending.kind === "aborted" && ending.error instanceof HandlerTimedOut);
    const isFailure = isFailed && breaker.counts(ending.error);
    // Endings that say nothing about the downstream leave a probe undecided: the next message is tried.
    if (!isSuccess && !isFailure) return false;
    const nowMs = clock.nowMs();
    if (isProbe) {
      const wasProbing = breaker.state === "probing";
      breaker.probeEnded(isFailure, nowMs);
      if (wasProbing && breaker.state === "closed") events.emit("breakerClosed", {});
      if (wasProbing && breaker.state === "open") this.#planProbe(breaker);
      return isFailure;
    }
    const counted = breaker.counted(nowMs);
    if (breaker.record(isFailure, nowMs)) {
      const { failures, samples } = counted;
      events.emit("breakerOpened", { failures: failures + 1, samples: samples + 1, untilMs: breaker.openUntilMs });
      this.#planProbe(breaker);
      this.#giveBackWhileOpen();
    }
    return isFailure;
  }

  #planProbe(breaker: Breaker): void {
    const { clock } = this.#parts;
    this.#plannedProbe = clock.setTimer(breaker.openUntilMs, () => {
      breaker.startProbing(clock.nowMs());
      this.pump();
    });
  }

  /**
   * Others may be able to work on what we hold. Not given back is what the queue would put into the dead-letter queue
   * at its next receive (on FIFO: its whole group), and one message to probe with.
   */
  #giveBackWhileOpen(): void {
    const waiting = this.#lanes.takeAll();
    const keptLanes = new Set<string | undefined>();
    for (const held of waiting) if (this.#isLastReceive(held)) keptLanes.add(held.lane);
    let kept = 0;
    for (const held of waiting) {
      const isKept = this.#parts.isFifo ? keptLanes.has(held.lane) : this.#isLastReceive(held);
      if (isKept || (kept === 0 && keptLanes.size === 0 && !this.#parts.isFifo)) {
        kept += 1;
        this.#lanes.add(held);
      } else this.#giveBack(held);
    }
  }

  #isKept(held: HeldMessage, isProbe: boolean): boolean {
    if (isProbe || this.#isLastReceive(held)) return true;
    return this.#parts.isFifo && this.#lanes.inLane(held.lane).some((behind) => this.#isLastReceive(behind));
  }

  #isLastReceive(held: HeldMessage): boolean {
    const { maxReceiveCount } = this.#parts;
    return maxReceiveCount !== undefined && held.attempt >= maxReceiveCount;
  }

  #isToBeRetried(ending: Ending): boolean {
    if (ending.kind === "verdict") return ending.verdict.kind === "retry";
    return ending.kind === "failed" || ending.kind === "aborted";
  }

  #giveBackLane(lane: string | undefined): void {
    for (const held of this.#lanes.takeLane(lane)) this.#giveBack(held);
  }

  #giveBack(held: HeldMessage): void {
    this.#letGo(held);
    this.#settle(held, this.#parts.endings.giveBack(held));
  }

  /** The heartbeat has let go of it: nobody extends it any more. */
  #lose(held: HeldMessage, why: string): void {
    // While it is being deleted the queue may refuse an extension because the delete was faster.
    if (this.#inHand.get(held.id) !== held) return;
    const { events, stats } = this.#parts;
    held.isLost = true;
    stats.lost += 1;
    const error = new MessageLost(`Message ${held.id} is no longer ours: ${why}.`);
    events.emit("lost", { messageId: held.id, error });
    this.#giveUp(held, error);
  }

  #giveUp(held: HeldMessage, error: Error): void {
    if (held.abort !== undefined) return held.abort(error);
    if (!this.#lanes.remove(held)) return;
    this.#letGo(held);
    this.#settle(
      held,
      this.#parts.endings.settle(held, { kind: "aborted", error }, undefined).then(() => undefined),
    );
    if (this.#parts.isFifo) this.#giveBackLane(held.lane);
  }

  #settle(held: HeldMessage, settling: Promise<void>): void {
    const tracked = settling.finally(() => {
      this.#settling.delete(tracked);
      this.#forget(held);
      if (this.#settling.size === SETTLING_MAX - 1) this.#parts.poll();
    });
    this.#settling.add(tracked);
  }

  /** A later delivery of the same message may have taken its place already. */
  #letGo(held: HeldMessage): void {
    if (this.#inHand.get(held.id) === held) this.#inHand.delete(held.id);
  }

  #forget(held: HeldMessage): void {
    this.#letGo(held);
    this.#byKey.delete(held.key);
  }

  #prefetch(): number {
    const { prefetch, concurrency, batchSize, stats } = this.#parts;
    if (prefetch !== "auto") return prefetch;
    const slots = concurrency * batchSize;
    const max = Math.max(PREFETCH_MAX, slots);
    if (stats.done === 0) return Math.min(slots, BATCH_ENTRIES_MAX);
    return Math.max(1, Math.min(max, Math.ceil((slots * PREFETCH_MS) / Math.max(stats.handlerMs, 1))));
  }
}
