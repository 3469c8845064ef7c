// The statements on the key table, the same for both PostgreSQL stores. Which connection and transaction they run in is
// the stores' business.

import { type PostgresClient, plainTableName } from "./postgres-port.ts";
import { type Judgement, judge, judgeNewer, type NewerJudgement, type StoredRecord } from "./record.ts";
import type { BeginRequest, NewerRequest, RecordId } from "./store.ts";

/** The database's clock unless a test brings its own: it is one clock for all workers, so their skew does not matter. */
const now = (parameter: string) =>
  `coalesce(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;

/** A record can change between the look and the claim; then both are tried again. */
const TRIES_MAX = 5;
/** Told to who lost every one of those races. */
const RETRY_AFTER_MS = 100;

export interface Ownership {
  id: RecordId;
  owner: string;
}

export class PostgresKeys {
  readonly #table: string;
  readonly #nowMs: () => number | null;

  /** `nowMs` answers null to take the database's time. */
  constructor(table: string, nowMs: () => number | null) {
    this.#table = plainTableName(table);
    this.#nowMs = nowMs;
  }

  /** The new claim's fence, or why there is none. */
  async claim(
    client: PostgresClient,
    { id, owner }: Ownership,
    request: BeginRequest,
  ): Promise<{ is: "mine"; fence: number } | Exclude<Judgement, { is: "open" }>> {
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      // Looked at first without a lock: a conflicting INSERT locks the row even when it then changes nothing, and many
      // duplicates of one done key would queue up behind each other.
      const judged = await this.#look(client, id, (found, nowMs) => judge(found, request.fingerprint, nowMs));
      if (judged.is !== "open") return judged;
      const { rows } = await client.query(
        `INSERT INTO ${this.#table} AS held
           (scope, key, state, owner, fence, fingerprint, lease_until_ms, expires_at_ms)
         VALUES ($1, $2, 'running', $3, 1, $4, ${now("$5")} + $6::bigint, ${now("$5")} + $7::bigint)
         ON CONFLICT (scope, key) DO UPDATE SET
           state = 'running', owner = excluded.owner, fence = held.fence + 1, fingerprint = excluded.fingerprint,
           result = NULL, lease_until_ms = excluded.lease_until_ms, expires_at_ms = excluded.expires_at_ms
         WHERE held.expires_at_ms <= ${now("$5")}
            OR (coalesce(held.fingerprint = excluded.fingerprint, true)
                AND (held.state = 'free' OR (held.state = 'running' AND held.lease_until_ms <= ${now("$5")})))
         RETURNING fence`,
        [id.scope, id.key, owner, request.fingerprint ?? null, this.#nowMs(), request.leaseMs, request.keepForMs],
      );
      const [row] = rows as { fence: string }[];
      if (row !== undefined) return { is: "mine", fence: Number(row.fence) };
    }
    return { is: "busy", retryAfterMs: RETRY_AFTER_MS };
  }

  /** The same for a version that is newer than the one in the record's result. */
  async claimNewer(
    client: PostgresClient,
    { id, owner }: Ownership,
    { version, leaseMs, keepForMs }: NewerRequest,
  ): Promise<{ is: "mine"; fence: number } | Exclude<NewerJudgement, { is: "open" }>> {
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      const judged = await this.#look(client, id, (found, nowMs) => judgeNewer(found, version, nowMs));
      if (judged.is !== "open") return judged;
      const { rows } = await client.query(
        `INSERT INTO ${this.#table} AS held (scope, key, state, owner, fence, lease_until_ms, expires_at_ms)
         VALUES ($1, $2, 'running', $3, 1, ${now("$4")} + $5::bigint, ${now("$4")} + $6::bigint)
         ON CONFLICT (scope, key) DO UPDATE SET
           state = 'running', owner = excluded.owner, fence = held.fence + 1,
           result = CASE WHEN held.expires_at_ms > ${now("$4")} THEN held.result END,
           lease_until_ms = excluded.lease_until_ms, expires_at_ms = excluded.expires_at_ms
         WHERE held.expires_at_ms <= ${now("$4")}
            OR (coalesce(held.result::numeric < $7::numeric, true)
                AND (held.state <> 'running' OR held.lease_until_ms <= ${now("$4")}))
         RETURNING fence`,
        [id.scope, id.key, owner, this.#nowMs(), leaseMs, keepForMs, version.toString()],
      );
      const [row] = rows as { fence: string }[];
      if (row !== undefined) return { is: "mine", fence: Number(row.fence) };
    }
    return { is: "busy", retryAfterMs: RETRY_AFTER_MS };
  }

  async #look<Judged extends { is: string }>(
    client: PostgresClient,
    id: RecordId,
    judge: (found: StoredRecord | undefined, nowMs: number) => Judged,
  ): Promise<Judged> {
    const { rows } = await client.query(
      `SELECT state, owner, fence, fingerprint, result, lease_until_ms, expires_at_ms, ${now("$3")} AS now_ms
       FROM ${this.#table} WHERE scope = $1 AND key = $2`,
      [id.scope, id.key, this.#nowMs()],
    );
    const [row] = rows as KeyRow[];
    return row === undefined ? judge(undefined, 0) : judge(recordOf(row), Number(row.now_ms));
  }

  renew(client: PostgresClient, { id, owner }: Ownership, leaseMs: number): Promise<boolean> {
    return this.#changed(
      client,
      `UPDATE ${this.#table} SET lease_until_ms = ${now("$4")} + $5::bigint,
         expires_at_ms = greatest(expires_at_ms, ${now("$4")} + $5::bigint)
       WHERE scope = $1 AND key = $2 AND owner = $3 AND state = 'running'`,
      [id.scope, id.key, owner, this.#nowMs(), leaseMs],
    );
  }

  /** True again when it was done by the same owner before: the first answer may have been lost. */
  complete(client: PostgresClient, { id, owner }: Ownership, result: string | undefined, keepForMs: number) {
    return this.#changed(
      client,
      `UPDATE ${this.#table} SET state = 'done', result = $6, expires_at_ms = ${now("$4")} + $5::bigint
       WHERE scope = $1 AND key = $2 AND owner = $3 AND state IN ('running', 'done')`,
      [id.scope, id.key, owner, this.#nowMs(), keepForMs, result ?? null],
    );
  }

  release(client: PostgresClient, { id, owner }: Ownership): Promise<boolean> {
    return this.#changed(
      client,
      `UPDATE ${this.#table} SET state = 'free' WHERE scope = $1 AND key = $2 AND owner = $3 AND state = 'running'`,
      [id.scope, id.key, owner],
    );
  }

  async sweep(client: PostgresClient, limit: number): Promise<number> {
    // Rows that somebody is about to claim again are locked; they are not waited for.
    const { rowCount } = await client.query(
      `DELETE FROM ${this.#table} WHERE (scope, key) IN (
         SELECT scope, key FROM ${this.#table} WHERE expires_at_ms <= ${now("$1")}
         ORDER BY expires_at_ms LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [this.#nowMs(), limit],
    );
    return rowCount ?? 0;
  }

  async #changed(client: PostgresClient, text: string, values: unknown[]): Promise<boolean> {
    const { rowCount } = await client.query(text, values);
    return rowCount === 1;
  }
}

/** bigint columns arrive as text. */
interface KeyRow {
  state: StoredRecord["state"];
  owner: string;
  fence: string;
  fingerprint: string | null;
  result: string | null;
  lease_until_ms: string;
  expires_at_ms: string;
  now_ms: string;
}

function recordOf(row: KeyRow): StoredRecord {
  return {
    state: row.state,
    owner: row.owner,
    fence: Number(row.fence),
    fingerprint: row.fingerprint ?? undefined,
    result: row.result ?? undefined,
    leaseUntilMs: Number(row.lease_until_ms),
    expiresAtMs: Number(row.expires_at_ms),
  };
}
