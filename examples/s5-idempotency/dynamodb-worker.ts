// Key and ledger item in one DynamoDB write transaction. The item has the delivery's own id, so that a second one would
// not hide behind the first.

import { randomUUID } from "node:crypto";
import { type DynamoDB, ResourceInUseException } from "@aws-sdk/client-dynamodb";
import { dynamoDbStore, dynamoDbTable, idempotent } from "millpond/consumer";
import { type PaymentMessage, paymentOf, type Worker } from "./payment.ts";
import type { Provider } from "./payment-provider.ts";

const KEYS = "millpond-idempotency";
const LEDGER = "payments-ledger";

export async function dynamoDbWorker(client: DynamoDB, provider: Provider): Promise<Worker> {
  for (const name of [KEYS, LEDGER]) await haveTable(client, name);
  const ledger = async () => (await client.scan({ TableName: LEDGER, ConsistentRead: true })).Items ?? [];
  for (const { pk } of await ledger())
    if (pk !== undefined) await client.deleteItem({ TableName: LEDGER, Key: { pk } });
  let duplicates = 0;
  const handle = idempotent(
    async (message: PaymentMessage, _context, { key, tx }) => {
      const { id, cents } = paymentOf(message);
      const charge = await provider.charge({ id, cents }, key);
      const row = { pk: { S: randomUUID() }, payment: { S: id }, cents: { N: String(cents) }, charge: { S: charge } };
      tx.write({ Put: { TableName: LEDGER, Item: row } });
      return charge;
    },
    {
      key: (message) => paymentOf(message).id,
      store: dynamoDbStore({ client, table: KEYS }),
      scope: "payments",
      onReplay: () => void duplicates++,
    },
  );
  return {
    handle,
    duplicates: () => duplicates,
    ledgerRows: async () => (await ledger()).length,
    close: async () => client.destroy(),
  };
}

async function haveTable(client: DynamoDB, name: string): Promise<void> {
  await client.createTable(dynamoDbTable(name)).catch((error) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  while ((await client.describeTable({ TableName: name })).Table?.TableStatus !== "ACTIVE");
}
