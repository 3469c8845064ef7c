// Key and effects in one PostgreSQL transaction: the handler gets the transaction's client, and what it writes there is
// committed together with the key or not at all, whatever crashes. While it runs, the uncommitted key row is the lock: a
// rival waits for it, but not for long. There is no lease to renew. A worker that dies loses its connection, and with it
// the transaction and the lock.
//
// What the handler does outside the transaction (a call to a payment provider) is not undone by a rollback. Give that
// the key, or put it into the outbox.

import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { type Ownership, PostgresKeys } from "./postgres-keys.ts";
import { onBroken, type PooledClient, type PostgresClient, type PostgresPool, sqlState } from "./postgres-port.ts";
import { KEY_TABLE_DEFAULT } from "./postgres-tables.ts";
import {
  type BeginRequest,
  type Begun,
  type BegunNewer,
  type Claim,
  EffectsRefused,
  type IdempotencyStore,
  type NewerRequest,
  type RecordId,
  type VersionStore,
} from "./store.ts";

const LOCK_NOT_AVAILABLE = "55P03";

export interface PostgresStoreOptions<Client extends PostgresClient> {
  /** `new pg.Pool(…)`. A handler keeps one connection while it runs: allow as many as there are handlers at once. */
  pool: PostgresPool<Client>;
  /** As in postgresKeyTable(table). */
  table?: string;
  /** How long a rival waits for the one who is at it, milliseconds, before it is told "busy". Default 500. */
  lockWaitMs?: number;
  /**
   * How long the handler may leave its transaction idle, milliseconds; then the server ends it, and the worker has lost
   * the key. Frees the keys of a worker that hangs but stays connected. Default 15 minutes.
   */
  idleMsMax?: number;
  /** For tests. Left out, the database's time counts, the same for all workers. */
  clock?: Clock;
}

export function postgresStore<Client extends PostgresClient>(
  options: PostgresStoreOptions<Client>,
): PostgresStore<Client> {
  return new PostgresStore(options);
}

export class PostgresStore<Client extends PostgresClient> implements IdempotencyStore<Client>, VersionStore<Client> {
  readonly #pool: PostgresPool<Client>;
  readonly #keys: PostgresKeys;
  readonly #lockWaitMs: number;
  readonly #idleMsMax: number;

  constructor({
    pool,
    table = KEY_TABLE_DEFAULT,
    lockWaitMs = 500,
    idleMsMax = 900_000,
    clock,
  }: PostgresStoreOptions<Client>) {
    this.#pool = pool;
    this.#keys = new PostgresKeys(table, () => clock?.nowMs() ?? null);
    this.#lockWaitMs = wholeMs("lockWaitMs", lockWaitMs);
    this.#idleMsMax = wholeMs("idleMsMax", idleMsMax);
  }

  begin(id: RecordId, request: BeginRequest): Promise<Begun<Client>> {
    return this.#begin(id, (client, ownership) => this.#keys.claim(client, ownership, request));
  }

  beginNewer(id: RecordId, request: NewerRequest): Promise<BegunNewer<Client>> {
    return this.#begin(id, (client, ownership) => this.#keys.claimNewer(client, ownership, request));
  }

  /** Opens a transaction, and keeps it open when the claim is had. */
  async #begin<Refused extends { is: string }>(
    id: RecordId,
    claim: (client: Client, ownership: Ownership) => Promise<{ is: "mine"; fence: number } | Refused>,
  ): Promise<{ is: "mine"; claim: Claim<Client> } | { is: "busy"; retryAfterMs: number } | Refused> {
    const connection = new Connection(await this.#pool.connect());
    const ownership = { id, owner: randomUUID() };
    try {
      // The lock's wait is for the key row alone: the handler's own statements wait as the database is set to.
      await connection.query(
        `BEGIN; SET LOCAL lock_timeout = ${this.#lockWaitMs}; SET LOCAL idle_in_transaction_session_timeout = ${this.#idleMsMax}`,
      );
      const claimed = await claim(connection.client, ownership);
      if (!isMine(claimed)) {
        await connection.rollBack();
        return claimed;
      }
      await connection.query("SET LOCAL lock_timeout = DEFAULT");
      return { is: "mine", claim: new PostgresClaim(connection, this.#keys, ownership, claimed.fence) };
    } catch (error) {
      await connection.rollBack();
      if (sqlState(error) === LOCK_NOT_AVAILABLE) return { is: "busy", retryAfterMs: this.#lockWaitMs };
      throw error;
    }
  }

  sweep(limit: number): Promise<number> {
    return this.#keys.sweep(this.#pool, limit);
  }
}

class PostgresClaim<Client extends PostgresClient> implements Claim<Client> {
  readonly fence: number;
  readonly isLeased = false;
  readonly tx: Client;
  readonly #connection: Connection<Client>;
  readonly #keys: PostgresKeys;
  readonly #ownership: Ownership;

  constructor(connection: Connection<Client>, keys: PostgresKeys, ownership: Ownership, fence: number) {
    this.#connection = connection;
    this.#keys = keys;
    this.#ownership = ownership;
    this.fence = fence;
    this.tx = connection.client;
  }

  /** The row lock needs none; this only says whether the connection that holds it is there. */
  async renew(): Promise<boolean> {
    return this.#connection.isOpen;
  }

  async complete(result: string | undefined, keepForMs: number): Promise<boolean> {
    if (!this.#connection.isOpen) return false;
    try {
      const isMine = await this.#keys.complete(this.#connection.client, this.#ownership, result, keepForMs);
      if (isMine) await this.#connection.query("SET CONSTRAINTS ALL IMMEDIATE");
      else {
        await this.#connection.rollBack();
        return false;
      }
    } catch (error) {
      await this.#connection.rollBack();
      // Without its connection the transaction is undone for certain, and the key with it. A refused statement is the
      // handler's: the transaction was spoilt before, or a deferred constraint is broken.
      if (this.#connection.isBroken) return false;
      throw new EffectsRefused(error);
    }
    await this.#connection.commit();
    return true;
  }

  async release(): Promise<void> {
    await this.#connection.rollBack();
  }
}

/** One connection out of the pool, with one transaction on it; given back exactly once. */
class Connection<Client extends PostgresClient> {
  readonly client: PooledClient<Client>;
  readonly #stopListening: () => void;
  isOpen = true;
  isBroken = false;

  constructor(client: PooledClient<Client>) {
    this.client = client;
    this.#stopListening = onBroken(client, () => {
      this.isBroken = true;
    });
  }

  query(text: string): Promise<unknown> {
    return this.client.query(text);
  }

  /** Rejects when the outcome is unknown. */
  async commit(): Promise<void> {
    try {
      await this.query("COMMIT");
      this.#giveBack(false);
    } catch (error) {
      this.#giveBack(true);
      throw error;
    }
  }

  async rollBack(): Promise<void> {
    if (!this.isOpen) return;
    try {
      await this.query("ROLLBACK");
      this.#giveBack(false);
    } catch {
      // A connection on which not even this works is closed, which rolls back too.
      this.isBroken = true;
      this.#giveBack(true);
    }
  }

  #giveBack(isBad: boolean): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    // A broken one may speak up once more while it closes.
    if (!isBad) this.#stopListening();
    this.client.release(isBad);
  }
}

function isMine(claimed: { is: string }): claimed is { is: "mine"; fence: number } {
  return claimed.is === "mine";
}

function wholeMs(name: string, value: number): number {
  if (!Number.isInteger(value) || value <= 0)
    throw new RangeError(`${name} is ${value}; it must be whole and more than 0.`);
  return value;
}
