import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, logOf, openWorld, ran } from "./world.ts";

const world = openWorld();

test("a Python function gets event and context, and its second invocation is warm", async () => {
  const running = world.startFile(
    "context/app.py",
    `import os
def handler(event, context):
    return {"event": event, "id": context.aws_request_id, "name": context.function_name,
            "arn": context.invoked_function_arn, "memory": context.memory_limit_in_mb,
            "left": context.get_remaining_time_in_millis(), "custom": context.client_context and context.client_context.custom,
            "trace": os.environ.get("_X_AMZN_TRACE_ID"), "pid": os.getpid(), "endpoint": os.environ["AWS_ENDPOINT_URL"]}
`,
  );
  const cold = await ran(
    running,
    { ä: ["ü", 1] },
    { requestId: "first", traceHeader: "Root=1", clientContext: '{"custom":{"a":1}}' },
  );
  const { left, pid, ...seen } = answer(cold);
  assert.deepEqual(seen, {
    event: { ä: ["ü", 1] },
    id: "first",
    name: "orders",
    arn: "arn:aws:lambda:eu-central-1:000000000000:function:orders",
    memory: "256",
    custom: { a: 1 },
    trace: "Root=1",
    endpoint: "http://127.0.0.1:9324",
  });
  assert.ok(left > 5000 && left <= 10_000);
  const warm = await ran(running);
  assert.deepEqual([answer(warm).pid, warm.coldStart, answer(warm).trace], [pid, false, null]);
});

test("an exception is reported with type, message and stackTrace, and the process goes on", async () => {
  const running = world.startFile(
    "raises/app.py",
    `import sys
class OrderMissing(Exception): pass
def find(number):
    raise OrderMissing(f"no order {number}")
def handler(event, context):
    if event["how"] == "raise": find(7)
    if event["how"] == "set": return {1, 2}
    if event["how"] == "large": return "x" * 6291556
    if event["how"] == "exit": sys.exit(1)
    return "fine"
`,
  );
  const raised = await ran(running, { how: "raise" }, { requestId: "bad" });
  const { stackTrace, ...error } = answer(raised);
  assert.deepEqual(error, { errorMessage: "no order 7", errorType: "OrderMissing", requestId: "bad" });
  assert.equal(stackTrace.length, 2);
  assert.match(
    stackTrace[0],
    /^ {2}File ".*app\.py", line 6, in handler\n {4}if event\["how"\] == "raise": find\(7\)\n$/,
  );
  assert.equal(raised.functionError, "Unhandled");
  assert.match(logOf(raised), /\[ERROR\] OrderMissing: no order 7\nTraceback \(most recent call last\):\n {2}File/);
  const unfit = answer(await ran(running, { how: "set" }));
  assert.deepEqual(
    [unfit.errorType, unfit.errorMessage],
    ["Runtime.MarshalError", "Unable to marshal response: Object of type set is not JSON serializable"],
  );
  assert.equal((await ran(running, { how: "large" })).errorType, "Function.ResponseSizeTooLarge");
  assert.equal((await ran(running, { how: "" })).coldStart, false);
  assert.match(answer(await ran(running, { how: "exit" })).errorMessage, /Runtime exited with error: exit status 1$/);
});

test("what cannot be loaded is the first invocation's error", async () => {
  const lonely = world.startFile("lonely/app.py", "import no_such_module\n");
  assert.deepEqual(answer(await ran(lonely)), {
    errorType: "Runtime.ImportModuleError",
    errorMessage: "Unable to import module 'app': No module named 'no_such_module'",
    requestId: "",
    stackTrace: [],
  });
  const broken = world.startFile("broken/app.py", "def handler(:\n");
  assert.equal((await ran(broken)).errorType, "Runtime.UserCodeSyntaxError");
  const bare = world.startFile("bare/app.py", "x = 1\n");
  assert.equal(answer(await ran(bare)).errorMessage, "Handler 'handler' missing on module 'app'");
});

test("print and logging reach the log of their invocation", async () => {
  const running = world.startFile(
    "logs/app.py",
    `import logging
def handler(event, context):
    print("printed")
    logging.warning("careful")
    logging.info("not shown")
`,
  );
  const log = logOf(await ran(running, {}, { requestId: "one" }));
  assert.match(log, /START RequestId: one[^\n]*\nprinted\n\[WARNING\]\t[\d-]+T[\d:.]+Z\tone\tcareful\nEND/);
});
