// Sends any number of messages: split into requests by count and by bytes, large payloads put aside, and a report of
// what was sent and what was not. Nothing is thrown for a message that could not be sent; it is in the report.
//
// What failed on the queue's side is sent again. On a FIFO queue order comes first: requests go one after the other,
// and after a message that could not be sent the rest of its group is not sent either.

import type { Clock } from "../base/clock.ts";
import { systemClock } from "../base/clock.ts";
import { pause } from "../base/pause.ts";
import type { SdkClient } from "./aws-client.ts";
import { awsQueue } from "./aws-client.ts";
import type { LargePayloadOptions } from "./claim-check.ts";
import { offload } from "./claim-check.ts";
import type { TraceContext } from "./delivery.ts";
import type { Duration } from "./duration.ts";
import { toMs } from "./duration.ts";
import { BATCH_BYTES_MAX } from "./limits.ts";
import { bytesOf } from "./message-bytes.ts";
import { queueUrlOf } from "./queue-address.ts";
import type { QueuePort, RawAttribute, SendEntry } from "./queue-port.ts";
import { splitEntries } from "./split.ts";
import { measuredPort } from "./telemetry/measured-port.ts";
import { inSendSpan } from "./telemetry/send-span.ts";
import { propagated } from "./telemetry/span-context.ts";
import type { TelemetryOptions } from "./telemetry/telemetry-options.ts";
import { currentTrace, traced } from "./trace.ts";

export interface ProducerOptions {
  /** A queue's name, URL or ARN. */
  queue: string;
  /** An `SQSClient` of the AWS SDK, or anything that is a `QueuePort`. */
  client: SdkClient | QueuePort;
  /** Requests under way at once. Default 4; always 1 on FIFO queues. */
  callsMax?: number;
  /** How often a message that failed on the queue's side is sent in all. Default 5. */
  triesMax?: number;
  /** Puts payloads that are too large for a message into an object store. */
  largePayload?: LargePayloadOptions;
  /** Spans and metrics for your own OpenTelemetry. Default none. */
  telemetry?: TelemetryOptions;
  /** Default the system's. */
  clock?: Clock;
}

export interface Outgoing {
  /** A text is sent as it is; anything else as JSON. */
  body: unknown;
  /** Texts, numbers and bytes; SQS's own shape for other types. At most ten. */
  attributes?: Record<string, string | number | Uint8Array | RawAttribute>;
  /** Whole seconds, up to 15 minutes. Standard queues only. */
  delay?: Duration;
  /** FIFO: needed. Standard queues: makes the queue fair between groups. */
  groupId?: string;
  /** FIFO: needed unless the queue takes the body for it. */
  deduplicationId?: string;
  /** Default: the span that sends it, where there is a tracer; or that of the message that is being worked on. */
  trace?: TraceContext;
}

export interface SendReport {
  /** `index` is the place in what was given to `sendAll`; `sequenceNumber` is FIFO's. */
  sent: { index: number; messageId: string; sequenceNumber?: string }[];
  /** What was not sent, and why. */
  failed: SendFailure[];
}

export interface SendFailure {
  /** In what was given to `sendAll`. */
  index: number;
  /** As it was given. */
  message: Outgoing;
  /** SQS's error code, or `MessageTooLong`, `GroupStopped` (an earlier message of its group failed), `RequestFailed`. */
  code: string;
  /** The reason in words. */
  why: string;
  /** True when sending it again would fail again. */
  isSenderFault: boolean;
}

export interface Producer {
  /** Rejects when the message was not sent. */
  send(message: Outgoing): Promise<{ messageId: string; sequenceNumber?: string }>;
  /** In order on FIFO queues. Rejects only when the queue cannot be found; everything else is in the report. */
  sendAll(messages: readonly Outgoing[]): Promise<SendReport>;
}

const RETRY_MS_FIRST = 100;

export function producer(options: ProducerOptions): Producer {
  return new QueueProducer(options);
}

/** A message on its way. */
interface Item {
  index: number;
  message: Outgoing;
  entry: SendEntry;
}

interface Target {
  url: string;
  isFifo: boolean;
  messageBytesMax: number;
}

class QueueProducer implements Producer {
  readonly #options: ProducerOptions;
  readonly #port: QueuePort;
  #target: Promise<Target> | undefined;

  constructor(options: ProducerOptions) {
    this.#options = options;
    const port = "receive" in options.client ? options.client : awsQueue(options.client);
    this.#port = measuredPort(port, options.telemetry?.meter, options.clock ?? systemClock);
  }

  async send(message: Outgoing): Promise<{ messageId: string; sequenceNumber?: string }> {
    const { sent, failed } = await this.sendAll([message]);
    const [failure] = failed;
    if (failure !== undefined) {
      throw Object.assign(new Error(`The message was not sent: ${failure.why}`), { code: failure.code });
    }
    const { index: _, ...identity } = sent[0] as SendReport["sent"][number];
    return identity;
  }

  async sendAll(messages: readonly Outgoing[]): Promise<SendReport> {
    const target = await this.#findTarget();
    const sending = new Sending(this.#port, target, this.#options);
    return inSendSpan(target.url, this.#options.telemetry, messages.length, () => sending.run(messages));
  }

  /** Looked up once; again after a failure. */
  #findTarget(): Promise<Target> {
    this.#target ??= this.#lookUp().catch((error: unknown) => {
      this.#target = undefined;
      throw error;
    });
    return this.#target;
  }

  async #lookUp(): Promise<Target> {
    const url = await queueUrlOf(this.#port, this.#options.queue);
    try {
      const { isFifo, messageBytesMax } = await this.#port.describe(url);
      return { url, isFifo, messageBytesMax: messageBytesMax || BATCH_BYTES_MAX };
    } catch (error) {
      // Who may send need not be allowed to read attributes.
      if (!/AccessDenied|Unauthorized|Forbidden/i.test((error as Error).name)) throw error;
      return { url, isFifo: url.endsWith(".fifo"), messageBytesMax: BATCH_BYTES_MAX };
    }
  }
}

/** One `sendAll`. */
class Sending {
  readonly #port: QueuePort;
  readonly #target: Target;
  readonly #options: ProducerOptions;
  readonly #clock: Clock;
  readonly #report: SendReport = { sent: [], failed: [] };
  /** FIFO: groups of which a message was not sent, and its index: none behind it may be sent. */
  readonly #stoppedGroups = new Map<string, number>();

  constructor(port: QueuePort, target: Target, options: ProducerOptions) {
    this.#port = port;
    this.#target = target;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async run(messages: readonly Outgoing[]): Promise<SendReport> {
    const items: Item[] = [];
    for (const [index, message] of messages.entries()) {
      const item = await this.#prepare(index, message);
      if (item !== undefined) items.push(item);
    }
    const requests = splitEntries(items, ({ entry }) => bytesOf(entry), BATCH_BYTES_MAX);
    const callsMax = this.#target.isFifo ? 1 : (this.#options.callsMax ?? 4);
    const worker = async () => {
      for (let request = requests.shift(); request !== undefined; request = requests.shift())
        await this.#sendRequest(request);
    };
    await Promise.all(Array.from({ length: Math.max(1, callsMax) }, worker));
    const { sent, failed } = this.#report;
    sent.sort((a, b) => a.index - b.index);
    failed.sort((a, b) => a.index - b.index);
    return this.#report;
  }

  /** Undefined when it cannot be sent, which is then in the report. */
  async #prepare(index: number, message: Outgoing): Promise<Item | undefined> {
    const { largePayload } = this.#options;
    const { messageBytesMax } = this.#target;
    if (this.#isStopped({ index, message })) {
      this.#failStopped({ index, message });
      return undefined;
    }
    try {
      const plain = entryOf(index, message);
      const small = largePayload === undefined ? plain : await offload(plain, largePayload, messageBytesMax);
      const trace = propagated(message.trace ?? currentTrace(), this.#options.telemetry?.propagate);
      const full = traced(small, trace);
      // A trace must not be what makes a message too long; X-Ray's header does not count.
      const entry =
        bytesOf(full) <= messageBytesMax || bytesOf(small) > messageBytesMax
          ? full
          : traced(small, trace?.xray === undefined ? undefined : { xray: trace.xray });
      const bytes = bytesOf(entry);
      if (bytes <= messageBytesMax) return { index, message, entry };
      const why = `it is ${bytes} bytes, and the queue takes ${messageBytesMax}; largePayload would put it aside`;
      this.#fail({ index, message }, { code: "MessageTooLong", why, isSenderFault: true });
    } catch (error) {
      this.#fail({ index, message }, { code: "RequestFailed", why: wordsOf(error), isSenderFault: false });
    }
    return undefined;
  }

  async #sendRequest(request: Item[]): Promise<void> {
    const triesMax = this.#options.triesMax ?? 5;
    let items = request;
    for (let tries = 1; items.length > 0; tries++) {
      items = items.filter((item) => {
        const isStopped = this.#isStopped(item);
        if (isStopped) this.#failStopped(item);
        return !isStopped;
      });
      if (items.length === 0) return;
      items = await this.#tryRequest(items, tries >= triesMax);
      if (items.length > 0) await pause(this.#clock, RETRY_MS_FIRST * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
    }
  }

  /** Those that are worth another try. */
  async #tryRequest(items: Item[], isLastTry: boolean): Promise<Item[]> {
    try {
      const { sent, failed } = await this.#port.send(
        this.#target.url,
        items.map(({ entry }) => entry),
      );
      const byId = new Map(items.map((item) => [item.entry.id, item]));
      for (const { id, messageId, sequenceNumber } of sent) {
        const item = byId.get(id);
        if (item === undefined) continue;
        this.#report.sent.push({
          index: item.index,
          messageId,
          ...(sequenceNumber === undefined ? {} : { sequenceNumber }),
        });
      }
      const sentItems = new Set(sent.map(({ id }) => byId.get(id)));
      const again: Item[] = [];
      for (const { id, code, message, isSenderFault } of failed) {
        const item = byId.get(id);
        if (item === undefined) continue;
        const isOvertaken = this.#target.isFifo && [...sentItems].some((other) => isBehind(other, item));
        if (isSenderFault || isLastTry || isOvertaken) this.#fail(item, { code, why: message ?? code, isSenderFault });
        else again.push(item);
      }
      return again.sort((a, b) => a.index - b.index);
    } catch (error) {
      const isSenderFault = isClientFault(error);
      if (!isSenderFault && !isLastTry) return items;
      const { name } = error as Error;
      const code = isSenderFault ? name : "RequestFailed";
      for (const item of items) this.#fail(item, { code, why: wordsOf(error), isSenderFault });
      return [];
    }
  }

  #isStopped({ index, message: { groupId } }: Pick<Item, "index" | "message">): boolean {
    if (!this.#target.isFifo || groupId === undefined) return false;
    return index > (this.#stoppedGroups.get(groupId) ?? Number.POSITIVE_INFINITY);
  }

  #failStopped(item: Pick<Item, "index" | "message">): void {
    const why = "an earlier message of its group was not sent";
    this.#fail(item, { code: "GroupStopped", why, isSenderFault: false });
  }

  #fail(
    { index, message }: Pick<Item, "index" | "message">,
    failure: Pick<SendFailure, "code" | "why" | "isSenderFault">,
  ) {
    this.#report.failed.push({ index, message, ...failure });
    if (!this.#target.isFifo || message.groupId === undefined) return;
    const stoppedAt = this.#stoppedGroups.get(message.groupId) ?? index;
    this.#stoppedGroups.set(message.groupId, Math.min(stoppedAt, index));
  }
}

/** Whether `other` is of the same group and comes after. */
function isBehind(other: Item | undefined, item: Item): boolean {
  return other !== undefined && other.message.groupId === item.message.groupId && other.index > item.index;
}

function entryOf(index: number, message: Outgoing): SendEntry {
  const { body, attributes, delay, groupId, deduplicationId } = message;
  return {
    id: String(index),
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(attributes === undefined ? {} : { attributes: rawAttributes(attributes) }),
    ...(delay === undefined ? {} : { delaySeconds: Math.ceil(toMs(delay) / 1000) }),
    ...(groupId === undefined ? {} : { groupId }),
    ...(deduplicationId === undefined ? {} : { deduplicationId }),
  };
}

function rawAttributes(attributes: NonNullable<Outgoing["attributes"]>): Record<string, RawAttribute> {
  const raw: Record<string, RawAttribute> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "string") raw[name] = { DataType: "String", StringValue: value };
    else if (typeof value === "number") raw[name] = { DataType: "Number", StringValue: String(value) };
    else if (value instanceof Uint8Array) raw[name] = { DataType: "Binary", BinaryValue: value };
    else raw[name] = value;
  }
  return raw;
}

/** The AWS SDK says whose fault an error is. */
function isClientFault(error: unknown): boolean {
  const { $fault, name = "" } = error as { $fault?: string; name?: string };
  return $fault === "client" && !/Thrott|TooManyRequests|Timeout/i.test(name);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
