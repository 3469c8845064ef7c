// Keys in PostgreSQL without a transaction around the handler: for work whose effects are elsewhere, or that takes longer
// than a transaction should stay open. The key is held by a lease, as in DynamoDB and Redis. A crash after the effect and
// before the end is recorded lets the handler run again: its effect has to be idempotent by itself.

import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { type Ownership, PostgresKeys } from "./postgres-keys.ts";
import type { PostgresClient } from "./postgres-port.ts";
import { KEY_TABLE_DEFAULT } from "./postgres-tables.ts";
import type {
  BeginRequest,
  Begun,
  BegunNewer,
  Claim,
  IdempotencyStore,
  NewerRequest,
  RecordId,
  VersionStore,
} from "./store.ts";

export interface PostgresLeaseStoreOptions {
  /** `new pg.Pool(…)`; each statement takes a connection only for itself. */
  pool: PostgresClient;
  /** As in postgresKeyTable(table). */
  table?: string;
  /** For tests. Left out, the database's time counts, the same for all workers. */
  clock?: Clock;
}

export function postgresLeaseStore({
  pool,
  table = KEY_TABLE_DEFAULT,
  clock,
}: PostgresLeaseStoreOptions): IdempotencyStore<undefined> & VersionStore<undefined> {
  const keys = new PostgresKeys(table, () => clock?.nowMs() ?? null);
  return {
    async begin(id: RecordId, request: BeginRequest): Promise<Begun<undefined>> {
      const ownership = { id, owner: randomUUID() };
      const claimed = await keys.claim(pool, ownership, request);
      return claimed.is === "mine" ? { is: "mine", claim: leasedClaim(pool, keys, ownership, claimed.fence) } : claimed;
    },
    async beginNewer(id: RecordId, request: NewerRequest): Promise<BegunNewer<undefined>> {
      const ownership = { id, owner: randomUUID() };
      const claimed = await keys.claimNewer(pool, ownership, request);
      return claimed.is === "mine" ? { is: "mine", claim: leasedClaim(pool, keys, ownership, claimed.fence) } : claimed;
    },
    sweep: (limit) => keys.sweep(pool, limit),
  };
}

function leasedClaim(pool: PostgresClient, keys: PostgresKeys, ownership: Ownership, fence: number): Claim<undefined> {
  return {
    fence,
    isLeased: true,
    tx: undefined,
    renew: (leaseMs) => keys.renew(pool, ownership, leaseMs),
    complete: (result, keepForMs) => keys.complete(pool, ownership, result, keepForMs),
    release: async () => void (await keys.release(pool, ownership)),
  };
}
