// The program that a Node function's process runs: loads the handler, asks the Runtime API for invocations and posts
// what comes of them. Runs in the function's process, not in the server; imports nothing of ours but its two parts, and
// reads the environment because that is how a runtime is told everything.
//
//   node node-runtime.js                      the handler is in _HANDLER, below LAMBDA_TASK_ROOT
//   node node-runtime.js FILE EXPORT          a file on disk

import { format } from "node:util";
import { connect, type RuntimeConnection } from "./node-runtime-connection.ts";
import { loadHandler } from "./node-runtime-handler.ts";

interface Invocation {
  requestId: string;
  headers: Map<string, string>;
  body: Buffer;
}

interface HandlerContext {
  callbackWaitsForEmptyEventLoop: boolean;
  [name: string]: unknown;
}

type Handler = (
  event: unknown,
  context: HandlerContext,
  callback: (error: unknown, result?: unknown) => void,
) => unknown;

const environment = process.env;
const NEVER_SETTLED =
  "The Lambda runtime client detected an unexpected Node.js exit code. This is most commonly caused by a Promise that " +
  "was never settled. For more information, see https://nodejs.org/docs/latest/api/process.html#exit-codes";
/** Lambda's exit codes for what nobody caught. */
const EXIT_UNHANDLED_REJECTION = 128;
const EXIT_UNCAUGHT_EXCEPTION = 129;

const OWN_FILES = new URL("./node-runtime", import.meta.url).href;

let requestId = "";
/** What to do when the event loop has nothing left while an invocation is under way. */
let onEmptyLoop: (() => void) | undefined;

main();

function main(): void {
  patchConsole();
  const connection = connect(environment["AWS_LAMBDA_RUNTIME_API"] as string, (headers, body) => {
    invoke({ requestId: headers.get("lambda-runtime-aws-request-id") as string, headers, body });
  });
  process.on("beforeExit", () => onEmptyLoop?.());
  process.on("uncaughtException", (error) => dieOf("Uncaught Exception", error, EXIT_UNCAUGHT_EXCEPTION));
  process.on("unhandledRejection", (reason) => {
    const error = Object.assign(new Error(reason instanceof Error ? reason.message : String(reason)), {
      name: "Runtime.UnhandledPromiseRejection",
      reason,
    });
    dieOf("Unhandled Promise Rejection", error, EXIT_UNHANDLED_REJECTION);
  });
  let handler: Handler;
  let isInitialized = false;

  const [, , file, exportName] = process.argv;
  loadHandler(environment as Record<string, string>, file, exportName).then(
    (loaded) => {
      handler = loaded as Handler;
      isInitialized = true;
      connection.next();
    },
    (error) => dieOf("Uncaught Exception", error, 1),
  );

  function invoke(invocation: Invocation): void {
    requestId = invocation.requestId;
    const traceId = invocation.headers.get("lambda-runtime-trace-id");
    if (traceId === undefined) delete environment["_X_AMZN_TRACE_ID"];
    else environment["_X_AMZN_TRACE_ID"] = traceId;
    let isSettled = false;
    const settle = (post: () => void) => {
      if (isSettled) return;
      isSettled = true;
      onEmptyLoop = undefined;
      connection.hold();
      post();
    };
    const succeed = (result: unknown) => settle(() => postResult(connection, result));
    const fail = (error: unknown) => settle(() => postError(connection, error));
    const context = contextOf(invocation, succeed, fail);
    const callback = (error: unknown, result?: unknown) => {
      const answer = () => (error === null || error === undefined ? succeed(result) : fail(error));
      if (context.callbackWaitsForEmptyEventLoop) onEmptyLoop = answer;
      else setImmediate(answer);
    };
    // The connection alone must not keep the loop busy: an empty loop means that the handler waits for nothing.
    connection.release();
    onEmptyLoop = () => succeed(null);
    try {
      const result = handler(JSON.parse(invocation.body.toString()), context, callback);
      if (!isThenable(result)) return;
      onEmptyLoop = () => dieOf("", Object.assign(new Error(NEVER_SETTLED), { name: "Runtime.NodeJsExit" }), 1);
      result.then(succeed, fail);
    } catch (error) {
      fail(error);
    }
  }

  function dieOf(what: string, error: unknown, exitCode: number): void {
    const runtimeError = errorOf(error);
    if (what !== "") printError(what, error);
    const body = JSON.stringify(runtimeError);
    onEmptyLoop = undefined;
    const exit = () => process.exit(exitCode);
    whenPrinted(() => {
      if (!isInitialized) connection.post("init/error", body, runtimeError.errorType, exit);
      else if (requestId !== "") connection.post(`invocation/${requestId}/error`, body, runtimeError.errorType, exit);
      else exit();
    });
  }
}

function postResult(connection: RuntimeConnection, result: unknown): void {
  let body: string;
  try {
    body = JSON.stringify(result) ?? "null";
  } catch {
    return postError(connection, new Error("Unable to stringify response body"));
  }
  whenPrinted(() => {
    const answered = requestId;
    requestId = "";
    connection.postAndNext(`invocation/${answered}/response`, body, undefined);
  });
}

function postError(connection: RuntimeConnection, error: unknown): void {
  printError("Invoke Error", error);
  const runtimeError = errorOf(error);
  whenPrinted(() => {
    const answered = requestId;
    requestId = "";
    connection.postAndNext(`invocation/${answered}/error`, JSON.stringify(runtimeError), runtimeError.errorType);
  });
}

/** More than a pipe holds is still in this process; once it is answered, it would count as the next invocation's. */
function whenPrinted(run: () => void): void {
  const full = [process.stdout, process.stderr].find((stream) => stream.writableLength > 0);
  if (full === undefined) run();
  else full.write("", () => whenPrinted(run));
}

function contextOf(
  { headers }: Invocation,
  succeed: (result: unknown) => void,
  fail: (error: unknown) => void,
): HandlerContext {
  const deadlineMs = Number(headers.get("lambda-runtime-deadline-ms"));
  const clientContext = headers.get("lambda-runtime-client-context");
  const identity = headers.get("lambda-runtime-cognito-identity");
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: environment["AWS_LAMBDA_FUNCTION_NAME"],
    functionVersion: environment["AWS_LAMBDA_FUNCTION_VERSION"],
    invokedFunctionArn: headers.get("lambda-runtime-invoked-function-arn"),
    memoryLimitInMB: environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"],
    awsRequestId: requestId,
    logGroupName: environment["AWS_LAMBDA_LOG_GROUP_NAME"],
    logStreamName: environment["AWS_LAMBDA_LOG_STREAM_NAME"],
    clientContext: clientContext === undefined ? undefined : JSON.parse(clientContext),
    identity: identity === undefined ? undefined : JSON.parse(identity),
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
    succeed,
    fail,
    done: (error: unknown, result: unknown) => (error === null || error === undefined ? succeed(result) : fail(error)),
  };
}

function errorOf(error: unknown): { errorType: string; errorMessage: string; trace: string[] } {
  if (error instanceof Error || isErrorLike(error)) {
    return {
      errorType: error.name,
      errorMessage: error.message,
      trace: typeof error.stack === "string" ? withoutRuntime(error.stack.split("\n")) : [],
    };
  }
  return { errorType: typeof error, errorMessage: String(error), trace: [] };
}

/** Errors of another realm (a vm, a worker) are no `instanceof Error`. */
function isErrorLike(error: unknown): error is Error {
  return typeof error === "object" && error !== null && "name" in error && "message" in error && "stack" in error;
}

/** Up to the first frame of this program: what called the handler says nothing about the error. */
function withoutRuntime(trace: string[]): string[] {
  const own = trace.findIndex((line) => line.includes(OWN_FILES));
  return own < 0 ? trace : trace.slice(0, own);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

// The log, as Lambda's Node runtime writes it: time, request, level and text between tabs, on one line.

function patchConsole(): void {
  const levels = { log: "INFO", info: "INFO", debug: "DEBUG", warn: "WARN", error: "ERROR", trace: "TRACE" } as const;
  for (const [method, level] of Object.entries(levels))
    console[method as keyof typeof levels] = (...parts: unknown[]) => print(level, format(...parts));
}

function printError(what: string, error: unknown): void {
  const { errorType, errorMessage, trace } = errorOf(error);
  const own = typeof error === "object" && error !== null ? error : {};
  print("ERROR", `${what} \t${safeJson({ errorType, errorMessage, ...own, stack: trace })}`);
}

function safeJson(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return format(value);
  }
}

function print(level: string, text: string): void {
  // In CloudWatch a line is an entry; \r keeps an entry of several lines together.
  const request = requestId === "" ? "undefined" : requestId;
  process.stdout.write(`${new Date().toISOString()}\t${request}\t${level}\t${text.replace(/\n/g, "\r")}\n`);
}
