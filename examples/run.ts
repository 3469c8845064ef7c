// npm run example -- s1-charged-twice
//
// Tells a story in real time against the server that AWS_ENDPOINT_URL names, or a `npm start` on this machine.

import { existsSync, readdirSync } from "node:fs";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import { systemClock } from "../src/base/clock.ts";
import type { FunctionStage } from "./functions.ts";
import type { TopicStage } from "./topics.ts";

const here = new URL("./", import.meta.url);
const [name = ""] = process.argv.slice(2);
const stories = readdirSync(here).filter((folder) => existsSync(new URL(`${folder}/story.js`, here)));
// Other scripts of a story that are run by themselves.
const variants = ["s9-flash-sale/supervised", "s11-dead-downstream/mapping"];

if (!stories.includes(name) && !variants.includes(name)) {
  console.error(`npm run example -- NAME, where NAME is one of:\n  ${[...stories, ...variants].sort().join("\n  ")}`);
  process.exit(2);
}
const { story } = (await import(variants.includes(name) ? `./${name}.js` : `./${name}/story.js`)) as {
  story: (stage: FunctionStage & TopicStage) => Promise<unknown>;
};
const choices = {
  // The example is for a server on this machine unless somebody says otherwise, never for AWS by accident.
  endpoint: process.env["AWS_ENDPOINT_URL"] ?? "http://127.0.0.1:4566",
  region: process.env["AWS_REGION"] ?? "us-east-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
};
const [sqs, sns, lambda] = [new SQSClient(choices), new SNSClient(choices), new LambdaClient(choices)];
const { endpoint } = choices;
await story({ sqs, sns, lambda, endpoint, clock: systemClock, say: (line) => console.log(line) }).catch((error) => {
  if (error.code !== "ECONNREFUSED") throw error;
  console.error(`No server answers at ${choices.endpoint}. Start one with "npm start" in another terminal.`);
  process.exitCode = 1;
});
sqs.destroy();
sns.destroy();
lambda.destroy();
