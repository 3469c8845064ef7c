// The outbox on a real PostgreSQL: sent if and only if committed, again after a failure, by one relay at a time.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import pg from "pg";
import {
  addToOutbox,
  idempotent,
  type OutboxMessage,
  OutboxRelay,
  postgresKeyTable,
  postgresOutboxTable,
  postgresStore,
} from "../../src/consumer/index.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { NOT_INSTALLED } from "./contract.ts";
import { connectionTo } from "./support/postgres.ts";
import { postgresTool, type TestServer } from "./support/servers.ts";

const tool = postgresTool();
const skip = tool.start === undefined && NOT_INSTALLED;
let server: TestServer;
let pool: pg.Pool;

before(async () => {
  if (tool.start === undefined) return;
  server = await tool.start();
  pool = new pg.Pool(connectionTo(server.port));
  pool.on("error", () => {});
  await pool.query(`${postgresKeyTable()}; ${postgresOutboxTable()}`);
});

beforeEach(async () => {
  if (tool.start !== undefined) await pool.query("TRUNCATE millpond_outbox, millpond_idempotency");
});

after(async () => {
  if (tool.start === undefined) return;
  await pool.end();
  await server.stop();
});

const add = (body: string) => addToOutbox(pool, { target: "queue", body });
const bodies = (messages: OutboxMessage[]) => messages.map(({ body }) => body);

test("a message leaves when its transaction was committed, and not when it was rolled back", { skip }, async () => {
  let fails = true;
  const handle = idempotent(
    async (order: { id: string }, _, { tx }) => {
      await addToOutbox(tx, { target: "mail", body: `thanks for ${order.id}` });
      if (fails) throw new Error("a mishap");
    },
    { key: ({ id }: { id: string }) => id, store: postgresStore<pg.PoolClient>({ pool }), scope: "orders" },
  );
  const sent: OutboxMessage[] = [];
  const relay = new OutboxRelay({ pool, send: async (message) => void sent.push(message) });
  await assert.rejects(handle({ id: "o-1" }));
  assert.deepEqual(await relay.runOnce(), { sent: 0, failed: 0 });
  fails = false;
  for (let delivery = 0; delivery < 3; delivery++) await handle({ id: "o-1" });
  assert.deepEqual(await relay.runOnce(), { sent: 1, failed: 0 });
  assert.deepEqual(await relay.runOnce(), { sent: 0, failed: 0 });
  assert.deepEqual(bodies(sent), ["thanks for o-1"]);
});

test("a message that cannot be sent steps aside, and comes later with the same id", { skip }, async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const id = await add("bad");
  await add("good");
  const tried: OutboxMessage[] = [];
  let isDown = true;
  const send = async (message: OutboxMessage) => {
    tried.push(message);
    if (isDown && message.body === "bad") throw new Error("refused");
  };
  const relay = new OutboxRelay({ pool, send, clock });
  assert.deepEqual(await relay.runOnce(), { sent: 1, failed: 1 });
  assert.deepEqual(await relay.runOnce(), { sent: 0, failed: 0 });
  const { rows } = await pool.query("SELECT attempts, last_error FROM millpond_outbox");
  assert.deepEqual(rows, [{ attempts: 1, last_error: "refused" }]);
  await clock.advance(1_000);
  assert.deepEqual(await relay.runOnce(), { sent: 0, failed: 1 });
  isDown = false;
  await clock.advance(1_999);
  assert.deepEqual(await relay.runOnce(), { sent: 0, failed: 0 });
  await clock.advance(1);
  assert.deepEqual(await relay.runOnce(), { sent: 1, failed: 0 });
  assert.deepEqual(
    tried.filter(({ body }) => body === "bad").map((message) => message.id),
    [id, id, id],
  );
});

test("a relay whose connection breaks while it sends says so, and the message is sent again", { skip }, async () => {
  const id = await add("a");
  const sent: OutboxMessage[] = [];
  const send = async (message: OutboxMessage) => {
    sent.push(message);
    if (sent.length > 1) return;
    await pool.query(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE state = 'idle in transaction'",
    );
  };
  const relay = new OutboxRelay({ pool, send });
  await assert.rejects(relay.runOnce());
  assert.deepEqual(await relay.runOnce(), { sent: 1, failed: 0 });
  assert.deepEqual(
    sent.map((message) => message.id),
    [id, id],
  );
});

test("two relays at once send each message once", { skip }, async () => {
  for (let number = 0; number < 40; number++) await add(`m-${number}`);
  const sent: OutboxMessage[] = [];
  const send = async (message: OutboxMessage) => void sent.push(message);
  const drain = async () => {
    const relay = new OutboxRelay({ pool, send, batchMessagesMax: 3 });
    while ((await relay.runOnce()).sent > 0);
  };
  await Promise.all([drain(), drain()]);
  assert.equal(sent.length, 40);
  assert.equal(new Set(sent.map(({ id }) => id)).size, 40);
});

test("a relay that was started empties the outbox, and stops when it is told to", { skip }, async () => {
  for (let number = 0; number < 25; number++) await add(`m-${number}`);
  const sent: string[] = [];
  let isAll = () => {};
  const all = new Promise<void>((resolve) => {
    isAll = resolve;
  });
  const send = async ({ body }: OutboxMessage) => {
    if (sent.push(body) === 25) isAll();
  };
  const relay = new OutboxRelay({ pool, send });
  relay.start();
  await all;
  await relay.stop();
  assert.deepEqual(
    sent,
    Array.from({ length: 25 }, (_, number) => `m-${number}`),
  );
  assert.equal((await pool.query("SELECT FROM millpond_outbox")).rowCount, 0);
});
