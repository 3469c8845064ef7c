// Three deliveries of one payment, because the delete got lost twice: one row in the ledger, one charge at the provider.

import { randomUUID } from "node:crypto";
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { DeleteMessageCommand } from "@aws-sdk/client-sqs";
import { freshQueue, receive, type Stage, send } from "../stage.ts";
import { dynamoDbWorker } from "./dynamodb-worker.ts";
import type { Worker } from "./payment.ts";
import { type Provider, startProvider } from "./payment-provider.ts";
import { postgresWorker } from "./postgres-worker.ts";

type Hire = (provider: Provider) => Promise<Worker>;

/** `npm run example -- s5-idempotency`, with the databases that the environment names. */
export async function story(stage: Stage) {
  const { DATABASE_URL, AWS_ENDPOINT_URL_DYNAMODB } = process.env;
  const told = [];
  if (DATABASE_URL !== undefined) told.push(await tell(stage, withPostgres({ connectionString: DATABASE_URL })));
  if (AWS_ENDPOINT_URL_DYNAMODB !== undefined) told.push(await tell(stage, withDynamoDb(AWS_ENDPOINT_URL_DYNAMODB)));
  if (told.length === 0) stage.say("Name a database: DATABASE_URL=postgres://… or AWS_ENDPOINT_URL_DYNAMODB=http://…");
  return told;
}

export const withPostgres =
  (connection: Parameters<typeof postgresWorker>[0]): Hire =>
  (provider) =>
    postgresWorker(connection, provider);

export const withDynamoDb =
  (endpoint: string): Hire =>
  (provider) => {
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    return dynamoDbWorker(new DynamoDB({ endpoint, region: "us-east-1", credentials }), provider);
  };

export async function tell(stage: Stage, hire: Hire) {
  const provider = await startProvider();
  const worker = await hire(provider);
  try {
    const url = await freshQueue(stage, "s5-payments", { VisibilityTimeout: 1 });
    const payment = { id: `pi_${randomUUID()}`, cents: 1250 };
    await send(stage, url, payment);
    const results: string[] = [];
    while (results.length < 3) {
      for (const message of await receive(stage, url, 2)) {
        const before = worker.duplicates();
        results.push(await worker.handle(message));
        const how = worker.duplicates() > before ? "skipped as a duplicate" : "charged and written to the ledger";
        stage.say(`delivery ${results.length} of ${payment.id}: ${how} (${results.at(-1)})`);
        // The first two deletes get lost.
        if (results.length < 3) continue;
        await stage.sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }));
      }
    }
    const rows = await worker.ledgerRows();
    stage.say(
      `rows in the ledger: ${rows}; the provider was asked ${provider.requests.length}× and charged ${provider.charges.length}×`,
    );
    return {
      payment,
      results,
      rows,
      duplicates: worker.duplicates(),
      requests: provider.requests,
      charges: provider.charges,
    };
  } finally {
    provider.stop();
    await worker.close();
  }
}
