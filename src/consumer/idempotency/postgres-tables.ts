// The tables, as SQL to run once in a migration. Times are milliseconds since 1970.

import { plainTableName } from "./postgres-port.ts";

export const KEY_TABLE_DEFAULT = "millpond_idempotency";
export const OUTBOX_TABLE_DEFAULT = "millpond_outbox";

/** Safe to run again. docs/idempotency.md shows what it says. */
export function postgresKeyTable(table: string = KEY_TABLE_DEFAULT): string {
  plainTableName(table);
  return `CREATE TABLE IF NOT EXISTS ${table} (
  scope          text   NOT NULL,
  key            text   NOT NULL,
  state          text   NOT NULL CHECK (state IN ('running', 'done', 'free')),
  owner          text   NOT NULL,
  fence          bigint NOT NULL,
  fingerprint    text,
  result         text,
  lease_until_ms bigint NOT NULL,
  expires_at_ms  bigint NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX IF NOT EXISTS ${indexName(table, "expiry")} ON ${table} (expires_at_ms);`;
}

/** Safe to run again. */
export function postgresOutboxTable(table: string = OUTBOX_TABLE_DEFAULT): string {
  plainTableName(table);
  return `CREATE TABLE IF NOT EXISTS ${table} (
  position      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id            uuid   NOT NULL UNIQUE,
  target        text   NOT NULL,
  body          text   NOT NULL,
  attempts      int    NOT NULL DEFAULT 0,
  next_at_ms    bigint NOT NULL DEFAULT 0,
  last_error    text
);
CREATE INDEX IF NOT EXISTS ${indexName(table, "due")} ON ${table} (next_at_ms, position);`;
}

/** An index lives in its table's schema and is named without it. */
function indexName(table: string, what: string): string {
  return `${table.slice(table.indexOf(".") + 1)}_${what}`;
}
