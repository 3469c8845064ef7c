// The front on node:http. It bounds what a client can make us hold (body, headers, time to send them), tells the
// handler when a client hangs up, and drains on close. An exchange is reading, then handling, then answered; one that
// sends too much is discarding until the sender is done, so that it reads our answer rather than a broken pipe.
//
// A client that ends its sending side behind a request gets its answers, and then the connection ends. It cannot be
// told from one that is gone, so nothing waits on its account: who waits is told that the client hung up, and what is
// answered then is written all the same.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { DISCARD_BYTES_MAX, type FrontTimeouts, HEAD_BYTES_MAX, TIMEOUTS, UNDER_WAY_MAX } from "./front-limits.ts";
import type { AdoptingFront, Caller, FrontRequest, FrontResponse, HttpFrontOptions } from "./http-front.ts";
import { authorityOf, contextOptions, listenFault } from "./listening.ts";
import { OpenSockets } from "./open-sockets.ts";

const NO_BODY = new Uint8Array(0);
const BROKEN: FrontResponse = { status: 500, headers: { "content-type": "text/plain" }, body: "Internal error\n" };

export class NodeHttpFront implements AdoptingFront {
  readonly #options: HttpFrontOptions;
  readonly #server: Server;
  readonly #isSecure: boolean;
  /** node closes those only that have finished their handshake. */
  readonly #sockets = new OpenSockets();
  readonly #underWay = new WeakMap<Socket, Set<Exchange>>();
  #localAuthority = "";
  #handlingCount = 0;
  #isClosing = false;

  constructor(options: HttpFrontOptions, timeouts: FrontTimeouts = TIMEOUTS) {
    this.#options = options;
    const { tls } = options;
    const limits = {
      keepAliveTimeout: timeouts.keepAliveMs,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: HEAD_BYTES_MAX,
    };
    this.#isSecure = tls !== undefined;
    this.#server =
      tls === undefined
        ? createServer(limits)
        : createTlsServer({ ...limits, handshakeTimeout: timeouts.headersMs, ...contextOptions(tls) });
    this.#server.setTimeout(timeouts.stalledMs);
    // node then ends the connection behind the last answer instead of at once. Not among its declared options.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server.on("request", (request, response) => this.#read(request, response));
    // node reads on by itself for the sake of a request's body, or after an answer.
    this.#server.on(this.#isSecure ? "secureConnection" : "connection", (socket: Socket) => {
      this.#underWay.set(socket, new Set());
      socket.on("resume", () => this.#holdBack(socket));
      socket.on("end", () => this.#exchangesOn(socket).forEach((exchange) => void exchange.hangUp()));
    });
    this.#server.on("connection", (socket: Socket) => this.#sockets.watch(socket));
    // Answer a hopeless upload before the client sends it.
    this.#server.on("checkContinue", (request, response) => {
      if (declaredBytes(request) > this.#bodyBytesMax(request)) this.#refuse(request, response);
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

  open(authority: string): void {
    this.#localAuthority = authority;
    // node begins to look for slow clients when it is told that it listens.
    this.#server.emit("listening");
  }

  adopt(socket: Socket): void {
    socket.allowHalfOpen = true;
    this.#server.emit("connection", socket);
  }

  async close(drainMs: number): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const deadline = setTimeout(() => this.#destroyAll(), drainMs);
    this.#closeWhenIdle();
    await closed;
    await this.#sockets.closed();
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
      if (exchanges.size === UNDER_WAY_MAX - 1) socket.resume();
      this.#closeWhenIdle();
    });
    if (declaredBytes(request) > Math.max(this.#bodyBytesMax(request), DISCARD_BYTES_MAX))
      this.#refuse(request, response);
    else if (hasBody(request)) this.#readBody(request, response, exchange);
    else this.#handle(request, response, exchange, NO_BODY);
  }

  #bodyBytesMax({ method = "", url = "" }: IncomingMessage): number {
    const { longBodyBytesMax, requestBytesMax } = this.#options;
    return longBodyBytesMax?.({ method, target: url }) ?? requestBytesMax;
  }

  #exchangesOn(socket: Socket): Set<Exchange> {
    return this.#underWay.get(socket) as Set<Exchange>;
  }

  #holdBack(socket: Socket): void {
    if (this.#exchangesOn(socket).size >= UNDER_WAY_MAX) socket.pause();
  }

  #readBody(request: IncomingMessage, response: ServerResponse, exchange: Exchange): void {
    const bytesMax = this.#bodyBytesMax(request);
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else if (bytes <= Math.max(bytesMax, DISCARD_BYTES_MAX)) chunks.length = 0;
      else this.#refuse(request, response);
    });
    request.on("end", () => {
      if (bytes > bytesMax) this.#refuse(request, response);
      else this.#handle(request, response, exchange, joined(chunks));
    });
    // A client that dies mid-body: the response's "close" tidies up, but an unhandled "error" would end the process.
    request.on("error", ignore);
  }

  #handle(request: IncomingMessage, response: ServerResponse, exchange: Exchange, body: Uint8Array): void {
    const answered = async () => this.#options.handler(this.#requestOf(request, body), exchange);
    answered().then(
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
      secure: this.#isSecure,
      localAuthority: this.#localAuthority,
    };
  }

  /** node counts a connection that never sent a byte as busy; once no request is being handled, nothing is. */
  #closeWhenIdle(): void {
    if (this.#isClosing && this.#handlingCount === 0) this.#destroyAll();
  }

  #destroyAll(): void {
    this.#server.closeAllConnections();
    this.#sockets.destroyAll();
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
