// One worker of the supervised flash sale: writes what it takes to the database, and at most 25 rows a second, so that
// eight of them stay within the database's 200. It finds its queue in the environment that `millpond work` gives it.

import { SQSClient } from "@aws-sdk/client-sqs";
import { consume } from "millpond/consumer";

const [databaseUrl = ""] = process.argv.slice(2);
const client = new SQSClient({ credentials: { accessKeyId: "test", secretAccessKey: "test" } });

const consumer = consume<{ order: string }>({
  queue: process.env["MILLPOND_QUEUE_URL"] ?? "",
  client,
  concurrency: 4,
  prefetch: 1,
  waitSeconds: 1,
  abortPolls: true,
  rateLimit: { count: 24, per: "1s", burst: 1 },
  handler: async ({ body }) => {
    const response = await fetch(databaseUrl, { method: "POST", body: body.order });
    if (!response.ok) throw new Error(`the database refused ${body.order}`);
  },
});
process.on("SIGTERM", () => void consumer.stop({ drain: "5s" }).then(() => process.exit(0)));
await consumer.start();
