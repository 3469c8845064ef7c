// The three stores as a worker opens them: the store, one effect in its transaction, and the same effect beside it, which
// is the planted fault.

import pg from "pg";
import {
  type DynamoDbTransaction,
  dynamoDbStore,
  type IdempotencyStore,
  postgresStore,
  type RedisTransaction,
  redisStore,
} from "../../../src/consumer/index.ts";
import { addToLedger, connectDynamoDb, KEYS } from "../support/dynamodb.ts";
import { connectionTo } from "../support/postgres.ts";
import { connectRedis, evalScriptOf } from "../support/redis.ts";

export type Kind = "postgres" | "dynamodb" | "redis";

export interface BackEnd {
  store: IdempotencyStore<unknown>;
  add(tx: unknown, payment: string): Promise<unknown>;
  addOutside(payment: string): Promise<unknown>;
}

/** A killed worker's keys come free after the lease; a clock's difference within one machine is nothing. */
export const STORM_LEASE_MS = 500;
const CLOCK_SKEW_MS = 20;

export async function openBackEnd(kind: Kind, port: number): Promise<BackEnd> {
  switch (kind) {
    case "postgres": {
      const pool = new pg.Pool({ ...connectionTo(port), max: 12 });
      const insert = "INSERT INTO ledger (payment) VALUES ($1)";
      return {
        store: postgresStore<pg.PoolClient>({ pool, lockWaitMs: 200 }),
        add: (tx, payment) => (tx as pg.PoolClient).query(insert, [payment]),
        addOutside: (payment) => pool.query(insert, [payment]),
      };
    }
    case "dynamodb": {
      const client = connectDynamoDb(port);
      return {
        store: dynamoDbStore({ client, table: KEYS, clockSkewMs: CLOCK_SKEW_MS }),
        add: async (tx, payment) => (tx as DynamoDbTransaction).write(addToLedger(payment)),
        addOutside: (payment) => client.transactWriteItems({ TransactItems: [addToLedger(payment)] }),
      };
    }
    case "redis": {
      const client = await connectRedis(port);
      return {
        store: redisStore({ evalScript: evalScriptOf(client) }),
        add: async (tx, payment) => (tx as RedisTransaction).call("HINCRBY", "ledger", payment, 1),
        addOutside: (payment) => client.hIncrBy("ledger", payment, 1),
      };
    }
  }
}
