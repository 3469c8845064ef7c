// A consumer's life: new, running, paused, stopping, stopped. This file starts and ends things; what happens to
// messages in between is the Dispatcher's.
//
// Stopping: no new receives; what waits is given back; running handlers are waited for, up to `drain`, then aborted and
// their messages given back; open receives are waited for, because the queue may have handed out a message that only
// their answer names, and what they bring is given back; the last deletes are answered; the heartbeat ends.

import type { TimerHandle } from "../base/clock.ts";
import { pause } from "../base/pause.ts";
import { Breaker } from "./breaker.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { Duration } from "./duration.ts";
import { toMs } from "./duration.ts";
import { Endings } from "./endings.ts";
import { ConsumerStopped } from "./errors.ts";
import type { ConsumerEvents } from "./events.ts";
import { Emitter } from "./events.ts";
import type { HeartbeatNews, HeartbeatPort, HeartbeatSettings } from "./heartbeat.ts";
import { Heartbeat } from "./heartbeat.ts";
import { ThreadHeartbeat } from "./heartbeat-thread.ts";
import { DEFAULT_VISIBILITY_MS } from "./limits.ts";
import type { ConsumeOptions, Resolved } from "./options.ts";
import { resolveOptions } from "./options.ts";
import { Pollers } from "./pollers.ts";
import { queueUrlOf } from "./queue-address.ts";
import type { QueueAttributes } from "./queue-port.ts";
import { RateLimit } from "./rate-limit.ts";
import { retryPolicy } from "./retry.ts";
import { Settlement } from "./settlement.ts";
import type { ConsumerStats } from "./stats.ts";
import { newStats } from "./stats.ts";
import { tellSupervisor } from "./supervisor.ts";
import { watchProcessing } from "./telemetry/process-watch.ts";

export interface StopOptions {
  /** How long running handlers are waited for. Default 25 s: within the 30 s that Kubernetes gives. */
  drain?: Duration;
  /** Waits for nothing: aborts handlers and cuts open receives off (see `abortPolls` for what that can mean). */
  force?: boolean;
}

export interface StopReport {
  /** True when every handler had ended by itself. */
  drained: boolean;
  /** Messages returned to the queue without having been worked on, or whose handler was aborted. */
  givenBack: number;
  /** Handlers that ran on although they were aborted. */
  leftRunning: number;
}

export interface Consumer {
  /**
   * Finds the queue and begins to receive. Rejects when there is no such queue or it may not be used; then the consumer
   * can be started again. Later trouble shows as `error` events, and the consumer goes on.
   */
  start(): Promise<void>;
  /** Nothing is received or started; what is held but not worked on is given back. Resolves when that is done. */
  pause(why?: string): Promise<void>;
  /** Ends a pause. Does nothing when there is none. */
  resume(): void;
  /** Resolves when nothing is left to do. Called again it answers with the same promise; `force` also then hurries. */
  stop(options?: StopOptions): Promise<StopReport>;
  /** A copy: counters since the start, and what is in hand now. */
  stats(): ConsumerStats;
  /** Returns what takes the listener off again. */
  on<Name extends keyof ConsumerEvents>(name: Name, listener: (event: ConsumerEvents[Name]) => void): () => void;
}

/** A consumer of one queue, not yet started. Throws a TypeError or RangeError for options that cannot be. */
export function consume<Body = unknown>(options: ConsumeOptions<Body>): Consumer {
  return new QueueConsumer(options as unknown as ConsumeOptions<never>);
}

/** What exists while a consumer runs. */
interface Running {
  dispatcher: Dispatcher;
  pollers: Pollers;
  settlement: Settlement;
  heartbeat: HeartbeatPort;
}

const PAUSE_CHECK_MS = 1000;
const DRAIN_DEFAULT: Duration = "25s";
/** Aborted handlers get this long to notice. */
const ABORTED_GRACE_MS = 1000;

class QueueConsumer implements Consumer {
  readonly #options: ConsumeOptions<never>;
  readonly #resolved: Resolved;
  readonly #events = new Emitter();
  readonly #stats = newStats();
  readonly #hurry = new AbortController();
  readonly #breaker: Breaker | undefined;
  #running: Running | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<StopReport> | undefined;
  #pauseCheck: TimerHandle | undefined;
  #isHeldUp = false;

  constructor(options: ConsumeOptions<never>) {
    this.#options = options;
    this.#resolved = resolveOptions(options);
    const { breaker } = options;
    this.#breaker = breaker ? new Breaker(breaker === true ? {} : breaker) : undefined;
    if (this.#breaker !== undefined) tellSupervisor(this.#events);
    // So that what cannot be shows here and not at the first failure.
    retryPolicy(options.retry ?? {}, this.#resolved.random);
  }

  on<Name extends keyof ConsumerEvents>(name: Name, listener: (event: ConsumerEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  stats(): ConsumerStats {
    const dispatcher = this.#running?.dispatcher;
    return {
      ...this.#stats,
      breaker: this.#breaker?.state ?? "closed",
      running: dispatcher?.runningCount ?? 0,
      leaked: dispatcher?.leakedCount ?? 0,
      waiting: dispatcher?.waitingCount ?? 0,
    };
  }

  start(): Promise<void> {
    if (this.#stats.state === "stopping" || this.#stats.state === "stopped")
      return Promise.reject(new Error("A stopped consumer is not started again; make a new one."));
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async pause(why = "pause was called"): Promise<void> {
    if (this.#stats.state !== "running") return;
    this.#stats.state = "paused";
    this.#events.emit("paused", { why });
    this.#running?.dispatcher.halt();
    if (this.#resolved.abortPolls) this.#running?.pollers.cutOff();
    await this.#running?.dispatcher.settled();
  }

  resume(): void {
    if (this.#stats.state !== "paused") return;
    this.#stats.state = "running";
    this.#events.emit("resumed", {});
    if (!this.#isHeldUp) this.#running?.dispatcher.resume();
  }

  stop(options: StopOptions = {}): Promise<StopReport> {
    if (options.force) this.#hurry.abort();
    this.#stopping ??= this.#stop(toMs(options.drain ?? DRAIN_DEFAULT));
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const { port } = this.#resolved;
    const queueUrl = await queueUrlOf(port, this.#options.queue);
    const attributes = await this.#describe(queueUrl);
    if (this.#stopping !== undefined) return;
    this.#running = await this.#assemble(queueUrl, attributes);
    // Paused before it was started, it starts paused.
    if (this.#stats.state === "new") this.#stats.state = "running";
    this.#events.emit("started", { queueUrl });
    if (this.#resolved.pauseWhen !== undefined) await this.#checkPause();
    this.#running.dispatcher.pump();
  }

  /** A consumer need not be allowed to read attributes; it only knows less then. */
  async #describe(queueUrl: string): Promise<QueueAttributes> {
    try {
      return await this.#resolved.port.describe(queueUrl);
    } catch (error) {
      if (!/AccessDenied|Unauthorized|Forbidden/i.test((error as Error).name)) throw error;
      this.#events.emit("error", { error, doing: "reading the queue's attributes; going on with SQS's defaults" });
      const isFifo = queueUrl.endsWith(".fifo");
      return { arn: "", isFifo, visibilityTimeoutMs: DEFAULT_VISIBILITY_MS, messageBytesMax: 0 };
    }
  }

  async #assemble(queueUrl: string, attributes: QueueAttributes): Promise<Running> {
    const { port, clock, random, timeoutMs, ...resolved } = this.#resolved;
    const events = this.#events;
    const stats = this.#stats;
    const { isFifo } = attributes;
    const options = this.#options;
    const visibilityTimeoutMs = this.#visibilityTimeoutMs(attributes);
    const watch = watchProcessing(queueUrl, options.telemetry, clock);
    const settings = heartbeatSettings(queueUrl, resolved.heartbeat, visibilityTimeoutMs);
    const hear = (news: HeartbeatNews) => dispatcher.hear(news);
    const isThread = resolved.heartbeat !== false && resolved.heartbeat.thread === true;
    const heartbeat = isThread
      ? await ThreadHeartbeat.start(port, settings, hear)
      : new Heartbeat(port, clock, settings, hear);
    const settlement = new Settlement({
      port,
      clock,
      queueUrl,
      queueArn: attributes.arn,
      heartbeat,
      events,
      stats,
      random,
      deleteLingerMs: resolved.deleteLingerMs ?? (isFifo ? 0 : 50),
      deadLetterUrl: this.#deadLetterUrl(attributes),
      hurry: this.#hurry.signal,
    });
    const endings = new Endings({
      clock,
      events,
      stats,
      settlement,
      isFifo,
      timeoutMs,
      retry: retryPolicy(options.retry ?? {}, random),
      largePayload: options.largePayload,
    });
    const dispatcher: Dispatcher = new Dispatcher({
      clock,
      events,
      stats,
      heartbeat,
      endings,
      breaker: this.#breaker,
      rateLimit: options.rateLimit === undefined ? undefined : new RateLimit(options.rateLimit, clock.nowMs()),
      concurrency: resolved.concurrency,
      batchSize: resolved.batchSize,
      batchWaitMs: resolved.batchWaitMs,
      prefetch: resolved.prefetch,
      perGroup: resolved.perGroup,
      key: resolved.key,
      isFifo,
      visibilityTimeoutMs,
      maxReceiveCount: attributes.maxReceiveCount,
      poll: () => this.#running?.pollers.pump(),
      job: {
        clock,
        timeoutMs,
        toMs,
        extend: (held, durationMs) => settlement.extend(held, durationMs),
        opening: {
          decode: options.decode ?? "json",
          ...(options.schema === undefined ? {} : { schema: options.schema }),
          ...(options.largePayload === undefined ? {} : { largePayload: options.largePayload }),
        },
        ...(options.handler === undefined ? {} : { handler: options.handler }),
        ...(options.batchHandler === undefined ? {} : { batchHandler: options.batchHandler }),
        ...(options.around === undefined ? {} : { around: options.around }),
        ...(watch === undefined ? {} : { watch }),
      },
    });
    const pollers = new Pollers({
      port,
      clock,
      events,
      stats,
      random,
      isFifo,
      request: {
        queueUrl,
        waitSeconds: resolved.waitSeconds,
        ...(visibilityTimeoutMs === attributes.visibilityTimeoutMs
          ? {}
          : { visibilityTimeoutSeconds: visibilityTimeoutMs / 1000 }),
      },
      pollersMax: resolved.pollersMax,
      wanted: (asked) => (this.#stats.state === "running" ? dispatcher.wanted(asked) : 0),
      take: (messages) => dispatcher.take(messages),
    });
    return { dispatcher, pollers, settlement, heartbeat };
  }

  /** Whole seconds. A queue whose own is 0 would hand everything out again at once. */
  #visibilityTimeoutMs({ visibilityTimeoutMs }: QueueAttributes): number {
    const asked = this.#resolved.visibilityTimeoutMs ?? (visibilityTimeoutMs || DEFAULT_VISIBILITY_MS);
    return Math.max(1, Math.ceil(asked / 1000)) * 1000;
  }

  /** Looked up when the first message is rejected. */
  #deadLetterUrl({ deadLetterArn }: QueueAttributes): () => Promise<string | undefined> {
    const address = this.#options.deadLetterQueue ?? deadLetterArn;
    let url: Promise<string> | undefined;
    return async () => {
      if (address === undefined) return undefined;
      url ??= queueUrlOf(this.#resolved.port, address).catch((error: unknown) => {
        url = undefined;
        throw error;
      });
      return url;
    };
  }

  async #checkPause(): Promise<void> {
    const { pauseWhen, clock } = this.#resolved;
    if (pauseWhen === undefined || this.#stopping !== undefined) return;
    let isHeldUp = false;
    try {
      isHeldUp = await pauseWhen();
    } catch (error) {
      this.#events.emit("error", { error, doing: "asking pauseWhen" });
    }
    if (isHeldUp !== this.#isHeldUp && this.#stopping === undefined) {
      this.#isHeldUp = isHeldUp;
      if (isHeldUp) {
        this.#events.emit("paused", { why: "pauseWhen" });
        this.#running?.dispatcher.hold();
      } else {
        this.#events.emit("resumed", {});
        if (this.#stats.state === "running") this.#running?.dispatcher.resume();
      }
    }
    this.#pauseCheck = clock.setTimer(clock.nowMs() + PAUSE_CHECK_MS, () => void this.#checkPause());
  }

  async #stop(drainMs: number): Promise<StopReport> {
    const { abortPolls } = this.#resolved;
    const stats = this.#stats;
    this.#pauseCheck?.cancel();
    await this.#starting?.catch(() => undefined);
    stats.state = "stopping";
    const givenBackBefore = stats.givenBack;
    const report = { drained: true, givenBack: 0, leftRunning: 0 };
    if (this.#running !== undefined) {
      const { dispatcher, pollers, settlement, heartbeat } = this.#running;
      dispatcher.close();
      settlement.hurry();
      const hurried = this.#hurry.signal;
      const polled = pollers.close(abortPolls || hurried.aborted);
      hurried.addEventListener("abort", () => void pollers.close(true));
      report.drained = await this.#drain(dispatcher, drainMs);
      await polled;
      await dispatcher.settled();
      await heartbeat.close();
      report.leftRunning = dispatcher.runningCount;
    }
    report.givenBack = stats.givenBack - givenBackBefore;
    stats.state = "stopped";
    this.#events.emit("stopped", report);
    return report;
  }

  /** False when handlers had to be aborted. */
  async #drain(dispatcher: Dispatcher, drainMs: number): Promise<boolean> {
    const { clock } = this.#resolved;
    if (await this.#overWithin(dispatcher, drainMs, this.#hurry.signal)) return true;
    dispatcher.abortAll(new ConsumerStopped());
    const graceOver = new AbortController();
    const timer = clock.setTimer(clock.nowMs() + ABORTED_GRACE_MS, () => graceOver.abort());
    // Forced: just the turn that a handler needs to see its signal.
    const giveUp = () => void setImmediate(() => graceOver.abort());
    if (this.#hurry.signal.aborted) giveUp();
    else this.#hurry.signal.addEventListener("abort", giveUp);
    await dispatcher.handlersOver(graceOver.signal);
    timer.cancel();
    return false;
  }

  async #overWithin(dispatcher: Dispatcher, ms: number, hurried: AbortSignal): Promise<boolean> {
    const late = new AbortController();
    const over = new AbortController();
    void pause(this.#resolved.clock, ms, AbortSignal.any([hurried, over.signal])).then(() => late.abort());
    await dispatcher.handlersOver(late.signal);
    over.abort();
    return dispatcher.runningCount === 0;
  }
}

function heartbeatSettings(
  queueUrl: string,
  options: Resolved["heartbeat"],
  visibilityTimeoutMs: number,
): HeartbeatSettings {
  if (options === false) return { queueUrl, maxMs: Number.MAX_SAFE_INTEGER };
  const extendByMs = Math.ceil(toMs(options.extendBy ?? visibilityTimeoutMs) / 1000) * 1000;
  const everyMs = toMs(options.every ?? visibilityTimeoutMs / 2);
  if (everyMs >= Math.min(extendByMs, visibilityTimeoutMs)) {
    throw new RangeError(
      `heartbeat.every is ${everyMs} ms, but must be shorter than the visibility timeout (${visibilityTimeoutMs} ms) and than heartbeat.extendBy (${extendByMs} ms).`,
    );
  }
  return { queueUrl, beats: { everyMs, extendByMs }, maxMs: toMs(options.max ?? "1h") };
}
