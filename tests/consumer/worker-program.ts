// A consumer as a process of its own, to be killed: writes a line for each effect, fails and blocks at random.
//
//   node worker-program.js ENDPOINT QUEUE EFFECTS_FILE SEED [block]

import { openSync, writeSync } from "node:fs";
import { SQSClient } from "@aws-sdk/client-sqs";
import { consume } from "../../src/consumer/index.ts";
import { seededRandom } from "../support/seeded-random.ts";

const [endpoint = "", queue = "", file = "", seed = "1", mode] = process.argv.slice(2);
const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const client = new SQSClient({ endpoint, region: "us-east-1", credentials });
const random = seededRandom(Number(seed));
const effects = openSync(file, "a");

/** Longer than the queue's visibility timeout of 2 s. */
const BLOCKED_MS = 2500;

const consumer = consume<string>({
  queue,
  client,
  decode: "text",
  concurrency: 20,
  waitSeconds: 1,
  heartbeat: { thread: true },
  retry: { delay: 0 },
  handler: async ({ body }) => {
    if (random.chance(0.02)) throw new Error("one of many failures");
    if (random.chance(0.5)) await new Promise((resolve) => setTimeout(resolve, random.between(0, 8)));
    if (mode === "block" && random.chance(0.0005)) block(BLOCKED_MS);
    writeSync(effects, `${body}\n`);
  },
});
consumer.on("error", () => undefined);
process.on("SIGTERM", () => {
  void consumer.stop({ drain: "5s" }).then((report) => {
    process.stdout.write(JSON.stringify({ report, stats: consumer.stats() }));
    client.destroy();
  });
});
await consumer.start();
process.stdout.write("ready\n");

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
