// The function behind ClickQueue. Total, day and the event's marker are one DynamoDB transaction, so that an event counts
// once however often it comes; the marker has a TTL. An event that cannot be counted is named, and goes back alone.

import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { dynamoDbStore, idempotent } from "millpond/consumer";
import type { LinkEvent } from "./link-service.ts";

interface Record {
  messageId: string;
  body: string;
}

const { MARKERS_TABLE = "", CLICKS_TABLE = "" } = process.env;
const client = new DynamoDB();

const count = idempotent(
  async ({ body }: Record, _context, { tx }) => {
    const { detail, time } = JSON.parse(body) as LinkEvent;
    if (!detail.code) throw new Error("the event has no code");
    const day = time.slice(0, "2026-12-31".length);
    tx.write(oneMore(detail.code, "total"));
    tx.write(oneMore(detail.code, day));
  },
  {
    key: ({ body }) => (JSON.parse(body) as LinkEvent).id,
    store: dynamoDbStore({ client, table: MARKERS_TABLE }),
    scope: "click-counter",
  },
);

export async function handler({ Records }: { Records: Record[] }) {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    try {
      await count(record);
    } catch (error) {
      console.error(`${record.messageId}: ${(error as Error).message}`);
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
}

function oneMore(code: string, period: string) {
  return {
    Update: {
      TableName: CLICKS_TABLE,
      Key: { pk: { S: `${code}#${period}` } },
      UpdateExpression: "ADD clicks :one",
      ExpressionAttributeValues: { ":one": { N: "1" } },
    },
  };
}
