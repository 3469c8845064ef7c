// Asynchronous invocations of one function: events in a durable queue, tried until the function takes them or they are
// too old or have failed too often; then, and when all is well, those who are to be told are told (fanout.md C9).
//
// Why an event was tried before, failed or throttled, is known in memory only; that it was, its queue keeps. After a
// restart all that came before counts as failures, but for one try that is left in any case: so no event has its tries
// twice, and none is given up without a last one.

import type { Clock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import type { EventInvokeConfig, FunctionRecord } from "../../engine/command.ts";
import {
  EVENT_AGE_MS_MAX,
  EVENT_RETRIES_MAX,
  EVENT_RETRY_MS,
  EVENT_THROTTLED_MS_MAX,
  EVENT_THROTTLED_MS_MIN,
  FUNCTION_INIT_MS_MAX,
} from "../../engine/function-limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { type Host, LATEST, versionOf, type Work, type WorkQueue } from "../../host/index.ts";
import type { InvokeOptions, InvokeOutcome } from "../runtime/index.ts";
import { type Condition, Destinations, type Ended } from "./destinations.ts";

export interface EventQueueOptions {
  host: Host;
  clock: Clock;
  log: (level: "debug" | "info" | "warn" | "error", text: string, details?: Record<string, unknown>) => void;
  /** The function's, without a version. */
  arn: string;
  concurrencyMax: number;
  /** As it is now. */
  record: () => FunctionRecord;
  run: (qualifier: string | undefined, payload: Uint8Array, options: InvokeOptions) => Promise<InvokeOutcome>;
}

type End = { isDone: true } | { isDone: false; retryAfterMs: number };

/** What is known of an event that is tried again. */
interface Tries {
  failures: number;
  throttles: number;
  /** Of the last failure. */
  ended?: Ended;
}

/** Beyond what an attempt takes, so that none is repeated while it is under way. */
const ATTEMPT_MARGIN_MS = 60_000;
const DONE: End = { isDone: true };

export function eventQueueName(arn: string): string {
  return `lambda/events/${arn}`;
}

export class EventQueue {
  readonly #options: EventQueueOptions;
  readonly #destinations: Destinations;
  readonly #queue: WorkQueue;
  readonly #tries = new Map<string, Tries>();

  constructor(options: EventQueueOptions) {
    this.#options = options;
    this.#destinations = new Destinations(options);
    this.#queue = options.host.workQueue({
      name: eventQueueName(options.arn),
      concurrencyMax: () => this.#concurrencyMax(),
      attemptMs: () => options.record().timeoutMs + FUNCTION_INIT_MS_MAX + ATTEMPT_MARGIN_MS,
      attempt: (work, signal) => this.#attempt(work, signal),
    });
  }

  /** Resolves when the event is durable. */
  add(requestId: string, payload: Uint8Array, attributes: Record<string, string>): Promise<Result<null, Refusal>> {
    return this.#queue.add(requestId, payload, attributes);
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  drop(): void {
    this.#queue.drop();
  }

  async #attempt(work: Work, signal: AbortSignal): Promise<End> {
    const record = this.#options.record();
    const { qualifier, clientContext, traceHeader } = work.attributes;
    const config = record.eventInvokes?.[qualifier ?? LATEST];
    const tries = this.#tries.get(work.id) ?? triesBefore(work, config);
    this.#tries.set(work.id, tries);
    if (record.reservedConcurrency === 0) return this.#giveUp(work, "ZeroReservedConcurrency", config, tries);
    if (this.#isTooOld(work, config, 0)) return this.#giveUp(work, "EventAgeExceeded", config, tries);
    const outcome = await this.#options.run(qualifier, work.body, {
      requestId: work.id,
      ...(clientContext === undefined ? {} : { clientContext }),
      ...(traceHeader === undefined ? {} : { traceHeader }),
      signal,
    });
    switch (outcome.status) {
      case "abandoned":
      case "stopped":
        return { isDone: false, retryAfterMs: 0 };
      case "throttled":
        return this.#waitForRoom(work, config, tries);
      case "cannotRun":
        return this.#failed(work, config, tries, this.#endedWith(work, "Unhandled", errorPayload(outcome.message)));
      case "ran": {
        const ended = this.#endedWith(work, outcome.functionError, outcome.payload);
        if (outcome.functionError !== undefined) return this.#failed(work, config, tries, ended);
        this.#tries.delete(work.id);
        await this.#destinations.succeeded(work, config, { ...ended, invokeCount: tries.failures + 1 });
        return DONE;
      }
    }
  }

  async #failed(work: Work, config: EventInvokeConfig | undefined, tries: Tries, ended: Ended): Promise<End> {
    tries.failures += 1;
    tries.ended = ended;
    if (tries.failures > (config?.retriesMax ?? EVENT_RETRIES_MAX)) {
      return this.#giveUp(work, "RetriesExhausted", config, tries);
    }
    const retryAfterMs = EVENT_RETRY_MS[tries.failures - 1] ?? (EVENT_RETRY_MS.at(-1) as number);
    if (this.#isTooOld(work, config, retryAfterMs)) return this.#giveUp(work, "EventAgeExceeded", config, tries);
    return { isDone: false, retryAfterMs };
  }

  async #waitForRoom(work: Work, config: EventInvokeConfig | undefined, tries: Tries): Promise<End> {
    const retryAfterMs = Math.min(EVENT_THROTTLED_MS_MIN * 2 ** tries.throttles, EVENT_THROTTLED_MS_MAX);
    tries.throttles += 1;
    if (this.#isTooOld(work, config, retryAfterMs)) return this.#giveUp(work, "EventAgeExceeded", config, tries);
    return { isDone: false, retryAfterMs };
  }

  async #giveUp(work: Work, condition: Condition, config: EventInvokeConfig | undefined, tries: Tries): Promise<End> {
    this.#tries.delete(work.id);
    await this.#destinations.failed(work, condition, config, {
      ...(tries.ended ?? this.#neverRan(work)),
      invokeCount: tries.failures,
    });
    return DONE;
  }

  #isTooOld(work: Work, config: EventInvokeConfig | undefined, afterMs: number): boolean {
    const ageMs = this.#options.clock.nowMs() + afterMs - work.addedAtMs;
    return ageMs > (config?.eventAgeMsMax ?? EVENT_AGE_MS_MAX);
  }

  #endedWith(work: Work, functionError: string | undefined, payload: Uint8Array): Ended {
    return { ...this.#neverRan(work), response: { functionError, payload }, invokeCount: 0 };
  }

  #neverRan({ attributes }: Work): Ended {
    const executedVersion = versionOf(this.#options.record(), attributes["qualifier"])?.version ?? LATEST;
    return { executedVersion, invokeCount: 0 };
  }

  /** Reserved concurrency is never exceeded from here; others may have taken it, which is then a throttle. */
  #concurrencyMax(): number {
    const { record, concurrencyMax } = this.#options;
    return Math.max(1, Math.min(record().reservedConcurrency ?? concurrencyMax, concurrencyMax));
  }
}

/** What an event that this process does not know has behind it. */
function triesBefore({ attempt }: Work, config: EventInvokeConfig | undefined): Tries {
  return { failures: Math.min(attempt - 1, config?.retriesMax ?? EVENT_RETRIES_MAX), throttles: 0 };
}

function errorPayload(errorMessage: string): Uint8Array {
  return Buffer.from(JSON.stringify({ errorMessage, errorType: "Runtime.InvalidRuntime" }));
}
