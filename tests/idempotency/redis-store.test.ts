// The contract over a real Redis.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../src/base/clock.ts";
import { type RedisTransaction, redisStore } from "../../src/consumer/index.ts";
import { NOT_INSTALLED, storeContract } from "./contract.ts";
import { guardedContract } from "./guarded-contract.ts";
import { newestContract } from "./newest-contract.ts";
import { type CuttableProxy, startProxy } from "./support/cuttable-proxy.ts";
import { connectRedis, evalScriptOf, type Redis } from "./support/redis.ts";
import { redisTool, type TestServer } from "./support/servers.ts";

const tool = redisTool();
const isInstalled = tool.start !== undefined;
let server: TestServer;
let proxy: CuttableProxy;
let client: Redis;
let looking: Redis;

before(async () => {
  if (tool.start === undefined) return;
  server = await tool.start();
  proxy = await startProxy(server.port);
  client = await connectRedis(proxy.port);
  looking = await connectRedis(server.port);
});

after(async () => {
  if (tool.start === undefined) return;
  client.destroy();
  looking.destroy();
  await proxy.close();
  await server.stop();
});

const harness = {
  open: (clock?: Clock) => redisStore({ evalScript: evalScriptOf(client), ...(clock === undefined ? {} : { clock }) }),
  add: (tx: RedisTransaction, counter: string) => tx.call("INCRBY", `ledger:${counter}`, 1),
  count: async (counter: string) => Number((await looking.get(`ledger:${counter}`)) ?? 0),
  crash: async () => {},
  cut: () => proxy.cut(),
  mend: async () => {
    proxy.mend();
    while (!client.isReady) await sleep(5);
  },
  isLeased: true,
  time: "server" as const,
  sweeps: false,
  graceMs: 0,
};

storeContract("Redis", harness, isInstalled);
guardedContract("Redis", harness, isInstalled);
newestContract("Redis", harness, isInstalled);

test("Redis: a record goes by itself after its time", { skip: !isInstalled && NOT_INSTALLED }, async () => {
  const begun = await harness.open().begin({ scope: "ttl", key: "k" }, { leaseMs: 1_000, keepForMs: 60_000 });
  assert.equal(begun.is, "mine");
  const leftMs = await looking.pTTL("millpond:idempotency:ttl#k");
  assert.ok(leftMs > 50_000 && leftMs <= 60_000, `${leftMs}`);
});
