// Lambda's Runtime API on loopback, for one process. Each process gets an endpoint of its own, so what arrives here
// is known to come from it. The endpoint knows the routes, the body limits and the headers; whose turn it is, is for
// the process (`RuntimeCalls`) to say.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { FUNCTION_RESPONSE_BYTES_MAX } from "../../engine/function-limits.ts";

export interface NextInvocation {
  payload: Uint8Array;
  headers: Record<string, string>;
}

/** How a process that waits for work gets it. */
export interface NextCall {
  answer(invocation: NextInvocation): void;
}

export type PostVerdict = "accepted" | "unknownRequest" | "outOfTurn";

export interface RuntimeCalls {
  /** The process is ready for an invocation. False: it already waits on another connection. */
  next(call: NextCall): boolean;
  /** The connection on which it waited is gone. */
  nextGone(call: NextCall): void;
  /** The answer; undefined when it was over the limit. */
  response(requestId: string, body: Uint8Array | undefined): PostVerdict;
  error(requestId: string, body: Uint8Array, errorType: string | undefined): PostVerdict;
  initError(body: Uint8Array, errorType: string | undefined): PostVerdict;
}

const PREFIX = "/2018-06-01/runtime/";
const NEXT = `${PREFIX}invocation/next`;
const INIT_ERROR = `${PREFIX}init/error`;
const POSTS = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/;
/** Ours, not Lambda's: on a post, asks for the next invocation in place of 202. */
const AND_NEXT = "millpond-and-next";
const OK = JSON.stringify({ status: "OK" });

export class RuntimeApi {
  readonly #server: Server;
  readonly #calls: RuntimeCalls;
  #authority = "";

  constructor(calls: RuntimeCalls) {
    this.#calls = calls;
    // A process may wait for ever for its next invocation, and think for ever between two requests.
    this.#server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, noDelay: true });
    this.#server.on("request", (request, response) => this.#route(request, response));
  }

  /** The value of AWS_LAMBDA_RUNTIME_API. */
  listen(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", () => {
        this.#authority = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
        resolve(this.#authority);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #route(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = "" } = request;
    // A web page could call here too; a runtime is no browser and uses the address we gave it.
    if (request.headers.origin !== undefined || request.headers["sec-fetch-site"] !== undefined)
      return refuse(response, 403, "Forbidden", "Not for browsers");
    if (request.headers.host !== this.#authority) return refuse(response, 403, "Forbidden", "Wrong host");
    if (method === "GET" && url === NEXT) return this.#next(response);
    const post = method === "POST" ? POSTS.exec(url) : null;
    if (post !== null) return this.#post(request, response, post[1] as string, post[2] as "response" | "error");
    if (method === "POST" && url === INIT_ERROR) return this.#initError(request, response);
    refuse(response, 404, "NotFound", `Millpond's Runtime API has no ${method} ${url}`);
  }

  #next(response: ServerResponse): void {
    const call: NextCall = {
      answer: ({ payload, headers }) => {
        response.sendDate = false;
        headers["content-type"] = "application/json";
        headers["content-length"] = String(payload.length);
        response.writeHead(200, headers);
        response.end(payload);
      },
    };
    if (!this.#calls.next(call))
      return refuse(response, 403, "InvalidStateTransition", "next is already being waited for");
    response.on("close", () => this.#calls.nextGone(call));
  }

  #post(request: IncomingMessage, response: ServerResponse, requestId: string, kind: "response" | "error"): void {
    readBody(request, (body) => {
      const verdict =
        kind === "error"
          ? this.#calls.error(requestId, body ?? NO_BODY, errorTypeHeader(request))
          : this.#calls.response(requestId, body);
      if (body === undefined && kind === "response" && verdict === "accepted") return refuseTooLarge(response);
      // Our own clients take the next invocation for an answer, which halves the requests.
      if (verdict === "accepted" && request.headers[AND_NEXT] !== undefined) return this.#next(response);
      answerPost(response, verdict);
    });
  }

  #initError(request: IncomingMessage, response: ServerResponse): void {
    readBody(request, (body) => {
      answerPost(response, this.#calls.initError(body ?? NO_BODY, errorTypeHeader(request)));
    });
  }
}

const NO_BODY = new Uint8Array(0);

function errorTypeHeader(request: IncomingMessage): string | undefined {
  const header = request.headers["lambda-runtime-function-error-type"];
  return typeof header === "string" && header !== "" ? header : undefined;
}

/** Undefined for a body over the limit; it is read to its end, so that the sender reads our answer. */
function readBody(request: IncomingMessage, done: (body: Uint8Array | undefined) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= FUNCTION_RESPONSE_BYTES_MAX) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on("end", () => {
    if (bytes > FUNCTION_RESPONSE_BYTES_MAX) done(undefined);
    else done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  });
  // The process died while it sent; its end is reported by the process itself.
  request.on("error", () => {});
}

function refuseTooLarge(response: ServerResponse): void {
  const message = `Exceeded maximum allowed payload size (${FUNCTION_RESPONSE_BYTES_MAX} bytes).`;
  refuse(response, 413, "RequestEntityTooLarge", message);
}

function answerPost(response: ServerResponse, verdict: PostVerdict): void {
  if (verdict === "unknownRequest") return refuse(response, 400, "InvalidRequestID", "Invalid request ID");
  if (verdict === "outOfTurn") return refuse(response, 403, "InvalidStateTransition", "Not the time for this call");
  response.sendDate = false;
  response.writeHead(202, { "content-type": "application/json", "content-length": OK.length });
  response.end(OK);
}

function refuse(response: ServerResponse, status: number, errorType: string, errorMessage: string): void {
  const body = JSON.stringify({ errorMessage, errorType });
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}
