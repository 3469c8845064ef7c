// What `consume` can be told, and what it does when it is not told.

import { randomInt } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { systemClock } from "../base/clock.ts";
import type { SdkClient } from "./aws-client.ts";
import { awsQueue } from "./aws-client.ts";
import type { BreakerOptions } from "./breaker.ts";
import type { LargePayloadOptions } from "./claim-check.ts";
import type { Decode } from "./decode.ts";
import type { BatchHandler, Delivery, Handler } from "./delivery.ts";
import type { Duration } from "./duration.ts";
import { toMs } from "./duration.ts";
import { BATCH_ENTRIES_MAX, WAIT_SECONDS_MAX } from "./limits.ts";
import type { QueuePort, RawMessage } from "./queue-port.ts";
import type { RateLimitOptions } from "./rate-limit.ts";
import type { RetryOptions } from "./retry.ts";
import type { StandardSchema } from "./standard-schema.ts";
import { measuredPort } from "./telemetry/measured-port.ts";
import type { TelemetryOptions } from "./telemetry/telemetry-options.ts";

export interface ConsumeOptions<Body = unknown> {
  /** A queue's name, URL or ARN. */
  queue: string;
  /** An `SQSClient` of the AWS SDK, or anything that is a `QueuePort`. */
  client: SdkClient | QueuePort;
  /** Called with one message at a time, up to `concurrency` at once. This or `batchHandler`. */
  handler?: Handler<Body>;
  /** Called with up to `batchSize` messages. `concurrency` counts calls. */
  batchHandler?: BatchHandler<Body>;
  /** Messages. Default 10. */
  batchSize?: number;
  /** How long a batch waits to be filled once its first message is there. Default 0: takes what there is. */
  batchWait?: Duration;
  /**
   * How many handlers run at once; a slot is filled again as soon as it is free. Default 10. `perGroup` limits the
   * messages of one group, or of one `key` (default 1 when a key is given). On FIFO queues a group is always worked on
   * one message at a time.
   */
  concurrency?: number | { max: number; perGroup?: number; key?: (raw: RawMessage) => string | undefined };
  /**
   * Messages held beyond those that are worked on, so that a free slot need not wait for a receive. Default "auto": as
   * many as are worked off in a second, at least 1 and at most the greater of 20 and `concurrency`.
   */
  prefetch?: number | "auto";
  /**
   * Receives that may be open at once. Default "auto": up to one for each ten messages that can be held, at most 10.
   * More than one is used only while receives come back full.
   */
  pollers?: number | "auto";
  /** Long polling, whole seconds, 0 to 20. Default 20. */
  waitSeconds?: number;
  /** For received messages. Default: the queue's own. Whole seconds. */
  visibilityTimeout?: Duration;
  /**
   * Extends the visibility timeout of all held messages. Default "auto": every half of it, by the whole of it, at most
   * for an hour. `thread` beats from a thread of its own, so that a blocked event loop loses no message.
   */
  heartbeat?: "auto" | false | HeartbeatOptions;
  /** Aborts the handler's signal and sends the message back. The slot stays taken until the handler ends. Default none. */
  timeout?: Duration;
  /** How long a failed message stays away. Default: see `RetryOptions`. */
  retry?: RetryOptions;
  /** Default none. `true` for the breaker's own defaults. */
  breaker?: boolean | BreakerOptions;
  /** How many messages may be started in a time. Default no limit. */
  rateLimit?: RateLimitOptions;
  /** Asked every second: while it answers true nothing is received or started. */
  pauseWhen?: () => boolean | Promise<boolean>;
  /** Default "json". */
  decode?: Decode;
  /** Any Standard Schema (zod, valibot, arktype and others). A body that does not match is rejected, not retried. */
  schema?: StandardSchema<Body>;
  /** Fetches payloads that were too large for a message. */
  largePayload?: LargePayloadOptions;
  /** Where `reject` puts messages: name, URL or ARN. Default: the dead-letter queue of the queue's redrive policy. */
  deadLetterQueue?: string;
  /** How long a delete may wait for others to share its request. Default 50 ms; 0 on FIFO queues. */
  deleteLinger?: Duration;
  /**
   * Around every call of the handler: for tracing, transactions, logging. Must call `next` and return its answer.
   * With a batch handler it is not used.
   */
  around?: (message: Delivery<Body>, next: () => Promise<unknown>) => Promise<unknown>;
  /** Spans and metrics for your own OpenTelemetry. Default none. */
  telemetry?: TelemetryOptions;
  /**
   * Cuts open receives off at pause and stop instead of letting them end (up to `waitSeconds`). Safe against Millpond,
   * which counts nothing for a client that hung up; AWS may have handed a message out already. Default false.
   */
  abortPolls?: boolean;
  /** Default the system's. A virtual one in tests. */
  clock?: Clock;
}

export interface HeartbeatOptions {
  /** Default half of the visibility timeout. */
  every?: Duration;
  /** Default the visibility timeout. Whole seconds. */
  extendBy?: Duration;
  /** The message is handed back when it was held this long. Default 1 hour, at most 11 h 55 min. */
  max?: Duration;
  /** Default false. */
  thread?: boolean;
}

/** Options with every default filled in that does not depend on the queue. */
export interface Resolved {
  port: QueuePort;
  clock: Clock;
  random: () => number;
  concurrency: number;
  perGroup: number | undefined;
  key: ((raw: RawMessage) => string | undefined) | undefined;
  batchSize: number;
  batchWaitMs: number;
  prefetch: number | "auto";
  pollersMax: number;
  waitSeconds: number;
  visibilityTimeoutMs: number | undefined;
  heartbeat: HeartbeatOptions | false;
  timeoutMs: number | undefined;
  pauseWhen: (() => boolean | Promise<boolean>) | undefined;
  deleteLingerMs: number | undefined;
  abortPolls: boolean;
}

const DEFAULT_CONCURRENCY = 10;
const POLLERS_AUTO_MAX = 10;

/** Throws a TypeError or RangeError that names the option. */
export function resolveOptions(options: ConsumeOptions<never>): Resolved {
  if ((options.handler === undefined) === (options.batchHandler === undefined))
    throw new TypeError("consume needs a handler or a batchHandler, one of them.");
  const concurrency =
    typeof options.concurrency === "object" ? options.concurrency : { max: options.concurrency ?? DEFAULT_CONCURRENCY };
  const max = whole("concurrency", concurrency.max, 1);
  const batchSize = options.batchHandler === undefined ? 1 : whole("batchSize", options.batchSize ?? 10, 1);
  const { prefetch = "auto", pollers = "auto" } = options;
  const waitSeconds = whole("waitSeconds", options.waitSeconds ?? WAIT_SECONDS_MAX, 0, WAIT_SECONDS_MAX);
  const heartbeat = options.heartbeat ?? "auto";
  if (typeof heartbeat === "object" && heartbeat.thread && options.clock !== undefined)
    throw new TypeError("heartbeat.thread runs on the system's clock; leave it out where a clock is given.");
  const clock = options.clock ?? systemClock;
  const port = isQueuePort(options.client) ? options.client : awsQueue(options.client);
  return {
    port: measuredPort(port, options.telemetry?.meter, clock),
    clock,
    random: () => randomInt(2 ** 32) / 2 ** 32,
    concurrency: max,
    perGroup: perGroupOf(concurrency),
    key: concurrency.key,
    batchSize,
    batchWaitMs: toMs(options.batchWait ?? 0),
    prefetch: prefetch === "auto" ? prefetch : whole("prefetch", prefetch, 0),
    pollersMax:
      pollers === "auto"
        ? Math.min(POLLERS_AUTO_MAX, 1 + Math.ceil((max * batchSize) / BATCH_ENTRIES_MAX))
        : whole("pollers", pollers, 1),
    waitSeconds,
    visibilityTimeoutMs: options.visibilityTimeout === undefined ? undefined : toMs(options.visibilityTimeout),
    heartbeat: heartbeat === "auto" ? {} : heartbeat,
    timeoutMs: options.timeout === undefined ? undefined : toMs(options.timeout),
    pauseWhen: options.pauseWhen,
    deleteLingerMs: options.deleteLinger === undefined ? undefined : toMs(options.deleteLinger),
    abortPolls: options.abortPolls ?? false,
  };
}

function perGroupOf(concurrency: { perGroup?: number; key?: unknown }): number | undefined {
  if (concurrency.perGroup !== undefined) return whole("concurrency.perGroup", concurrency.perGroup, 1);
  return concurrency.key === undefined ? undefined : 1;
}

function isQueuePort(client: SdkClient | QueuePort): client is QueuePort {
  return "receive" in client && "changeVisibility" in client;
}

function whole(name: string, value: number, min: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
  throw new RangeError(`${name} is ${value}, but must be a whole number, ${range}.`);
}
