// Messages that leave after the commit: the handler writes them in its transaction, a relay sends them later. A message is
// sent if and only if the transaction was committed; it may be sent twice, so each carries an id that stays the same.

import { randomUUID } from "node:crypto";
import { type Clock, systemClock, type TimerHandle } from "../../base/clock.ts";
import { onBroken, type PostgresClient, type PostgresPool, plainTableName } from "./postgres-port.ts";
import { OUTBOX_TABLE_DEFAULT } from "./postgres-tables.ts";

export interface OutboxMessage {
  /** Always the same for one message: its deduplication id, or the receiver's idempotency key. */
  id: string;
  /** Where it goes, in words that `send` understands: a queue's URL, a topic's ARN. */
  target: string;
  /** The text to send. */
  body: string;
}

/** Adds a message to the transaction `tx`; answers its id. */
export async function addToOutbox(
  tx: PostgresClient,
  message: { target: string; body: string; id?: string },
  table: string = OUTBOX_TABLE_DEFAULT,
): Promise<string> {
  const id = message.id ?? randomUUID();
  await tx.query(`INSERT INTO ${plainTableName(table)} (id, target, body) VALUES ($1, $2, $3)`, [
    id,
    message.target,
    message.body,
  ]);
  return id;
}

export interface OutboxRelayOptions {
  /** The relay takes one connection of it while it looks. */
  pool: PostgresPool;
  /** Sends one message; throwing means "later again". */
  send: (message: OutboxMessage) => Promise<void>;
  /** Default `millpond_outbox`. */
  table?: string;
  /** Messages in one transaction of the relay. Default 10. */
  batchMessagesMax?: number;
  /** Between two looks when there was nothing to send. Default 1,000. */
  pollEveryMs?: number;
  /** After a failed send: doubled with each further one, up to five minutes. Default 1,000. */
  retryAfterMs?: number;
  /** A relay could not reach the database. It goes on trying. */
  onError?: (error: unknown) => void;
  /** Default the system's. */
  clock?: Clock;
}

const RETRY_AFTER_MS_MAX = 300_000;

/**
 * Sends what is in the outbox, oldest first within what is due; a message that fails steps aside and does not hold up the
 * others. Any number of relays may run: each row is locked by one. A relay that dies has its rows sent again.
 */
export class OutboxRelay {
  readonly #options: Required<Omit<OutboxRelayOptions, "onError">> & Pick<OutboxRelayOptions, "onError">;
  #timer: TimerHandle | undefined;
  #round: Promise<void> | undefined;
  #isStopped = true;

  constructor(options: OutboxRelayOptions) {
    this.#options = {
      batchMessagesMax: 10,
      pollEveryMs: 1_000,
      retryAfterMs: 1_000,
      clock: systemClock,
      ...options,
      table: plainTableName(options.table ?? OUTBOX_TABLE_DEFAULT),
    };
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#next(0);
  }

  /** Resolves when the round that runs is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#round;
  }

  /** One batch: how many messages were sent and how many failed. Rejects when the database is out of reach. */
  async runOnce(): Promise<{ sent: number; failed: number }> {
    const { pool, table, batchMessagesMax, clock } = this.#options;
    const client = await pool.connect();
    const stopListening = onBroken(client, () => {});
    const counts = { sent: 0, failed: 0 };
    try {
      await client.query("BEGIN");
      const { rows } = await client.query(
        `SELECT position, id, target, body, attempts FROM ${table} WHERE next_at_ms <= $1
         ORDER BY position LIMIT $2 FOR UPDATE SKIP LOCKED`,
        [clock.nowMs(), batchMessagesMax],
      );
      for (const row of rows as OutboxRow[]) counts[await this.#sendRow(client, row)]++;
      await client.query("COMMIT");
      stopListening();
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
    return counts;
  }

  async #sendRow(client: PostgresClient, { position, attempts, ...message }: OutboxRow): Promise<"sent" | "failed"> {
    const { table, send, clock, retryAfterMs } = this.#options;
    try {
      await send(message);
    } catch (error) {
      const waitMs = Math.min(retryAfterMs * 2 ** Math.min(attempts, 20), RETRY_AFTER_MS_MAX);
      await client.query(
        `UPDATE ${table} SET attempts = attempts + 1, next_at_ms = $2, last_error = $3 WHERE position = $1`,
        [position, clock.nowMs() + waitMs, error instanceof Error ? error.message : String(error)],
      );
      return "failed";
    }
    await client.query(`DELETE FROM ${table} WHERE position = $1`, [position]);
    return "sent";
  }

  #next(inMs: number): void {
    const { clock } = this.#options;
    this.#timer = clock.setTimer(clock.nowMs() + inMs, () => {
      this.#round = this.#runRound();
    });
  }

  async #runRound(): Promise<void> {
    const { batchMessagesMax, pollEveryMs, onError } = this.#options;
    let isFull = false;
    try {
      const { sent, failed } = await this.runOnce();
      isFull = sent + failed === batchMessagesMax;
    } catch (error) {
      onError?.(error);
    }
    if (!this.#isStopped) this.#next(isFull ? 0 : pollEveryMs);
  }
}

interface OutboxRow extends OutboxMessage {
  position: string;
  attempts: number;
}
