import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, invoke, logOf, openWorld, ran } from "./world.ts";

const world = openWorld();

test("a function gets event, context and environment, and its second invocation is warm", async () => {
  const running = world.startFile(
    "context/index.mjs",
    `export const handler = async (event, context) => ({
      event, id: context.awsRequestId, arn: context.invokedFunctionArn, memory: context.memoryLimitInMB,
      left: context.getRemainingTimeInMillis(), client: context.clientContext, trace: process.env._X_AMZN_TRACE_ID,
      environment: process.env, flags: process.execArgv, pid: process.pid,
    });`,
    { environment: { TABLE: "orders", AWS_REGION: "elsewhere", AWS_ENDPOINT_URL: "http://mine" } },
  );
  const cold = await ran(
    running,
    { n: 1 },
    { requestId: "first", traceHeader: "Root=1-2", clientContext: '{"custom":{"grüße":"1"}}' },
  );
  const seen = answer(cold);
  assert.deepEqual(seen.event, { n: 1 });
  assert.equal(seen.id, "first");
  assert.equal(seen.arn, "arn:aws:lambda:eu-central-1:000000000000:function:orders");
  assert.equal(seen.memory, "256");
  assert.ok(seen.left > 5000 && seen.left <= 10_000, `${seen.left} ms left of 10,000`);
  assert.deepEqual(seen.client, { custom: { grüße: "1" } });
  assert.equal(seen.trace, "Root=1-2");
  assert.equal(seen.environment.TABLE, "orders");
  assert.equal(seen.environment.AWS_REGION, "eu-central-1", "reserved names are Lambda's");
  assert.equal(seen.environment.AWS_ENDPOINT_URL, "http://mine", "where its SDK goes is the function's to change");
  assert.equal(seen.environment.AWS_ACCESS_KEY_ID, "key");
  assert.equal(seen.environment.AWS_LAMBDA_FUNCTION_NAME, "orders");
  assert.equal(seen.environment._HANDLER, "index.handler");
  assert.equal(seen.environment.npm_lifecycle_event, undefined, "nothing else of the server's environment");
  assert.ok(seen.flags.includes("--max-old-space-size=230"));
  assert.equal(cold.coldStart, true);
  assert.ok(cold.initMs > 0 && cold.billedMs >= cold.initMs);

  const warm = await ran(running);
  assert.equal(warm.coldStart, false);
  assert.equal(answer(warm).pid, seen.pid);
  assert.equal(answer(warm).trace, undefined);
  assert.equal(running.counts().coldStarts, 1);
});

test("handlers may be CommonJS, take a callback, or nest in an object", async () => {
  const callback = world.startFile(
    "callback/index.cjs",
    `exports.handler = (event, context, done) => {
      setTimeout(() => done(null, "answered"), 1);
      setTimeout(() => { exports.late = true; }, 60);
    };`,
  );
  const waits = await ran(callback);
  assert.equal(answer(waits), "answered");
  assert.ok(waits.durationMs >= 55, "the answer waits for the event loop to be empty");

  const eager = world.startFile(
    "eager/index.cjs",
    `exports.handler = (event, context, done) => {
      context.callbackWaitsForEmptyEventLoop = false;
      setTimeout(() => {}, 30_000);
      done(null, "at once");
    };`,
  );
  assert.equal(answer(await ran(eager)), "at once");

  const path = world.write("nested/index.mjs", "export const api = { get: async () => undefined };");
  const nested = world.start({ form: "file", path, handler: "api.get", watch: false });
  assert.equal(answer(await ran(nested)), null, "no answer is null");
});

test("an error is reported with type, message and trace, and the process goes on", async () => {
  const running = world.startFile(
    "throws/index.mjs",
    `class OrderMissing extends Error { name = "OrderMissing"; }
    export const handler = async ({ how }) => {
      if (how === "throw") throw new OrderMissing("no order 7");
      if (how === "text") throw "just text";
      return "fine";
    };`,
  );
  const thrown = await ran(running, { how: "throw" });
  assert.equal(thrown.functionError, "Unhandled");
  assert.equal(thrown.errorType, "OrderMissing");
  const { errorType, errorMessage, trace } = answer(thrown);
  assert.deepEqual([errorType, errorMessage, trace[0]], ["OrderMissing", "no order 7", "OrderMissing: no order 7"]);
  assert.match(trace[1], /at handler \(.*throws\/index\.mjs:3/);
  assert.equal(trace.length, 2, "the runtime's own frames are left out");
  assert.match(logOf(thrown), /\tERROR\tInvoke Error \t\{"errorType":"OrderMissing"/);
  assert.deepEqual(answer(await ran(running, { how: "text" })), {
    errorType: "string",
    errorMessage: "just text",
    trace: [],
  });
  const fine = await ran(running, { how: "" });
  assert.equal(fine.coldStart, false);
  assert.equal(fine.functionError, undefined);
});

test("what nobody catches ends the process and is the answer", async () => {
  const running = world.startFile(
    "uncaught/index.mjs",
    `export const handler = async ({ how }) => {
      if (how === "timer") { setTimeout(() => { throw new Error("late") }, 1); await new Promise((r) => setTimeout(r, 500)); }
      if (how === "rejection") { Promise.reject(new Error("lost")); await new Promise((r) => setTimeout(r, 500)); }
      if (how === "never") await new Promise(() => {});
      return "fine";
    };`,
  );
  const late = await ran(running, { how: "timer" });
  assert.deepEqual([late.errorType, answer(late).errorMessage], ["Error", "late"]);
  const lost = await ran(running, { how: "rejection" });
  assert.deepEqual([lost.errorType, answer(lost).errorMessage], ["Runtime.UnhandledPromiseRejection", "lost"]);
  const never = await ran(running, { how: "never" });
  assert.equal(never.errorType, "Runtime.NodeJsExit");
  const fine = await ran(running, { how: "" });
  assert.equal(fine.coldStart, true, "a process that died is replaced");
});

test("a process that exits or is killed is reported as Lambda does", async () => {
  const running = world.startFile(
    "exits/index.mjs",
    `export const handler = async ({ code, signal }) => {
      if (signal) process.kill(process.pid, signal);
      process.exit(code);
    };`,
  );
  for (const [event, reason] of [
    [{ code: 3 }, "Runtime exited with error: exit status 3"],
    [{ code: 0 }, "Runtime exited without providing a reason"],
    [{ signal: "SIGKILL" }, "Runtime exited with error: signal: killed"],
  ] as const) {
    const result = await ran(running, event, { requestId: "gone" });
    assert.deepEqual(answer(result), {
      errorType: "Runtime.ExitError",
      errorMessage: `RequestId: gone Error: ${reason}`,
    });
    assert.match(
      logOf(result),
      /Runtime\.ExitError\nEND RequestId: gone\nREPORT .*\tStatus: error\tError Type: Runtime\.ExitError\t/,
    );
  }
});

test("what cannot be loaded is the first invocation's error", async () => {
  const broken = world.startFile("broken/index.mjs", "export const handler = async () => {");
  assert.equal((await ran(broken)).errorType, "Runtime.UserCodeSyntaxError");
  const lonely = world.startFile(
    "lonely/index.mjs",
    'import "no-such-package"; export const handler = async () => {};',
  );
  assert.equal((await ran(lonely)).errorType, "Runtime.ImportModuleError");
  const bare = world.startFile("bare/index.mjs", "export const other = 1;");
  const result = await ran(bare);
  assert.deepEqual(
    [result.functionError, answer(result).errorType, answer(result).errorMessage],
    ["Unhandled", "Runtime.HandlerNotFound", "index.handler is undefined or not exported"],
  );
  const quits = world.startFile("quits/index.mjs", "process.exit(5);");
  assert.match(answer(await ran(quits)).errorMessage, /Runtime exited with error: exit status 5/);
});

test("an answer that is too large or no JSON is an error of the function", async () => {
  const running = world.startFile(
    "large/index.mjs",
    `export const handler = async ({ bytes }) => bytes === undefined ? { n: 1n } : "x".repeat(bytes);`,
  );
  const largest = await ran(running, { bytes: 6_291_554 });
  assert.deepEqual([largest.functionError, largest.payload.length], [undefined, 6_291_556]);
  const over = await ran(running, { bytes: 6_291_555 });
  assert.deepEqual(answer(over), {
    errorType: "Function.ResponseSizeTooLarge",
    errorMessage: "Response payload size exceeded maximum allowed payload size (6291556 bytes).",
  });
  const odd = await ran(running, {});
  assert.equal(answer(odd).errorMessage, "Unable to stringify response body");
  assert.equal(odd.coldStart, false, "none of this ends the process");
});

test("the log is framed per invocation, its tail is the last 4 KiB, and a listener sees every line at once", async () => {
  const running = world.startFile(
    "logs/index.mjs",
    `console.log("loading");
    export const handler = async ({ lines }) => {
      for (let i = 0; i < lines; i++) console.log("line", i, "\\nand on");
      process.stderr.write("no end");
    };`,
  );
  const seen: string[] = [];
  const leave = running.onLog(({ requestId, text }) => seen.push(`${requestId}: ${text}`));
  const cold = logOf(await ran(running, { lines: 1 }, { requestId: "one" })).split("\n");
  assert.match(cold[0] as string, /^INIT_START Runtime Version: node v/);
  assert.match(cold[1] as string, /^\d{4}-.*Z\tundefined\tINFO\tloading$/);
  assert.equal(cold[2], "START RequestId: one Version: $LATEST");
  assert.ok(cold.some((line) => /Z\tone\tINFO\tline 0 \rand on$/.test(line)));
  assert.ok(cold.includes("no end"));
  assert.equal(cold.at(-3), "END RequestId: one");
  assert.match(
    cold.at(-2) as string,
    /^REPORT RequestId: one\tDuration: [\d.]+ ms\tBilled Duration: \d+ ms\tMemory Size: 256 MB\tMax Memory Used: \d+ MB\tInit Duration: [\d.]+ ms\t$/,
  );
  assert.ok(seen.includes("one: no end") && seen.some((line) => line.startsWith("undefined: INIT_START")));
  leave();

  const long = await ran(running, { lines: 500 }, { requestId: "two" });
  assert.equal(Buffer.from(long.logTail, "base64").length, 4096);
  const tail = logOf(long).trimEnd().split("\n");
  assert.doesNotMatch(tail.at(-1) as string, /Init Duration/);
  assert.ok(tail.some((line) => line.includes("line 499")));
  const next = logOf(await ran(running, { lines: 0 }, { requestId: "three" }));
  assert.doesNotMatch(next, /two/);
});

test("TypeScript runs as it is, and an error's trace names the line of the source", async () => {
  world.write("typed/price.ts", "export const price = (n: number): number => n * 2;");
  const running = world.startFile(
    "typed/index.ts",
    `import { price } from "./price.js";
    interface Order {
      n: number;
    }
    export const handler = async (event: Order) => {
      if (event.n < 0) throw new RangeError("negative");
      return price(event.n);
    };`,
  );
  assert.equal(answer(await ran(running, { n: 4 })), 8);
  assert.match(answer(await ran(running, { n: -1 })).trace[1], /index\.ts:6/);
});

test("a missing file, or one that is no program, cannot run and says so", async () => {
  const path = `${world.folder}/nowhere.mjs`;
  const missing = world.start({ form: "file", path, handler: "handler", watch: false });
  assert.deepEqual(await invoke(missing, {}), {
    status: "cannotRun",
    message: `The function's file ${path} does not exist.`,
  });
  const odd = world.start({ form: "file", path: "/etc/passwd", handler: "handler", watch: false });
  assert.match(JSON.stringify(await invoke(odd, {})), /its name must end in \.js \.mjs/);
});
