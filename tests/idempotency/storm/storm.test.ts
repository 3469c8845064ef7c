// Exactly one effect a key, in each store, whatever is delivered twice, thrown, slow or killed. And the storm itself is
// tested: with the effect beside the transaction it has to find payments that were made twice.
//
// MILLPOND_IDEMPOTENCY_KEYS (default 1000) makes it larger; MILLPOND_IDEMPOTENCY_SEED repeats a run's choices.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Random } from "../../../src/base/random.ts";
import { dynamoDbTable, idempotent, memoryStore, postgresKeyTable } from "../../../src/consumer/index.ts";
import { connectDynamoDb, countInLedger, createTable, KEYS } from "../support/dynamodb.ts";
import { connectionTo, LEDGER_TABLE } from "../support/postgres.ts";
import { connectRedis } from "../support/redis.ts";
import { dynamoDbTool, postgresTool, redisTool, type Tool } from "../support/servers.ts";
import type { Kind } from "./back-end.ts";
import { runStorm } from "./storm.ts";

const keys = Number(process.env["MILLPOND_IDEMPOTENCY_KEYS"] ?? 1000);
const seed = Number(process.env["MILLPOND_IDEMPOTENCY_SEED"] ?? Date.now() % 1_000_000);
const DELIVERIES_PER_KEY = 4;
/** A kill costs a second or two, in which another process starts: enough of them at any size, and no more. */
const KEYS_PER_KILL = 100;
const KILLS = { min: 10, max: 100 };
const WORKERS = 3;
/** One attempt in twenty throws behind its effect: so many keys all escape that once in 100,000 runs. */
const KEYS_TO_FIND_A_FAULT = 225;

interface Ledger {
  counts(keys: string[]): Promise<number[]>;
  close(): Promise<void>;
}

const stores: { kind: Kind; tool: Tool; open: (port: number) => Promise<Ledger> }[] = [
  { kind: "postgres", tool: postgresTool(), open: openPostgres },
  { kind: "dynamodb", tool: dynamoDbTool(), open: openDynamoDb },
  { kind: "redis", tool: redisTool(), open: openRedis },
];

for (const { kind, tool, open } of stores) {
  const skip = tool.start === undefined && "its server is not installed";

  test(`${kind}: duplicates, throws and killed workers, and one effect a key`, { skip }, async (context) => {
    const { report, counts } = await storm(keys, killsFor(keys));
    context.diagnostic(`seed ${seed}: ${keys} keys, ${report.deliveries} deliveries, ${report.kills} kills`);
    context.diagnostic(JSON.stringify(report.answers));
    assert.deepEqual(report.wrongResults, []);
    const wrong = report.keys.filter((_, index) => counts[index] !== 1);
    assert.deepEqual(wrong, [], `seed ${seed}`);
  });

  test(`${kind}: an effect beside the transaction is found out`, { skip }, async () => {
    const { counts } = await storm(KEYS_TO_FIND_A_FAULT, 5, "outside");
    assert.ok(
      Math.max(...counts) > 1,
      `no payment was made twice, seed ${seed}: the storm is too mild to prove anything`,
    );
  });

  async function storm(keys: number, kills: number, fault?: "outside") {
    const server = await tool.start?.();
    assert.ok(server !== undefined);
    const ledger = await open(server.port);
    try {
      const report = await runStorm({
        kind,
        port: server.port,
        seed,
        keys,
        kills,
        deliveriesPerKey: DELIVERIES_PER_KEY,
        workers: WORKERS,
        ...(fault === undefined ? {} : { fault }),
      });
      return { report, counts: await ledger.counts(report.keys) };
    } finally {
      await ledger.close();
      await server.stop();
    }
  }
}

function killsFor(keys: number): number {
  return Math.min(KILLS.max, Math.max(KILLS.min, Math.ceil(keys / KEYS_PER_KILL)));
}

test("memory: duplicates and throws within one process, and one effect a key", async () => {
  const random = new Random(seed);
  const counts = new Map<string, number>();
  const pay = idempotent(
    async (key: string, _, { tx }) => {
      await sleep(random.below(5));
      tx.write(() => counts.set(key, (counts.get(key) ?? 0) + 1));
      if (random.chance(0.2)) throw new Error("a mishap");
      return `charged ${key}`;
    },
    { key: (key: string) => key, store: memoryStore(), scope: "storm" },
  );
  const deliver = async (key: string): Promise<void> => {
    while ((await pay(key).catch(() => undefined)) !== `charged ${key}`) await sleep(random.below(5));
  };
  const names = Array.from({ length: keys }, (_, index) => `payment-${index}`);
  await Promise.all(Array.from({ length: DELIVERIES_PER_KEY }, () => names.map(deliver)).flat());
  assert.ok(
    names.every((key) => counts.get(key) === 1),
    `seed ${seed}`,
  );
});

async function openPostgres(port: number): Promise<Ledger> {
  const pool = new pg.Pool(connectionTo(port));
  pool.on("error", () => {});
  await pool.query(`${LEDGER_TABLE}; ${postgresKeyTable()}`);
  return {
    async counts(names) {
      const { rows } = await pool.query("SELECT payment, count(*)::int AS count FROM ledger GROUP BY payment");
      const found = new Map(rows.map(({ payment, count }) => [payment, count]));
      return names.map((name) => found.get(name) ?? 0);
    },
    close: () => pool.end(),
  };
}

async function openDynamoDb(port: number): Promise<Ledger> {
  const client = connectDynamoDb(port);
  await createTable(client, dynamoDbTable(KEYS));
  await createTable(client, dynamoDbTable("ledger"));
  return {
    async counts(names) {
      const counts = [];
      for (const name of names) counts.push(await countInLedger(client, name));
      return counts;
    },
    close: async () => client.destroy(),
  };
}

async function openRedis(port: number): Promise<Ledger> {
  const client = await connectRedis(port);
  return {
    async counts(names) {
      const found = await client.hGetAll("ledger");
      return names.map((name) => Number(found[name] ?? 0));
    },
    close: async () => client.destroy(),
  };
}
