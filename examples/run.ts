// npm run example -- s1-charged-twice
//
// Tells a story in real time against the server that AWS_ENDPOINT_URL names, or a `npm start` on this machine.

import { existsSync, readdirSync } from "node:fs";
import { SQSClient } from "@aws-sdk/client-sqs";
import { systemClock } from "../src/base/clock.ts";
import type { Stage } from "./stage.ts";

const here = new URL("./", import.meta.url);
const [name = ""] = process.argv.slice(2);
const stories = readdirSync(here).filter((folder) => existsSync(new URL(`${folder}/story.js`, here)));
// Other scripts of a story that are run by themselves.
const variants = ["s9-flash-sale/supervised"];

if (!stories.includes(name) && !variants.includes(name)) {
  console.error(`npm run example -- NAME, where NAME is one of:\n  ${[...stories, ...variants].sort().join("\n  ")}`);
  process.exit(2);
}
const { story } = (await import(variants.includes(name) ? `./${name}.js` : `./${name}/story.js`)) as {
  story: (stage: Stage) => Promise<unknown>;
};
const sqs = new SQSClient({
  // The example is for a server on this machine unless somebody says otherwise, never for AWS by accident.
  endpoint: process.env["AWS_ENDPOINT_URL"] ?? "http://127.0.0.1:4566",
  region: process.env["AWS_REGION"] ?? "us-east-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
});
await story({ sqs, clock: systemClock, say: (line) => console.log(line) });
sqs.destroy();
