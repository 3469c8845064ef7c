// A worker whose downstream is dead for as long as a file exists.
//
//   node breaker-worker.js DOWN_FILE

import { existsSync } from "node:fs";
import { SQSClient } from "@aws-sdk/client-sqs";
import { consume } from "../../src/consumer/index.ts";

const [downFile = ""] = process.argv.slice(2);
const { MILLPOND_QUEUE_URL = "" } = process.env;
const client = new SQSClient({ credentials: { accessKeyId: "test", secretAccessKey: "test" } });
const consumer = consume({
  queue: MILLPOND_QUEUE_URL,
  client,
  decode: "text",
  waitSeconds: 1,
  abortPolls: true,
  retry: { delay: 0 },
  breaker: { minSamples: 2, openFor: "500ms" },
  handler: () => {
    if (existsSync(downFile)) throw new Error("connection refused");
  },
});
process.on("SIGTERM", () => void consumer.stop().then(() => client.destroy()));
// Words of its own on the channel are none of the supervisor's business.
process.send?.("ready");
await consumer.start();
