// Where a scenario runs: a whole server in this process, in memory, on a free port, with a clock that only the test
// moves, and one SDK client. The scenarios in scenarios/ run over both protocols, with one shard and with four.
// Scenarios of one group share a server and therefore its clock, so each works on queues of its own.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Message } from "@aws-sdk/client-sqs";
import type { Command } from "../../src/engine/command.ts";
import type { ExecuteOptions } from "../../src/host/index.ts";
import type { RunningServer, ServerOptions } from "../../src/server/index.ts";
import { startServer } from "../../src/server/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";
import { ScenarioQueue } from "./scenario-queue.ts";
import type { Protocol, Sqs } from "./sqs-client.ts";
import { SqsError, sqsClient } from "./sqs-client.ts";

export const ACCOUNT = "000000000000";
export const REGION = "us-east-1";
const START_MS = Date.UTC(2026, 0, 1);

let queuesNamed = 0;

/** A name that no other test of this process uses. */
export function freshName(suffix = ""): string {
  queuesNamed += 1;
  return `q${queuesNamed}${suffix}`;
}

export class World {
  readonly protocol: Protocol;
  readonly server: RunningServer;
  readonly sqs: Sqs;
  readonly #clock: VirtualClock;
  #receiving = 0;

  private constructor(protocol: Protocol, server: RunningServer, sqs: Sqs, clock: VirtualClock) {
    this.protocol = protocol;
    this.server = server;
    this.sqs = sqs;
    this.#clock = clock;
    this.#countReceives();
  }

  static async start(protocol: Protocol, options: ServerOptions = {}): Promise<World> {
    const clock = new VirtualClock(START_MS);
    const server = await startServer({ port: 0, memory: true, ...options, clock });
    clock.settleWith(() => server.queues.settle());
    return new World(protocol, server, await sqsClient(protocol, server.endpoint), clock);
  }

  get endpoint(): string {
    return this.server.endpoint;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  /** Lets time pass: all that falls due happens, in order. */
  async advance(seconds: number): Promise<void> {
    await this.#clock.advance(seconds * 1000);
  }

  async queue(attributes: Record<string, string> = {}, name = freshName()): Promise<ScenarioQueue> {
    const { QueueUrl } = await this.sqs.createQueue({ QueueName: name, Attributes: attributes });
    assert(QueueUrl !== undefined);
    return new ScenarioQueue(this.sqs, name, QueueUrl);
  }

  /** A FIFO queue; it deduplicates by content unless told otherwise. */
  fifo(attributes: Record<string, string> = {}): Promise<ScenarioQueue> {
    return this.queue({ FifoQueue: "true", ContentBasedDeduplication: "true", ...attributes }, freshName(".fifo"));
  }

  /** A queue with a dead-letter queue behind it. */
  async withDeadLetters(
    maxReceiveCount: number,
    attributes: Record<string, string> = {},
  ): Promise<{ source: ScenarioQueue; dlq: ScenarioQueue }> {
    const make = attributes.FifoQueue === "true" ? this.fifo.bind(this) : this.queue.bind(this);
    const dlq = await make();
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dlq.arn, maxReceiveCount });
    return { dlq, source: await make({ VisibilityTimeout: "1", ...attributes, RedrivePolicy }) };
  }

  /** Resolves once that many receives are inside the server and have found nothing yet. */
  async untilReceiving(count: number): Promise<void> {
    while (this.#receiving < count) await new Promise((resolve) => setImmediate(resolve));
    await this.server.queues.settle();
  }

  async untilReceivingAtMost(count: number): Promise<void> {
    while (this.#receiving > count) await new Promise((resolve) => setImmediate(resolve));
    await this.server.queues.settle();
  }

  async stop(): Promise<void> {
    this.sqs.close();
    await this.server.stop();
  }

  #countReceives(): void {
    const { queues } = this.server;
    const execute = queues.execute.bind(queues) as (command: Command, options?: ExecuteOptions) => Promise<never>;
    queues.execute = async (command, options) => {
      if (command.kind !== "receiveMessages") return execute(command, options);
      this.#receiving += 1;
      try {
        return await execute(command, options);
      } finally {
        this.#receiving -= 1;
      }
    };
  }
}

export type Scenario = (name: string, run: (world: World) => Promise<void>) => void;

export interface ScenarioOptions extends ServerOptions {
  /** Default: all. */
  protocols?: Protocol[];
  shardCounts?: number[];
}

interface ScenarioGroup {
  title: string;
  define: (scenario: Scenario) => void;
  options: ScenarioOptions;
}

const groups: ScenarioGroup[] = [];

/** Scenarios that share a server. They run when `runScenarios` is called, once for each time it is. */
export function scenarios(title: string, define: (scenario: Scenario) => void, options: ScenarioOptions = {}): void {
  groups.push({ title, define, options });
}

/** Runs all scenarios that were imported. One process for one protocol and shard count: loading SDKs takes longest. */
export function runScenarios(protocol: Protocol, shards: number, more: ServerOptions = {}): void {
  for (const { title, define, options } of groups) {
    const { protocols = [protocol], shardCounts = [shards], ...serverOptions } = options;
    if (!protocols.includes(protocol) || !shardCounts.includes(shards)) continue;
    describe(title, () => {
      let world: World;
      before(async () => {
        world = await World.start(protocol, { ...serverOptions, ...more, shards });
      });
      after(() => world.stop());
      define((name, run) => test(name, { timeout: 20_000 }, () => run(world)));
    });
  }
}

/** For tests that do without an SDK: one server for the file, whatever the protocol. */
export function scenariosOnOneServer(define: (scenario: Scenario) => void, options: ServerOptions = {}): void {
  let world: World;
  before(async () => {
    world = await World.start("json", options);
  });
  after(() => world.stop());
  define((name, run) => test(name, { timeout: 20_000 }, () => run(world)));
}

export async function assertRefused(call: Promise<unknown>, code: string, message?: string | RegExp, status = 400) {
  const error = await call.then(
    (value) => assert.fail(`expected ${code}, got ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SqsError)) throw error;
  assert.deepEqual({ code: error.code, status: error.status }, { code, status }, error.message);
  if (typeof message === "string") assert.equal(error.message, message);
  else if (message !== undefined) assert.match(error.message, message);
}

export function bodiesOf(messages: readonly Message[]): string[] {
  return messages.map(({ Body = "" }) => Body);
}
