// Stands in for a server that will be killed: two functions, one of them idle, one in a loop that never ends.

import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { FunctionRuntime } from "../../src/functions/runtime/index.ts";

const folder = process.argv[2] as string;
const runtime = new FunctionRuntime({
  clock: systemClock,
  idleKeepMs: 600_000,
  concurrencyMax: 10,
  surroundings: {
    endpointUrl: "http://127.0.0.1:9324",
    accessKeyId: "key",
    secretAccessKey: "secret",
    machineEnvironment: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
  },
});
const start = (path: string) =>
  runtime.start({
    name: "orphan",
    arn: "arn:aws:lambda:eu-central-1:000000000000:function:orphan",
    version: "$LATEST",
    code: { form: "file", path: join(folder, path), handler: "handler", watch: false },
    timeoutMs: 600_000,
    memoryMb: 128,
    environment: {},
  });
const busy = start("busy/index.mjs");
await start("idle/app.py").invoke(Buffer.from("{}"), { requestId: "idle" });
await busy.invoke(Buffer.from('{"spin":false}'), { requestId: "idle" });
await Promise.all([1, 2].map((n) => busy.invoke(Buffer.from('{"spin":true}'), { requestId: `busy-${n}` })));
