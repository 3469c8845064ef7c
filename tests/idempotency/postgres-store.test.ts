// The contract over a real PostgreSQL: the store with key and effects in one transaction, and the one with a lease.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import type { Clock } from "../../src/base/clock.ts";
import {
  type Claim,
  idempotent,
  isIdempotencyError,
  postgresKeyTable,
  postgresLeaseStore,
  postgresStore,
} from "../../src/consumer/index.ts";
import { NOT_INSTALLED, storeContract } from "./contract.ts";
import { guardedContract } from "./guarded-contract.ts";
import { newestContract } from "./newest-contract.ts";
import { type CuttableProxy, startProxy } from "./support/cuttable-proxy.ts";
import { connectionTo, countIn, LEDGER_TABLE } from "./support/postgres.ts";
import { postgresTool, type TestServer } from "./support/servers.ts";

const tool = postgresTool();
const isInstalled = tool.start !== undefined;
let server: TestServer;
let proxy: CuttableProxy;
/** What the stores use, through the proxy, and what the test looks with, past it. */
let pool: pg.Pool;
let looking: pg.Pool;

before(async () => {
  if (tool.start === undefined) return;
  server = await tool.start();
  proxy = await startProxy(server.port);
  pool = new pg.Pool({ ...connectionTo(proxy.port), max: 30 });
  looking = new pg.Pool({ ...connectionTo(server.port), max: 3 });
  for (const each of [pool, looking]) each.on("error", () => {});
  await looking.query(`${LEDGER_TABLE}; ${postgresKeyTable()}; ${postgresKeyTable("leased_keys")}`);
});

after(async () => {
  if (tool.start === undefined) return;
  await pool.end();
  await looking.end();
  await proxy.close();
  await server.stop();
});

const reach = {
  count: (counter: string) => countIn(looking, counter),
  cut: () => proxy.cut(),
  mend: async () => proxy.mend(),
  time: "server" as const,
  sweeps: true,
  graceMs: 0,
};

const transactional = {
  ...reach,
  open: (clock?: Clock) =>
    postgresStore<pg.PoolClient>({ pool, lockWaitMs: 200, ...(clock === undefined ? {} : { clock }) }),
  add: async (tx: pg.PoolClient, counter: string) => {
    await tx.query("INSERT INTO ledger (payment) VALUES ($1)", [counter]);
  },
  crash: endConnectionOf,
  isLeased: false,
};

const leased = {
  ...reach,
  open: (clock?: Clock) =>
    postgresLeaseStore({ pool, table: "leased_keys", ...(clock === undefined ? {} : { clock }) }),
  crash: async () => {},
  isLeased: true,
};

storeContract("PostgreSQL, one transaction", transactional, isInstalled);
guardedContract("PostgreSQL, one transaction", transactional, isInstalled);
newestContract("PostgreSQL, one transaction", transactional, isInstalled);
storeContract("PostgreSQL, leased", leased, isInstalled);
guardedContract("PostgreSQL, leased", leased, isInstalled);
newestContract("PostgreSQL, leased", leased, isInstalled);

const pay = (body: (client: pg.PoolClient) => Promise<unknown>) =>
  idempotent(async (_: { id: string }, __: unknown, { tx }) => body(tx), {
    key: ({ id }) => id,
    store: postgresStore<pg.PoolClient>({ pool, lockWaitMs: 200, idleMsMax: 300 }),
    scope: "extra",
  });

test("PostgreSQL: a worker that hangs in its transaction loses the key, and the next one gets it", {
  skip: !isInstalled && NOT_INSTALLED,
}, async () => {
  let wake = () => {};
  const hung = pay(async (client) => {
    await client.query("INSERT INTO ledger (payment) VALUES ('hung')");
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  })({ id: "hung" });
  const next = () => pay((client) => client.query("INSERT INTO ledger (payment) VALUES ('hung')"))({ id: "hung" });
  for (;;) {
    try {
      await next();
      break;
    } catch (error) {
      assert.ok(isIdempotencyError(error, "InProgress"), String(error));
    }
  }
  wake();
  await assert.rejects(hung, (error) => isIdempotencyError(error, "OwnershipLost"));
  assert.equal(await countIn(looking, "hung"), 1);
});

test("PostgreSQL: a statement that failed and was swallowed does not pass for done", {
  skip: !isInstalled && NOT_INSTALLED,
}, async () => {
  const swallow = pay(async (client) => {
    await client.query("INSERT INTO ledger (payment) VALUES ('swallowed')");
    await client.query("SELECT 1 / 0").catch(() => {});
  });
  await assert.rejects(swallow({ id: "swallowed" }), (error) => isIdempotencyError(error, "EffectsRefused"));
  assert.equal(await countIn(looking, "swallowed"), 0);
});

test("PostgreSQL: a deferred constraint that breaks at the end undoes the key too", {
  skip: !isInstalled && NOT_INSTALLED,
}, async () => {
  await looking.query("CREATE TABLE once_only (name text UNIQUE DEFERRABLE INITIALLY DEFERRED)");
  const twice = pay((client) => client.query("INSERT INTO once_only VALUES ('a'), ('a')"));
  await assert.rejects(twice({ id: "deferred" }), (error) => isIdempotencyError(error, "EffectsRefused"));
  await pay((client) => client.query("INSERT INTO once_only VALUES ('a')"))({ id: "deferred" });
});

async function endConnectionOf(claim: Claim<pg.PoolClient>): Promise<void> {
  const { rows } = await claim.tx.query("SELECT pg_backend_pid() AS pid");
  // Waits up to 10 s until the connection is really gone.
  await looking.query("SELECT pg_terminate_backend($1, 10000)", [rows[0].pid]);
}
