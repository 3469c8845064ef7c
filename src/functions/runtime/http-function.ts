// A function behind a URL that speaks the Lambda invoke contract: a container with the runtime interface emulator, or
// any web service. Its process is somebody else's; the time limit, the throttling and the frame of the log are ours.

import type { IncomingMessage } from "node:http";
import { Agent, request as httpRequest } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import type { Clock } from "../../base/clock.ts";
import { hidePassword } from "../../base/hide-password.ts";
import { FUNCTION_RESPONSE_BYTES_MAX } from "../../engine/function-limits.ts";
import type { FunctionError } from "./function-error.ts";
import { errorTypeOf, posted, responseTooLarge, timedOut } from "./function-error.ts";
import type { Job } from "./function-process.ts";
import type { FunctionSpec, InvokeOutcome } from "./function-spec.ts";
import { endLine, InvocationLog, reportLine, startLine } from "./invocation-log.ts";

export interface HttpFunctionOptions {
  clock: Clock;
  onLine(requestId: string | undefined, text: string): void;
}

const INVOKE_PATH = "/2015-03-31/functions/function/invocations";

export class HttpFunction {
  readonly idleCount = 0;
  readonly #spec: FunctionSpec;
  readonly #url: URL;
  readonly #options: HttpFunctionOptions;
  readonly #agent: Agent;
  readonly #stopCalls = new Set<() => void>();

  constructor(spec: FunctionSpec, url: string, options: HttpFunctionOptions) {
    this.#spec = spec;
    this.#url = new URL(url);
    if (this.#url.pathname === "/") this.#url.pathname = INVOKE_PATH;
    this.#options = options;
    this.#agent =
      this.#url.protocol === "https:" ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  }

  run(job: Job): void {
    const call = new HttpCall(this.#spec, job, this.#options);
    const stop = () => call.end({ status: "stopped" });
    this.#stopCalls.add(stop);
    call.start(this.#url, this.#agent, () => this.#stopCalls.delete(stop));
  }

  retire(): void {}

  async stop(): Promise<void> {
    for (const stop of this.#stopCalls) stop();
    this.#agent.destroy();
  }
}

/** One request and its answer. Ends once, by whatever comes first. */
class HttpCall {
  readonly #spec: FunctionSpec;
  readonly #job: Job;
  readonly #options: HttpFunctionOptions;
  readonly #log = new InvocationLog();
  readonly #startedAtMs = performance.now();
  #functionError: "Unhandled" | "Handled" = "Unhandled";
  #onEnd: (() => void) | undefined;
  #abandon: () => void = () => {};

  constructor(spec: FunctionSpec, job: Job, options: HttpFunctionOptions) {
    this.#spec = spec;
    this.#job = job;
    this.#options = options;
  }

  start(url: URL, agent: Agent, onEnd: () => void): void {
    const { clock } = this.#options;
    const { payload, options } = this.#job;
    this.#print(startLine(options.requestId, this.#spec.version));
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = send(url, { method: "POST", agent, headers: this.#headers() }, (response) => this.#read(response));
    const deadline = clock.setTimer(clock.nowMs() + this.#spec.timeoutMs, () => {
      this.#finish(timedOut(options.requestId, this.#spec.timeoutMs));
    });
    this.#onEnd = () => {
      deadline.cancel();
      onEnd();
    };
    this.#abandon = () => request.destroy();
    request.on("error", (error) => {
      this.end({
        status: "cannotRun",
        message: `Function ${this.#spec.name} is not there at ${hidePassword(url.href)}: ${error.message}`,
      });
    });
    request.end(payload);
  }

  end(outcome: InvokeOutcome): void {
    const onEnd = this.#onEnd;
    if (onEnd === undefined) return;
    this.#onEnd = undefined;
    onEnd();
    this.#job.finish(outcome);
    if (outcome.status !== "ran" || outcome.functionError !== undefined) this.#abandon();
  }

  #headers(): Record<string, string | number> {
    const { payload, options } = this.#job;
    const { clientContext, traceHeader } = options;
    return {
      "content-type": "application/json",
      "content-length": payload.length,
      "x-amzn-requestid": options.requestId,
      "x-amz-log-type": "Tail",
      ...(clientContext === undefined ? {} : { "x-amz-client-context": Buffer.from(clientContext).toString("base64") }),
      ...(traceHeader === undefined ? {} : { "x-amzn-trace-id": traceHeader }),
    };
  }

  #read(response: IncomingMessage): void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= FUNCTION_RESPONSE_BYTES_MAX) chunks.push(chunk);
      else this.#finish(responseTooLarge(FUNCTION_RESPONSE_BYTES_MAX));
    });
    response.on("end", () => this.#judge(response, Buffer.concat(chunks)));
    response.on("error", () => this.#finish(cutOff(this.#spec.name)));
  }

  #judge(response: IncomingMessage, body: Buffer): void {
    const status = response.statusCode as number;
    if (status === 429) return this.end({ status: "throttled", reason: "ConcurrentInvocationLimitExceeded" });
    if (status < 200 || status > 299) return this.#finish(httpStatus(status, body));
    const theirLog = response.headers["x-amz-log-result"];
    if (typeof theirLog === "string") {
      const text = Buffer.from(theirLog, "base64").toString();
      for (const line of text.replace(/\n$/, "").split("\n")) if (!FRAME.test(line)) this.#print(line);
    }
    // The emulator answers a function's error without the header: then the body's shape has to say it.
    const isError = response.headers["x-amz-function-error"] !== undefined || errorTypeOf(body) !== undefined;
    this.#functionError = response.headers["x-amz-function-error"] === "Handled" ? "Handled" : "Unhandled";
    this.#finish(isError ? posted(body, undefined) : undefined, body);
  }

  #finish(error: FunctionError | undefined, payload: Uint8Array = error?.body ?? new Uint8Array(0)): void {
    if (this.#onEnd === undefined) return;
    const { requestId } = this.#job.options;
    const isTimeout = error?.reportStatus === "timeout";
    const durationMs = isTimeout ? this.#spec.timeoutMs : performance.now() - this.#startedAtMs;
    const figures = { durationMs, billedMs: Math.ceil(durationMs), initMs: 0, coldStart: false, memoryUsedMb: 0 };
    for (const line of error?.logText?.split("\n") ?? []) this.#print(line);
    this.#print(endLine(requestId));
    this.#print(reportLine({ requestId, ...figures, memoryMb: this.#spec.memoryMb, error }));
    const failed = error === undefined ? {} : { functionError: this.#functionError, errorType: error.errorType };
    this.end({ status: "ran", payload, logTail: this.#log.tail(), ...figures, ...failed });
  }

  #print(text: string): void {
    this.#log.add(text);
    this.#options.onLine(this.#job.options.requestId, text);
  }
}

/** Lines that frame an invocation; we print our own. */
const FRAME = /^(?:START|END|REPORT) RequestId: /;
const BODY_SHOWN_CHARACTERS = 200;

function httpStatus(status: number, body: Buffer): FunctionError {
  const shown = body.toString().slice(0, BODY_SHOWN_CHARACTERS);
  return failure(`The function's endpoint answered with HTTP status ${status}: ${shown}`);
}

function cutOff(name: string): FunctionError {
  return failure(`The endpoint of function ${name} closed the connection before its answer was whole.`);
}

/** Not an error of Lambda's: it has no such form of function. */
function failure(errorMessage: string): FunctionError {
  const errorType = "Millpond.EndpointError";
  return {
    errorType,
    body: Buffer.from(JSON.stringify({ errorType, errorMessage })),
    logText: errorMessage,
    reportStatus: "error",
  };
}
