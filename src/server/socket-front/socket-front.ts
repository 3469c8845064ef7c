// The front on plain and TLS sockets. It owns what connections share: the listening socket, the end of a turn, at which
// all answers of that turn are written, and one timer that looks at all connections now and then for clients that take
// too long.

import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type FrontTimeouts, TIMEOUTS } from "../front-limits.ts";
import type { AdoptingFront, FrontHandler, FrontRequest, FrontResponse, HttpFrontOptions } from "../http-front.ts";
import { authorityOf, contextOptions, listenFault } from "../listening.ts";
import { OpenSockets } from "../open-sockets.ts";
import { type Awaiting, Connection, type ConnectionOwner } from "./connection.ts";
import { CommonLines } from "./response-head.ts";

/** For a client to see that we have closed, before the connection is cut. */
const FAREWELL_MS = 2_000;

export class SocketFront implements AdoptingFront, ConnectionOwner {
  readonly handler: FrontHandler;
  readonly refuseTooLarge: (request: FrontRequest) => FrontResponse;
  readonly requestBytesMax: number;
  readonly longBodyBytesMax: (request: { method: string; target: string }) => number | undefined;
  readonly secure: boolean;
  readonly stalledMs: number;
  readonly commonLines: CommonLines;
  localAuthority = "";
  isClosing = false;
  readonly #timeouts: FrontTimeouts;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #sockets = new OpenSockets();
  readonly #dirty: Connection[] = [];
  #sweepTimer: NodeJS.Timeout | undefined;

  constructor(options: HttpFrontOptions, timeouts: FrontTimeouts = TIMEOUTS) {
    this.handler = options.handler;
    this.refuseTooLarge = options.refuseTooLarge;
    this.requestBytesMax = options.requestBytesMax;
    this.longBodyBytesMax = options.longBodyBytesMax ?? (() => undefined);
    this.stalledMs = timeouts.stalledMs;
    this.commonLines = new CommonLines(timeouts.keepAliveMs);
    this.#timeouts = timeouts;
    const { tls } = options;
    this.secure = tls !== undefined;
    // A client may close its sending side and still wait for answers.
    const sockets = { noDelay: true, allowHalfOpen: true };
    const connected = (socket: Socket) => void this.#connections.add(new Connection(this, socket));
    if (tls === undefined) this.#server = createServer(sockets, connected);
    else {
      const handshake = { handshakeTimeout: timeouts.headersMs, ALPNProtocols: ["http/1.1"] };
      this.#server = createTlsServer({ ...sockets, ...handshake, ...contextOptions(tls) }, connected);
    }
    this.#server.on("connection", (socket: Socket) => this.#sockets.watch(socket));
  }

  listen(host: string, port: number): Promise<{ port: number }> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error: NodeJS.ErrnoException) => reject(listenFault(error, host, port)));
      this.#server.listen(port, host, () => {
        const taken = (this.#server.address() as AddressInfo).port;
        this.open(authorityOf(host, taken));
        resolve({ port: taken });
      });
    });
  }

  open(authority: string): void {
    this.localAuthority = authority;
    this.#sweepTimer = setInterval(() => this.#sweep(), this.#timeouts.checkMs).unref();
  }

  adopt(socket: Socket): void {
    socket.allowHalfOpen = true;
    this.#server.emit("connection", socket);
  }

  async close(drainMs: number): Promise<void> {
    this.isClosing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const deadline = setTimeout(() => this.#destroyAll(), drainMs);
    this.#destroyIdle();
    await closed;
    await this.#sockets.closed();
    clearTimeout(deadline);
    clearInterval(this.#sweepTimer);
  }

  flushSoon(connection: Connection): void {
    if (connection.isDirty) return;
    connection.isDirty = true;
    // Runs when everything that this turn resolved has been carried out: the answers are together then.
    if (this.#dirty.push(connection) === 1) process.nextTick(this.#flushAll);
  }

  forget(connection: Connection): void {
    this.#connections.delete(connection);
  }

  readonly #flushAll = (): void => {
    this.commonLines.refresh(Date.now());
    // Flushing may make a connection read on, and so add to the list.
    for (let index = 0; index < this.#dirty.length; index++) {
      const connection = this.#dirty[index] as Connection;
      connection.isDirty = false;
      connection.flush();
    }
    this.#dirty.length = 0;
  };

  #sweep(): void {
    const nowMs = performance.now();
    for (const connection of this.#connections) {
      if (connection.waitingSinceMs === 0) connection.waitingSinceMs = nowMs;
      else if (nowMs - connection.waitingSinceMs > this.#patienceMs(connection.awaiting)) connection.giveUp();
    }
  }

  #patienceMs(awaiting: Awaiting): number {
    const { keepAliveMs, headersMs, requestMs } = this.#timeouts;
    switch (awaiting) {
      case "firstRequest":
      case "head":
        return headersMs;
      case "body":
        return requestMs;
      case "nextRequest":
        return keepAliveMs;
      case "farewell":
        return FAREWELL_MS;
      case "answer":
        return Number.POSITIVE_INFINITY;
    }
  }

  #destroyIdle(): void {
    const busy = new Set<string>();
    for (const connection of this.#connections) {
      if (connection.isBusy) busy.add(peerOf(connection.socket));
      else connection.destroy();
    }
    this.#sockets.destroyAll((socket) => busy.has(peerOf(socket)));
  }

  #destroyAll(): void {
    for (const connection of this.#connections) connection.destroy();
    this.#sockets.destroyAll();
  }
}

/** What a TLS socket and the plain one below it have in common. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
