// The ledger that the tests and workers write to. It has no unique constraint: an effect that happens twice shows.

import type pg from "pg";

export const LEDGER_TABLE = "CREATE TABLE IF NOT EXISTS ledger (entry bigserial PRIMARY KEY, payment text NOT NULL)";

export function connectionTo(port: number): pg.PoolConfig {
  return { host: "127.0.0.1", port, user: "millpond", database: "postgres" };
}

export async function countIn(pool: pg.Pool, payment: string): Promise<number> {
  const { rows } = await pool.query("SELECT count(*)::int AS count FROM ledger WHERE payment = $1", [payment]);
  return rows[0].count;
}
