// One client's connection. Requests are read and handled as they come, also ahead of the answers (pipelining); answers
// go out in the order of the requests. It is not read on while too much of it is under way or not taken.
//
//   bytes -> head -> body -> handler ... answer, behind those before it -> written with all others of the turn
//
// A request that cannot be understood is refused and is the last one: what still comes is thrown away, until the client
// has had time to read the refusal.

import type { Socket } from "node:net";
import { DISCARD_BYTES_MAX, UNDER_WAY_MAX } from "../front-limits.ts";
import type { FrontHandler, FrontRequest, FrontResponse } from "../http-front.ts";
import { BodyReader } from "./body-reader.ts";
import { CR, LF } from "./characters.ts";
import { Exchange } from "./exchange.ts";
import { Gathered } from "./gathered.ts";
import { HeadParser, MORE } from "./head-parser.ts";
import { BROKEN, Outbox } from "./outbox.ts";
import { ProtocolError, statusOf, textOf } from "./protocol-error.ts";
import type { CommonLines } from "./response-head.ts";

/** What connections ask of the front that they belong to. */
export interface ConnectionOwner {
  readonly handler: FrontHandler;
  readonly refuseTooLarge: (request: FrontRequest) => FrontResponse;
  readonly requestBytesMax: number;
  readonly longBodyBytesMax: (request: { method: string; target: string }) => number | undefined;
  readonly secure: boolean;
  readonly localAuthority: string;
  /** For clients that do not take their answers. */
  readonly stalledMs: number;
  readonly isClosing: boolean;
  readonly commonLines: CommonLines;
  /** Has `flush` called when the present turn has ended. */
  flushSoon(connection: Connection): void;
  forget(connection: Connection): void;
}

/** What a connection waits for; each but an answer has a time limit. */
export type Awaiting = "firstRequest" | "nextRequest" | "head" | "body" | "answer" | "farewell";

export class Connection {
  /** Its flush is due. */
  isDirty = false;
  /** When a sweep first saw it wait for what it waits for; 0: not yet. So the way of a request reads no clock. */
  waitingSinceMs = 0;
  readonly socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #outbox: Outbox;
  readonly #parser = new HeadParser();
  /** A head whose end is not here yet. */
  #partialHead: Gathered | undefined;
  /** Whose body is being read: the last one in the queue. */
  #reading: Exchange | undefined;
  #bodyReader: BodyReader | undefined;
  /** Came while it was not read on. */
  #held: Buffer | undefined;
  // The requests under way, oldest first.
  #first: Exchange | undefined;
  #last: Exchange | undefined;
  #underWayCount = 0;
  #underWayBytes = 0;
  #hasServed = false;
  #isPaused = false;
  /** The socket has more to send than it should. */
  #isStuffed = false;
  /** Takes no more requests: what comes is thrown away. */
  #isDeaf = false;
  #discardedBytes = 0;
  #isRefused = false;
  #hasClientEnded = false;
  #isFarewell = false;
  #isGone = false;

  constructor(owner: ConnectionOwner, socket: Socket) {
    this.#owner = owner;
    this.socket = socket;
    this.#outbox = new Outbox(socket);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("end", () => this.#clientEnded());
    socket.on("drain", () => this.#drained());
    socket.on("timeout", () => this.destroy());
    socket.on("error", ignore);
    socket.on("close", () => this.#closed());
  }

  get awaiting(): Awaiting {
    if (this.#isFarewell) return "farewell";
    if (this.#reading !== undefined) return "body";
    if (this.#first !== undefined) return "answer";
    if (this.#partialHead !== undefined) return "head";
    return this.#hasServed ? "nextRequest" : "firstRequest";
  }

  /** Something would be lost if it were closed now. */
  get isBusy(): boolean {
    return this.#first !== undefined || this.socket.writableLength > 0;
  }

  /** The time for what it waits for is over. */
  giveUp(): void {
    const { awaiting } = this;
    if (awaiting === "head" || awaiting === "body") this.#refuse(ProtocolError.tooSlow);
    else this.destroy();
  }

  destroy(): void {
    this.socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#isDeaf) return this.#discard(chunk);
    const gathered = this.#partialHead;
    if (gathered === undefined) return this.#read(chunk, 0, chunk.length);
    gathered.add(chunk, 0, chunk.length);
    this.#read(gathered.bytes, 0, gathered.length);
  }

  #read(bytes: Buffer, from: number, to: number): void {
    let at = from;
    while (at < to && !this.#isDeaf) {
      if (this.#mustPause()) return this.#hold(bytes.subarray(at, to));
      at =
        this.#bodyReader === undefined
          ? this.#readHead(bytes, at, to)
          : this.#readBody(this.#bodyReader, bytes, at, to);
      if (at < 0) return this.#refuse(at);
    }
  }

  /** A head, and the body if it lies whole behind it. Gives the position behind them or a ProtocolError. */
  #readHead(bytes: Buffer, from: number, to: number): number {
    let at = from;
    if (this.#partialHead === undefined) {
      // Some clients put an empty line behind a body.
      while (at + 1 < to && bytes[at] === CR && bytes[at + 1] === LF) at += 2;
      if (at === to) return to;
    }
    const end = this.#parser.parse(bytes, at, to);
    if (end < 0) return end;
    if (end === MORE) {
      if (this.#partialHead === undefined) this.#keepPartialHead(bytes, at, to);
      return to;
    }
    // From now on requests may be views of its bytes.
    this.#partialHead = undefined;
    return this.#begin(bytes, at, end, to);
  }

  #keepPartialHead(bytes: Buffer, from: number, to: number): void {
    this.waitingSinceMs = 0;
    this.#partialHead = new Gathered();
    this.#partialHead.add(bytes, from, to);
  }

  #begin(bytes: Buffer, from: number, headEnd: number, to: number): number {
    const parser = this.#parser;
    const { secure, localAuthority } = this.#owner;
    const exchange = new Exchange(parser, bytes, from, headEnd, secure, localAuthority);
    this.#enqueue(exchange);
    const { contentLength, isChunked } = parser;
    if (contentLength <= 0 && !isChunked) {
      this.#handle(exchange);
      return headEnd;
    }
    const bytesMax = this.#bodyBytesMax(exchange, contentLength, isChunked);
    // Answered before the client sends it, if it asked, or if there is no point in waiting for the end.
    if (contentLength > (parser.expectsContinue ? bytesMax : Math.max(bytesMax, DISCARD_BYTES_MAX))) {
      this.#refuseTooLarge(exchange);
      return to;
    }
    const bodyEnd = headEnd + contentLength;
    if (!isChunked && bodyEnd <= to && contentLength <= bytesMax) {
      exchange.body = bytes.subarray(headEnd, bodyEnd);
      this.#handle(exchange);
      return bodyEnd;
    }
    this.waitingSinceMs = 0;
    this.#reading = exchange;
    this.#bodyReader = new BodyReader(contentLength, bytesMax);
    if (parser.expectsContinue && headEnd === to) {
      exchange.awaitsContinue = true;
      if (exchange === this.#first) this.#owner.flushSoon(this);
    }
    return headEnd;
  }

  /** Few requests are long: the others are not looked at. */
  #bodyBytesMax(exchange: Exchange, contentLength: number, isChunked: boolean): number {
    const { requestBytesMax, longBodyBytesMax } = this.#owner;
    if (contentLength <= requestBytesMax && !isChunked) return requestBytesMax;
    return longBodyBytesMax(exchange) ?? requestBytesMax;
  }

  #readBody(reader: BodyReader, bytes: Buffer, from: number, to: number): number {
    const exchange = this.#reading as Exchange;
    // Who sends without waiting need not be told to.
    exchange.awaitsContinue = false;
    const at = reader.read(bytes, from, to);
    if (at === ProtocolError.bodyTooLarge || (reader.isDone && reader.isTooLarge)) {
      this.#refuseTooLarge(exchange);
      return to;
    }
    if (at < 0 || !reader.isDone) return at;
    exchange.body = reader.take();
    this.#reading = undefined;
    this.#bodyReader = undefined;
    this.#handle(exchange);
    return at;
  }

  #handle(exchange: Exchange): void {
    this.#underWayBytes += exchange.body.length;
    if (exchange.isLast) this.#turnDeaf();
    if (this.#hasClientEnded) exchange.abandon();
    let answer: FrontResponse | Promise<FrontResponse>;
    try {
      answer = this.#owner.handler(exchange, exchange);
    } catch {
      answer = BROKEN;
    }
    if (!(answer instanceof Promise)) return this.#answer(exchange, answer);
    answer.then(
      (response) => this.#answer(exchange, response),
      () => this.#answer(exchange, BROKEN),
    );
  }

  #answer(exchange: Exchange, response: FrontResponse): void {
    exchange.response = response;
    if (exchange === this.#first) this.#owner.flushSoon(this);
  }

  #refuseTooLarge(exchange: Exchange): void {
    this.#endWith(exchange, this.#owner.refuseTooLarge(exchange));
  }

  /** Answers the request that is being read, whatever is known of it. */
  #refuse(error: number): void {
    let exchange = this.#reading;
    if (exchange === undefined) {
      exchange = new Exchange(undefined, NO_BYTES, 0, 0, this.#owner.secure, this.#owner.localAuthority);
      this.#enqueue(exchange);
    }
    const headers = { "content-type": "text/plain" };
    this.#endWith(exchange, { status: statusOf(error), headers, body: `${textOf(error)}\n` });
  }

  #endWith(exchange: Exchange, response: FrontResponse): void {
    exchange.isLast = true;
    this.#isRefused = true;
    this.#turnDeaf();
    this.#answer(exchange, response);
  }

  #turnDeaf(): void {
    this.#isDeaf = true;
    this.#reading = undefined;
    this.#bodyReader = undefined;
    this.#partialHead = undefined;
    this.#held = undefined;
  }

  /** A client that is still sending when we close is reset, and loses our answer with it. */
  #discard(chunk: Buffer): void {
    this.#discardedBytes += chunk.length;
    if (this.#discardedBytes > DISCARD_BYTES_MAX) this.destroy();
  }

  #mustPause(): boolean {
    if (this.#isStuffed || this.#underWayCount > UNDER_WAY_MAX) return true;
    // A body that has begun is read to its end.
    if (this.#reading !== undefined) return false;
    return (
      this.#underWayCount === UNDER_WAY_MAX ||
      this.#underWayBytes >= this.#owner.requestBytesMax ||
      this.#owner.isClosing
    );
  }

  #hold(bytes: Buffer): void {
    this.#partialHead = undefined;
    this.#held = bytes;
    if (!this.#isPaused) this.socket.pause();
    this.#isPaused = true;
  }

  #readOn(): void {
    while (this.#isPaused && !this.#mustPause()) {
      const held = this.#held;
      this.#held = undefined;
      if (held === undefined) this.#resume();
      else this.#read(held, 0, held.length);
    }
    this.#endIfDone();
  }

  #resume(): void {
    if (this.#isPaused) this.socket.resume();
    this.#isPaused = false;
  }

  #enqueue(exchange: Exchange): void {
    if (this.#last === undefined) this.#first = exchange;
    else this.#last.next = exchange;
    this.#last = exchange;
    this.#underWayCount += 1;
  }

  /** Writes all answers that are next in order. */
  flush(): void {
    if (this.#isGone || this.#isFarewell) return;
    const isLast = this.#dequeue();
    if (this.#first?.awaitsContinue) {
      this.#first.awaitsContinue = false;
      this.#outbox.addContinue();
    }
    if (!this.#outbox.send()) this.#stuffed();
    if (isLast) return this.#bidFarewell();
    if (this.#first === undefined) {
      this.#hasServed = true;
      this.waitingSinceMs = 0;
    }
    this.#readOn();
  }

  /** True when the connection ends behind what was written. */
  #dequeue(): boolean {
    const { commonLines, isClosing } = this.#owner;
    let exchange = this.#first;
    while (exchange?.response !== undefined) {
      const { next } = exchange;
      // Else one that lives long keeps all those behind it.
      exchange.next = undefined;
      const endsHere = isClosing || (this.#hasClientEnded && this.#held === undefined);
      const isLast = exchange.isLast || (endsHere && next === undefined);
      this.#outbox.add(exchange.method, exchange.response, commonLines, isLast);
      this.#underWayCount -= 1;
      this.#underWayBytes -= exchange.body.length;
      this.#first = next;
      if (next === undefined) this.#last = undefined;
      if (isLast) return true;
      exchange = next;
    }
    return false;
  }

  #stuffed(): void {
    this.#isStuffed = true;
    this.socket.setTimeout(this.#owner.stalledMs);
  }

  #drained(): void {
    this.#isStuffed = false;
    this.socket.setTimeout(0);
    this.#readOn();
  }

  /** Nothing more to say. The client gets some time to take it, and to see that we are done. */
  #bidFarewell(): void {
    this.#isFarewell = true;
    this.waitingSinceMs = 0;
    this.#turnDeaf();
    this.#resume();
    if (this.#hasClientEnded || (this.#owner.isClosing && !this.#isRefused)) this.socket.destroySoon();
    else this.socket.end();
  }

  /**
   * The client sends no more, which may mean that it is gone. What is being done for it is done and answered, but
   * nobody goes on waiting for its sake.
   */
  #clientEnded(): void {
    this.#hasClientEnded = true;
    this.#abandonAll();
    this.#endIfDone();
  }

  /** Once the client has ended and all that it sent is read; a paused socket tells the end before that. */
  #endIfDone(): void {
    if (!this.#hasClientEnded || this.#held !== undefined || this.#isFarewell) return;
    if (this.#reading !== undefined || this.#partialHead !== undefined) this.#refuse(ProtocolError.incomplete);
    else if (this.#first === undefined) this.#bidFarewell();
  }

  #closed(): void {
    this.#isGone = true;
    this.#abandonAll();
    this.#turnDeaf();
    this.#owner.forget(this);
  }

  #abandonAll(): void {
    for (let exchange = this.#first; exchange !== undefined; exchange = exchange.next) exchange.abandon();
  }
}

const NO_BYTES = Buffer.alloc(0);

function ignore(): void {}
