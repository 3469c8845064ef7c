// Key and ledger row in one PostgreSQL transaction.

import { idempotent, postgresKeyTable, postgresStore } from "millpond/consumer";
import pg from "pg";
import { type PaymentMessage, paymentOf, type Worker } from "./payment.ts";
import type { Provider } from "./payment-provider.ts";

export async function postgresWorker(connection: pg.PoolConfig, provider: Provider): Promise<Worker> {
  const pool = new pg.Pool(connection);
  pool.on("error", () => {});
  await pool.query(postgresKeyTable());
  await pool.query("CREATE TABLE IF NOT EXISTS payments_ledger (payment text, cents int, charge text)");
  await pool.query("TRUNCATE payments_ledger");
  let duplicates = 0;
  const handle = idempotent(
    async (message: PaymentMessage, _context, { key, tx }) => {
      const { id, cents } = paymentOf(message);
      const charge = await provider.charge({ id, cents }, key);
      await tx.query("INSERT INTO payments_ledger VALUES ($1, $2, $3)", [id, cents, charge]);
      return charge;
    },
    {
      key: (message) => paymentOf(message).id,
      store: postgresStore<pg.PoolClient>({ pool }),
      scope: "payments",
      onReplay: () => void duplicates++,
    },
  );
  return {
    handle,
    duplicates: () => duplicates,
    ledgerRows: async () => (await pool.query("SELECT FROM payments_ledger")).rowCount ?? 0,
    close: () => pool.end(),
  };
}
