// npm run bench:consumer -- [--seconds S] [--json]
//
// millpond/consumer beside sqs-consumer, in one run against one server in memory, each in a process of its own with the
// same SDK client. A cell is handler time by concurrency; the two take turns within it. sqs-consumer is used as its
// users reach such a concurrency: so many consumers with a batch size of up to ten.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startServe } from "../../tests/support/server-process.ts";
import type { Measured, Order } from "./subject.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "4" }, json: { type: "boolean", default: false } },
});
const program = fileURLToPath(new URL("./subject.js", import.meta.url));
const server = startServe(["--memory", "--log-level", "warn"]);
const endpoint = await server.ready;
const cells: (Order & Measured)[] = [];
try {
  for (const handlerMs of [0, 5, 50]) {
    for (const concurrency of [1, 10, 100]) {
      for (const subject of ["millpond/consumer", "sqs-consumer"] as const) {
        const order = { subject, endpoint, handlerMs, concurrency, seconds: Number(values.seconds) };
        cells.push({ ...order, ...(await run(order)) });
      }
    }
  }
} finally {
  await server.signal("SIGTERM");
}
if (values.json) console.log(JSON.stringify(cells));
else print(cells);

function run(order: Order): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--no-warnings", program, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.once("close", (code) => {
      if (code === 0) resolve(JSON.parse(output));
      else reject(new Error(`${order.subject} ended with ${code}`));
    });
  });
}

function print(rows: (Order & Measured)[]): void {
  console.log("| handler | concurrency | consumer | messages/s | receives/message | deletes/message |");
  console.log("|---|---|---|---|---|---|");
  for (const row of rows) {
    const { handlerMs, concurrency, subject, messages, seconds, receives, deletes } = row;
    const rate = Math.round(messages / seconds).toLocaleString("en");
    const per = (calls: number) => (calls / Math.max(1, messages)).toFixed(2);
    console.log(`| ${handlerMs} ms | ${concurrency} | ${subject} | ${rate} | ${per(receives)} | ${per(deletes)} |`);
  }
}
