// The fuzz tests for as long as you like: npm run fuzz -- --minutes N [--seed S] [--only http-sockets]

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    only: {
      type: "string",
      multiple: true,
      default: ["wire", "codecs", "log", "http-sockets", "http-node", "fronts-agree", "idle-connections"],
    },
  },
});
const files = values.only.map((name) => join(import.meta.dirname, `${name}.test.js`));
const missing = files.find((file) => !existsSync(file));
if (!(Number(values.minutes) > 0) || missing !== undefined) {
  console.error(missing === undefined ? "--minutes takes a number above 0." : `There is no ${missing}.`);
  process.exit(2);
}
const env = {
  ...process.env,
  FUZZ_MINUTES: values.minutes,
  ...(values.seed === undefined ? {} : { FUZZ_SEED: values.seed }),
};
const flags = ["--enable-source-maps", "--test", "--test-reporter=spec", "--test-concurrency=1"];
const { status } = spawnSync(process.execPath, [...flags, ...files], { stdio: "inherit", env });
process.exit(status ?? 1);
