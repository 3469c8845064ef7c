// A DynamoDB client for a server on this machine, and the ledger that tests and workers count in.

import { type CreateTableCommandInput, DynamoDB } from "@aws-sdk/client-dynamodb";

export const KEYS = "millpond-idempotency";

export function connectDynamoDb(port: number): DynamoDB {
  return new DynamoDB({
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    maxAttempts: 1,
  });
}

export async function createTable(client: DynamoDB, table: CreateTableCommandInput): Promise<void> {
  await client.createTable(table);
  while ((await client.describeTable({ TableName: table.TableName })).Table?.TableStatus !== "ACTIVE");
}

/** One action of TransactWriteItems. */
export function addToLedger(payment: string) {
  return {
    Update: {
      TableName: "ledger",
      Key: { pk: { S: payment } },
      UpdateExpression: "ADD entries :one",
      ExpressionAttributeValues: { ":one": { N: "1" } },
    },
  };
}

export async function countInLedger(client: DynamoDB, payment: string): Promise<number> {
  const { Item } = await client.getItem({ TableName: "ledger", Key: { pk: { S: payment } }, ConsistentRead: true });
  return Number(Item?.["entries"]?.N ?? 0);
}
