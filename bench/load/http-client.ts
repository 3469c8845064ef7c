// The client side of HTTP/1.1, as little as a measurement can trust: one keep-alive socket, one request in flight, every
// answer framed strictly. What is not a whole, well-formed answer is an error and never a number in a table.

import { connect, type Socket } from "node:net";

export interface HttpAnswer {
  status: number;
  /** Valid until the next request of this client: it may be a view on a buffer that is used again. */
  body: Buffer;
}

/** Sizes on the wire, heads included: what the floor repeats. */
export interface Exchange {
  requestBytes: number;
  answerBytes: number;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const READ_BUFFER_BYTES = 64 * 1024;

export class HttpClient {
  readonly host: string;
  readonly port: number;
  readonly #readBuffer: Buffer;
  /** Set it to have the sizes of all that follows written down. */
  exchanges: Exchange[] | undefined;
  /** How often the server closed a connection that could have been kept. */
  reconnects = 0;
  #socket: Socket | undefined;
  #wasConnected = false;
  #requestBytes = 0;
  /** Bytes of an unfinished answer, ours. */
  #partial: Buffer | undefined;
  #waiting: { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | undefined;

  /** Ten thousand clients in one process want a small `readBufferBytes`. */
  constructor(endpoint: string, readBufferBytes = READ_BUFFER_BYTES) {
    const { hostname, port } = new URL(endpoint);
    this.host = hostname;
    this.port = Number(port);
    this.#readBuffer = Buffer.allocUnsafeSlow(readBufferBytes);
  }

  /** Rejects when the answer does not come whole: the connection broke, or the bytes are not HTTP. */
  send(request: Buffer): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting !== undefined) throw new Error("one request at a time");
      this.#waiting = { resolve, reject };
      this.#requestBytes = request.length;
      (this.#socket ?? this.#open()).write(request);
    });
  }

  /** A request without an answer yet rejects. */
  close(): void {
    this.#drop(new Error("closed by its owner"));
  }

  #open(): Socket {
    if (this.#wasConnected) this.reconnects += 1;
    const onread = {
      buffer: this.#readBuffer,
      callback: (byteCount: number, buffer: Uint8Array) => {
        if (this.#socket === socket) this.#take((buffer as Buffer).subarray(0, byteCount));
        return true;
      },
    };
    const socket = connect({ host: this.host, port: this.port, noDelay: true, onread });
    this.#socket = socket;
    socket.once("connect", () => {
      this.#wasConnected = true;
    });
    const lose = (reason: string) => {
      if (this.#socket === socket) this.#drop(new Error(`the connection broke: ${reason}`));
    };
    socket.once("error", (error) => lose(error.message));
    socket.once("end", () => lose("the server ended it"));
    socket.once("close", () => lose("closed"));
    return socket;
  }

  #take(chunk: Buffer): void {
    const received = this.#partial === undefined ? chunk : Buffer.concat([this.#partial, chunk]);
    this.#partial = undefined;
    let parsed: ReturnType<typeof parseAnswer>;
    try {
      parsed = parseAnswer(received);
      if (this.#waiting === undefined) throw new Error(`an answer that nobody asked for: ${show(received)}`);
    } catch (error) {
      this.#drop(error as Error);
      return;
    }
    if (parsed === undefined) {
      this.#partial = Buffer.from(received);
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.exchanges?.push({ requestBytes: this.#requestBytes, answerBytes: received.length });
    if (parsed.closes) this.#drop(undefined);
    waiting.resolve({ status: parsed.status, body: parsed.body });
  }

  #drop(error: Error | undefined): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#partial = undefined;
    socket?.destroy();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (error !== undefined) waiting?.reject(error);
  }
}

/** `undefined` while bytes are missing; throws on anything that is not exactly one answer. */
export function parseAnswer(received: Buffer): { status: number; body: Buffer; closes: boolean } | undefined {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = received.toString("latin1", 0, headEnd);
  const status = /^HTTP\/1\.([01]) (\d{3}) /.exec(`${head.slice(0, 13)} `);
  if (status === null) throw new Error(`not an HTTP answer: ${show(received)}`);
  const rest = received.subarray(headEnd + HEAD_END.length);
  const closes = status[1] === "0" || /\r\nconnection: *close/i.test(head);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    const body = joinChunks(rest);
    return body === undefined ? undefined : { status: Number(status[2]), body, closes };
  }
  const length = /\r\ncontent-length: *(\d+) *(?:\r\n|$)/i.exec(head);
  if (length === null) throw new Error(`an answer without a length: ${show(received)}`);
  if (rest.length < Number(length[1])) return undefined;
  if (rest.length > Number(length[1])) throw new Error(`more bytes than the answer has: ${show(received)}`);
  return { status: Number(status[2]), body: rest, closes };
}

function joinChunks(coded: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = coded.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = /^([0-9a-f]+)(?:;.*)?$/i.exec(coded.toString("latin1", at, lineEnd));
    if (size === null) throw new Error(`a chunk without a size: ${show(coded)}`);
    const start = lineEnd + 2;
    const end = start + Number.parseInt(size[1] as string, 16);
    if (coded.length < end + 2) return undefined;
    if (coded.toString("latin1", end, end + 2) !== "\r\n") throw new Error(`a chunk without its end: ${show(coded)}`);
    at = end + 2;
    if (end > start) pieces.push(coded.subarray(start, end));
    else if (at === coded.length) return Buffer.concat(pieces);
    else throw new Error(`more bytes than the chunks have: ${show(coded)}`);
  }
}

function show(bytes: Buffer): string {
  return JSON.stringify(bytes.toString("latin1", 0, 200));
}
