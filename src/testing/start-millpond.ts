// A whole server for a test: real HTTP on a free port, in memory unless told otherwise, with time that the test may
// own. What it shows of queues is read without consuming anything.

import type { Clock } from "../base/clock.ts";
import { systemClock } from "../base/clock.ts";
import type { Settings } from "../config/index.ts";
import { ACCOUNT_DEFAULT, DURATION_ALLOWED, parseDurationMs, REGION_DEFAULT } from "../config/index.ts";
import type { QueueKey } from "../engine/command.ts";
import type { LogSink, PresentedMessage, ServerParts } from "../server/index.ts";
import { presentMessage, startServer } from "../server/index.ts";
import type { FollowedClient } from "./follow-calls.ts";
import { FollowedCalls } from "./follow-calls.ts";
import { seededIds } from "./seeded-ids.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** Where virtual time begins unless told otherwise, so that two runs see the same timestamps. */
const VIRTUAL_START_MS = Date.UTC(2026, 0, 1);

export interface MillpondOptions {
  /** 0, the default, takes a free port. */
  port?: number;
  /** Default true, unless `dataDir` is given. */
  memory?: boolean;
  dataDir?: string;
  /** `virtual`: time stands still until `clock.advance`. Default `real`. */
  clock?: "virtual" | "real";
  /** Makes message ids repeatable. */
  seed?: number;
  shards?: number;
  awsDelays?: boolean;
  /** Whether queue policies bind topics: not at all, with a warning, or as on AWS. Default `warn`. */
  queuePolicies?: Settings["queuePolicies"];
  /** Where virtual time begins, milliseconds since 1970. Default 2026-01-01 UTC. */
  startAtMs?: number;
  log?: LogSink;
}

export interface Millpond {
  readonly endpoint: string;
  readonly port: number;
  readonly region: string;
  readonly account: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For a child process: the AWS_* variables that SDKs and the AWS CLI read. */
  readonly env: Record<string, string>;
  readonly clock: Clock & {
    /** Virtual clock only. "31s", "5m", or a number of milliseconds. Runs what is due, in order, and settles. */
    advance(by: string | number): Promise<void>;
    /**
     * Makes `advance` wait, at every step, until what this AWS SDK client asked for is answered (or waits in a long
     * poll) and what follows from it has run. For programs under test that live on this clock. Returns the client.
     */
    follow<Client extends FollowedClient>(client: Client): Client;
  };
  /** Every message in every state, oldest first; nothing is consumed. Throws when there is no such queue. */
  inspect(queue: string | QueueKey, limit?: number): Promise<PresentedMessage[]>;
  /** Deletes every queue and message. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function startMillpond(options: MillpondOptions = {}): Promise<Millpond> {
  const virtual = options.clock === "virtual" ? new VirtualClock(options.startAtMs ?? VIRTUAL_START_MS) : undefined;
  const clock: Clock = virtual ?? systemClock;
  const server = await startServer({ ...settingsOf(options), ...partsOf(options, virtual) });
  const calls = new FollowedCalls(() => server.queues.settle(), waitingReceives);
  virtual?.settleWith(() => calls.settle());
  const { endpoint, port } = server;
  const scope = { account: ACCOUNT_DEFAULT, region: REGION_DEFAULT };

  function waitingReceives(): number {
    return server.status().shards.reduce((sum, shard) => sum + shard.waitingReceives, 0);
  }

  return {
    endpoint,
    port,
    ...scope,
    accessKeyId: "test",
    secretAccessKey: "test",
    env: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_REGION: scope.region,
      AWS_DEFAULT_REGION: scope.region,
    },
    clock: {
      nowMs: () => clock.nowMs(),
      setTimer: (atMs, run) => clock.setTimer(atMs, run),
      follow: (client) => calls.follow(client),
      async advance(by) {
        if (virtual === undefined) throw new Error('Only a clock started with { clock: "virtual" } can be advanced.');
        await virtual.advance(stepMs(by));
      },
    },
    async inspect(queue, limit) {
      const key = typeof queue === "string" ? keyOf(queue, scope) : queue;
      const messages = await server.queues.inspect(key, limit);
      if (messages === undefined) {
        throw new Error(`There is no queue "${key.name}" in account ${key.account}, region ${key.region}.`);
      }
      return messages.map(presentMessage);
    },
    reset: () => server.queues.reset(),
    stop: () => server.stop(),
  };
}

function settingsOf(options: MillpondOptions): Partial<Settings> {
  const { port = 0, dataDir, shards = 1, awsDelays = false } = options;
  const isMemory = options.memory ?? dataDir === undefined;
  return {
    port,
    shards,
    awsDelays,
    allowReset: true,
    ...(options.queuePolicies === undefined ? {} : { queuePolicies: options.queuePolicies }),
    ...(isMemory ? { memory: true } : {}),
    ...(dataDir === undefined ? {} : { data: dataDir }),
  };
}

function partsOf(options: MillpondOptions, virtual: VirtualClock | undefined): ServerParts {
  return {
    ...(virtual === undefined ? {} : { clock: virtual, movableClock: virtual }),
    ...(options.seed === undefined ? {} : { ids: seededIds(options.seed) }),
    ...(options.log === undefined ? {} : { log: options.log }),
  };
}

function stepMs(by: string | number): number {
  const byMs = typeof by === "number" ? by : parseDurationMs(by);
  if (byMs === undefined) throw new RangeError(`"${by}" is not ${DURATION_ALLOWED}.`);
  return byMs;
}

/** A queue's name, or any URL of it: the last two parts of the path are account and name. */
function keyOf(queue: string, scope: { account: string; region: string }): QueueKey {
  if (!queue.includes("/")) return { ...scope, name: queue };
  const [account = scope.account, name = ""] = queue.split("/").slice(-2);
  return { ...scope, account, name };
}
