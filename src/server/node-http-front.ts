// The front on node:http. It bounds what a client can make us hold (body, headers, time to send them), tells the
// handler when a client hangs up, and drains on close. An exchange is reading, then handling, then answered; one that
// sends too much is discarding until the sender is done, so that it reads our answer rather than a broken pipe.
//
// A client that ends its sending side behind a request gets its answers, and then the connection ends. It cannot be
// told from one that is gone, so nothing waits on its account: who waits is told that the client hung up, and what is
// answered then is written all the same.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Fault } from "../base/fault.ts";
import type { Caller, FrontRequest, FrontResponse, HttpFront, HttpFrontOptions } from "./http-front.ts";

/** Query requests by GET carry the message in the request line. */
const HEADER_BYTES_MAX = 64 * 1024;
/** Longer than the idle time of common HTTP clients and load balancers, so that the other side closes first. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Nothing sent and nothing taken, while a request is under way: longer than any long poll, shorter than for ever. */
const STALLED_MS = 120_000;
const TIMEOUT_CHECK_MS = 5_000;
/** How much of a body over the limit is read and thrown away before the connection is cut instead. */
const DISCARD_BYTES_MAX = 32 * 1024 * 1024;
/**
 * How many requests of one connection may be under way: a client that sends ahead (pipelining) pays a few bytes for
 * each, we pay a request. At this many the connection is not read on until some are answered.
 */
const PIPELINED_MAX = 64;

const NO_BODY = new Uint8Array(0);
const BROKEN: FrontResponse = { status: 500, headers: { "content-type": "text/plain" }, body: "Internal error\n" };

export interface FrontTimeouts {
  keepAliveMs: number;
  headersMs: number;
  requestMs: number;
  /** For clients that do not take their answers. */
  stalledMs: number;
  checkMs: number;
}

const TIMEOUTS: FrontTimeouts = {
  keepAliveMs: KEEP_ALIVE_MS,
  headersMs: HEADERS_TIMEOUT_MS,
  requestMs: REQUEST_TIMEOUT_MS,
  stalledMs: STALLED_MS,
  checkMs: TIMEOUT_CHECK_MS,
};

export class NodeHttpFront implements HttpFront {
  readonly #options: HttpFrontOptions;
  readonly #server: Server;
  readonly #underWay = new WeakMap<Socket, Set<Exchange>>();
  #localAuthority = "";
  #handlingCount = 0;
  #isClosing = false;

  constructor(options: HttpFrontOptions, timeouts: FrontTimeouts = TIMEOUTS) {
    this.#options = options;
    this.#server = createServer({
      keepAliveTimeout: timeouts.keepAliveMs,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    this.#server.setTimeout(timeouts.stalledMs);
    // node then ends the connection behind the last answer instead of at once. Not among its declared options.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server.on("request", (request, response) => this.#read(request, response));
    // node reads on by itself for the sake of a request's body, or after an answer.
    this.#server.on("connection", (socket) => {
      this.#underWay.set(socket, new Set());
      socket.on("resume", () => this.#holdBack(socket));
      socket.on("end", () => this.#exchangesOn(socket).forEach((exchange) => void exchange.hangUp()));
    });
    // Answer a hopeless upload before the client sends it.
    this.#server.on("checkContinue", (request, response) => {
      if (declaredBytes(request) > this.#options.requestBytesMax) this.#refuse(request, response);
      else {
        response.writeContinue();
        this.#read(request, response);
      }
    });
  }

  listen(host: string, port: number): Promise<{ port: number }> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error: NodeJS.ErrnoException) => reject(listenFault(error, host, port)));
      this.#server.listen(port, host, () => {
        const taken = (this.#server.address() as AddressInfo).port;
        this.#localAuthority = authorityOf(host, taken);
        resolve({ port: taken });
      });
    });
  }

  async close(drainMs: number): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const deadline = setTimeout(() => this.#server.closeAllConnections(), drainMs);
    this.#closeWhenIdle();
    await closed;
    clearTimeout(deadline);
  }

  #read(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const exchange = new Exchange(response);
    const exchanges = this.#exchangesOn(socket);
    this.#handlingCount += 1;
    exchanges.add(exchange);
    this.#holdBack(socket);
    response.on("close", () => {
      exchange.hangUp();
      this.#handlingCount -= 1;
      exchanges.delete(exchange);
      if (exchanges.size === PIPELINED_MAX - 1) socket.resume();
      this.#closeWhenIdle();
    });
    if (declaredBytes(request) > DISCARD_BYTES_MAX) this.#refuse(request, response);
    else if (hasBody(request)) this.#readBody(request, response, exchange);
    else this.#handle(request, response, exchange, NO_BODY);
  }

  #exchangesOn(socket: Socket): Set<Exchange> {
    return this.#underWay.get(socket) as Set<Exchange>;
  }

  #holdBack(socket: Socket): void {
    if (this.#exchangesOn(socket).size >= PIPELINED_MAX) socket.pause();
  }

  #readBody(request: IncomingMessage, response: ServerResponse, exchange: Exchange): void {
    const { requestBytesMax } = this.#options;
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= requestBytesMax) chunks.push(chunk);
      else if (bytes <= DISCARD_BYTES_MAX) chunks.length = 0;
      else this.#refuse(request, response);
    });
    request.on("end", () => {
      if (bytes > requestBytesMax) this.#refuse(request, response);
      else this.#handle(request, response, exchange, joined(chunks));
    });
    // A client that dies mid-body: the response's "close" tidies up, but an unhandled "error" would end the process.
    request.on("error", ignore);
  }

  #handle(request: IncomingMessage, response: ServerResponse, exchange: Exchange, body: Uint8Array): void {
    this.#options.handler(this.#requestOf(request, body), exchange).then(
      (answer) => this.#write(response, answer),
      () => this.#write(response, BROKEN),
    );
  }

  #refuse(request: IncomingMessage, response: ServerResponse): void {
    if (response.headersSent) return;
    response.setHeader("connection", "close");
    this.#write(response, this.#options.refuseTooLarge(this.#requestOf(request, NO_BODY)));
  }

  #write(response: ServerResponse, answer: FrontResponse): void {
    if (response.destroyed || response.headersSent) return;
    const bytes = typeof answer.body === "string" ? Buffer.byteLength(answer.body) : answer.body.length;
    if (this.#isClosing) response.setHeader("connection", "close");
    response.writeHead(answer.status, { ...answer.headers, "content-length": bytes });
    response.end(answer.body);
  }

  #requestOf(request: IncomingMessage, body: Uint8Array): FrontRequest {
    return {
      method: request.method as string,
      target: request.url as string,
      headers: request.headers as Record<string, string | undefined>,
      body,
      secure: false,
      localAuthority: this.#localAuthority,
    };
  }

  /** node counts a connection that never sent a byte as busy; once no request is being handled, nothing is. */
  #closeWhenIdle(): void {
    if (this.#isClosing && this.#handlingCount === 0) this.#server.closeAllConnections();
  }
}

class Exchange implements Caller {
  readonly #response: ServerResponse;
  #controller: AbortController | undefined;
  #isGone = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isGone) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** The client is gone (or looks like it), or the answer was written; only the former is news. */
  hangUp(): void {
    if (this.#response.writableFinished) return;
    this.#isGone = true;
    this.#controller?.abort();
  }
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers["transfer-encoding"] !== undefined || declaredBytes(request) > 0;
}

function declaredBytes(request: IncomingMessage): number {
  return Number(request.headers["content-length"] ?? 0);
}

function joined(chunks: Buffer[]): Uint8Array {
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function ignore(): void {}

export function authorityOf(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function listenFault(error: NodeJS.ErrnoException, host: string, port: number): Fault {
  const where = authorityOf(host, port);
  switch (error.code) {
    case "EADDRINUSE":
      return new Fault(
        "PortTaken",
        `Cannot listen on ${where}: the port is taken by another program. Stop that one, or choose another port with ` +
          `--port N (--port 0 takes a free one).`,
        error,
      );
    case "EACCES":
      return new Fault(
        "SettingInvalid",
        `Cannot listen on ${where}: this user may not use the port. Choose one above 1023 with --port.`,
        error,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Fault(
        "SettingInvalid",
        `Cannot listen on ${where}: "${host}" is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.`,
        error,
      );
    default:
      return new Fault("SettingInvalid", `Cannot listen on ${where}: ${error.message}.`, error);
  }
}
