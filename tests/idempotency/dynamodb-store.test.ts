// The contract over a real DynamoDB-compatible server, through AWS's own client.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { DynamoDB } from "@aws-sdk/client-dynamodb";
import type { Clock } from "../../src/base/clock.ts";
import {
  type DynamoDbTransaction,
  dynamoDbStore,
  dynamoDbTable,
  idempotent,
  isIdempotencyError,
} from "../../src/consumer/index.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { NOT_INSTALLED, storeContract } from "./contract.ts";
import { guardedContract } from "./guarded-contract.ts";
import { type CuttableProxy, startProxy } from "./support/cuttable-proxy.ts";
import { addToLedger, connectDynamoDb, countInLedger, createTable, KEYS } from "./support/dynamodb.ts";
import { dynamoDbTool, type TestServer } from "./support/servers.ts";

const tool = dynamoDbTool();
const isInstalled = tool.start !== undefined;
let server: TestServer;
let proxy: CuttableProxy;
let client: DynamoDB;
let looking: DynamoDB;

before(async () => {
  if (tool.start === undefined) return;
  server = await tool.start();
  proxy = await startProxy(server.port);
  client = connectDynamoDb(proxy.port);
  looking = connectDynamoDb(server.port);
  await createTable(looking, dynamoDbTable(KEYS));
  await createTable(looking, dynamoDbTable("ledger"));
});

after(async () => {
  if (tool.start === undefined) return;
  client.destroy();
  looking.destroy();
  await proxy.close();
  await server.stop();
});

const harness = {
  open: (clock?: Clock) => dynamoDbStore({ client, table: KEYS, ...(clock === undefined ? {} : { clock }) }),
  add: (tx: DynamoDbTransaction, counter: string) => tx.write(addToLedger(counter)),
  count: (counter: string) => countInLedger(looking, counter),
  crash: async () => {},
  cut: () => proxy.cut(),
  mend: async () => {
    proxy.mend();
    // The client learns only by trying which of its kept connections are broken.
    while (
      !(await client.listTables().then(
        () => true,
        () => false,
      ))
    );
  },
  isLeased: true,
  time: "worker" as const,
  sweeps: false,
  graceMs: 5_000,
};

storeContract("DynamoDB", harness, isInstalled);
guardedContract("DynamoDB", harness, isInstalled);

test("DynamoDB: an effect whose own condition fails undoes all, says why, and frees the key", {
  skip: !isInstalled && NOT_INSTALLED,
}, async () => {
  let isBroke = true;
  const pay = idempotent(
    (message: { id: string }, _: unknown, { tx }) => {
      tx.write(addToLedger(message.id));
      const condition = isBroke ? "attribute_exists(pk)" : "attribute_not_exists(pk)";
      const balance = { pk: { S: `balance-${message.id}` } };
      tx.write({ Put: { TableName: "ledger", Item: balance, ConditionExpression: condition } });
    },
    { key: ({ id }) => id, store: harness.open(), scope: "extra" },
  );
  await assert.rejects(pay({ id: "condition" }), (error) => {
    assert.ok(isIdempotencyError(error, "EffectsRefused"));
    assert.equal((error.cause as Error).name, "TransactionCanceledException");
    return true;
  });
  assert.equal(await countInLedger(looking, "condition"), 0);
  isBroke = false;
  await pay({ id: "condition" });
  assert.equal(await countInLedger(looking, "condition"), 1);
});

test("DynamoDB: an item that its time to live has not removed yet counts as gone", {
  skip: !isInstalled && NOT_INSTALLED,
}, async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const store = harness.open(clock);
  const request = { leaseMs: 1_000, keepForMs: 5_000 };
  const id = { scope: "ttl", key: "k" };
  const first = await store.begin(id, request);
  assert.equal(first.is, "mine");
  if (first.is === "mine") await first.claim.complete(undefined, request.keepForMs);
  const { Item } = await looking.getItem({ TableName: KEYS, Key: { pk: { S: "ttl#k" } } });
  assert.ok(Number(Item?.["ttl"]?.N) * 1_000 > clock.nowMs() + request.keepForMs, "never removed before its time");
  await clock.advance(request.keepForMs);
  assert.equal((await store.begin(id, request)).is, "mine");
});
