// Event source mappings on a clock that the test moves: a host in memory, the pollers, and a function that is a
// closure. No sockets and no processes; what the function is called with is remembered.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { pause } from "../../src/base/pause.ts";
import type {
  MappingRecord,
  MessageAttribute,
  QueueAttributes,
  QueueKey,
  SendEntry,
} from "../../src/engine/command.ts";
import { type InvokeOutcome, MappingPollers, type ReachedState } from "../../src/functions/mapping/index.ts";
import type { LambdaRecord } from "../../src/functions/mapping/lambda-record.ts";
import { type Host, type InspectedMessage, startHost } from "../../src/host/index.ts";
import { openMemoryStorage } from "../../src/log/index.ts";
import { seededIds } from "../../src/testing/seeded-ids.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";

const SCOPE = { account: "000000000000", region: "us-east-1" };
export const FUNCTION = "arn:aws:lambda:us-east-1:000000000000:function:worker";
const START_MS = Date.UTC(2026, 0, 1);

export const keyOf = (name: string): QueueKey => ({ ...SCOPE, name });
export const arnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

export interface Call {
  /** Since the start of the world. */
  atMs: number;
  endedAtMs: number | undefined;
  functionArn: string;
  records: LambdaRecord[];
  payloadBytes: number;
}

/** What a function does with its records: answers a value (as JSON), a text that is the payload itself, or fails. */
export type Answer = { json: unknown } | { payload: string } | InvokeOutcome;
export type Handler = (records: LambdaRecord[]) => Answer;

export const done: Answer = { json: null };
export const failed = (errorType: string, errorMessage: string): Answer => ({
  is: "answered",
  payload: Buffer.from(JSON.stringify({ errorType, errorMessage })),
  functionError: "Unhandled",
});
export const throttled: Answer = { is: "throttled", reason: "ReservedFunctionConcurrentInvocationLimitExceeded" };
/** Reports those whose body says so. */
export const failuresIn = (records: LambdaRecord[], isBad: (body: string) => boolean): Answer => ({
  json: {
    batchItemFailures: records
      .filter(({ body }) => isBad(body))
      .map(({ messageId }) => ({ itemIdentifier: messageId })),
  },
});

export class MappingWorld {
  readonly clock = new VirtualClock(START_MS);
  readonly calls: Call[] = [];
  readonly reached: [string, ReachedState][] = [];
  host!: Host;
  pollers!: MappingPollers;
  handler: Handler = () => done;
  /** How long a call takes. */
  callMs = 0;
  functionTimeoutMs = 3000;
  runningMax = 0;
  #running = 0;

  static async start(shardCount = 1): Promise<MappingWorld> {
    const world = new MappingWorld();
    world.host = await startHost({
      openStorage: async () => openMemoryStorage(),
      shardCount,
      clock: world.clock,
      ids: seededIds(11),
      awsDelays: false,
      bodyCacheBytesMax: 1024 * 1024,
      log: () => undefined,
    });
    world.pollers = new MappingPollers({
      host: world.host,
      clock: world.clock,
      invoke: (functionArn, payload, { signal }) => world.#invoke(functionArn, payload, signal),
      functionTimeoutMs: () => world.functionTimeoutMs,
      onReached: (record, state) => world.reached.push([record.uuid, state]),
      log: (_level, text, details) => assert.fail(`${text} ${JSON.stringify(details)}`),
    });
    world.clock.settleWith(() => world.settle());
    return world;
  }

  get nowMs(): number {
    return this.clock.nowMs() - START_MS;
  }

  get running(): number {
    return this.#running;
  }

  async settle(): Promise<void> {
    for (let before = -1; before !== this.pollers.steps; ) {
      before = this.pollers.steps;
      await this.host.settle();
      await this.host.settle();
    }
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  async stop(): Promise<void> {
    const stopped = this.pollers.stop(0);
    await this.clock.advance(1);
    await stopped;
    await this.host.stop();
  }

  async createQueue(name: string, attributes: QueueAttributes = {}): Promise<void> {
    const fifo = name.endsWith(".fifo") ? { FifoQueue: "true" } : {};
    const outcome = await this.host.execute<"createQueue">({
      kind: "createQueue",
      queue: keyOf(name),
      attributes: { ...fifo, ...attributes },
      tags: {},
    });
    assert.ok(outcome.ok, JSON.stringify(outcome));
  }

  /** A queue `name` whose messages go to `dead` after so many receives. */
  async createQueueWithDeadLetters(
    name: string,
    maxReceiveCount: number,
    attributes: QueueAttributes = {},
  ): Promise<void> {
    const dead = name.endsWith(".fifo") ? "dead.fifo" : "dead";
    await this.createQueue(dead);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(dead), maxReceiveCount });
    await this.createQueue(name, { ...attributes, RedrivePolicy });
  }

  async send(name: string, bodies: readonly string[], more: { group?: string; attributes?: MessageAttribute[] } = {}) {
    const ids: string[] = [];
    for (let from = 0; from < bodies.length; from += 1000) {
      const entries = bodies.slice(from, from + 1000).map((body, index): SendEntry => {
        const bytes = Buffer.from(body);
        const fifo =
          more.group === undefined
            ? {}
            : { groupId: more.group, deduplicationId: `${from + index}-${body.slice(0, 90)}` };
        const bodyMd5 = createHash("md5").update(bytes).digest();
        return {
          content: { body: bytes, bodyMd5, attributes: more.attributes ?? [] },
          sizeBytes: bytes.length,
          ...(name.endsWith(".fifo") ? fifo : {}),
        };
      });
      const command = { kind: "sendMessages" as const, queue: keyOf(name), senderId: "AIDA", batch: true, entries };
      const outcome = await this.host.execute<"sendMessages">(command);
      assert.ok(outcome.ok, JSON.stringify(outcome));
      for (const entry of outcome.value.entries) {
        assert.ok(entry.ok, JSON.stringify(entry));
        ids.push(entry.value.messageId);
      }
    }
    return ids;
  }

  /** Begins or changes the mapping `uuid` (`m` unless told otherwise), and lets it settle. */
  async map(queue: string, record: Partial<MappingRecord> = {}): Promise<void> {
    this.pollers.follow({
      ...SCOPE,
      uuid: "m",
      eventSourceArn: arnOf(queue),
      functionArn: FUNCTION,
      state: "Creating",
      batchSize: 10,
      batchingWindowMs: 0,
      reportsBatchItemFailures: false,
      filters: [],
      tags: {},
      createdAtMs: START_MS,
      modifiedAtMs: START_MS,
      ...record,
    });
    await this.settle();
  }

  async peek(name: string, limit = 1000): Promise<InspectedMessage[]> {
    const messages = await this.host.inspect(keyOf(name), limit);
    assert.ok(messages !== undefined, `${name} is there`);
    return messages;
  }

  async bodiesIn(name: string): Promise<string[]> {
    return (await this.peek(name)).map(({ content }) => Buffer.from(content.body).toString());
  }

  report(uuid = "m") {
    const report = this.pollers.report(uuid);
    assert.ok(report !== undefined, `the mapping ${uuid} is there`);
    return report;
  }

  /** `[at ms, bodies with receive counts]` of each call. */
  get story(): [number, string][] {
    return this.calls.map(({ atMs, records }) => [
      atMs,
      records.map(({ body, attributes }) => `${body}#${attributes["ApproximateReceiveCount"]}`).join(" "),
    ]);
  }

  async #invoke(functionArn: string, payload: Uint8Array, signal: AbortSignal): Promise<InvokeOutcome> {
    const { Records: records } = JSON.parse(Buffer.from(payload).toString()) as { Records: LambdaRecord[] };
    const answer = this.handler(records);
    if ("is" in answer && answer.is === "throttled") return answer;
    const call: Call = { atMs: this.nowMs, endedAtMs: undefined, functionArn, records, payloadBytes: payload.length };
    this.calls.push(call);
    this.#running += 1;
    this.runningMax = Math.max(this.runningMax, this.#running);
    if (this.callMs > 0) await pause(this.clock, this.callMs, signal);
    this.#running -= 1;
    call.endedAtMs = this.nowMs;
    if (signal.aborted) return { is: "failed", reason: "stopped" };
    if ("is" in answer) return answer;
    return { is: "answered", payload: Buffer.from("json" in answer ? JSON.stringify(answer.json) : answer.payload) };
  }
}

export const numbered = (prefix: string, count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${from + index}`);
