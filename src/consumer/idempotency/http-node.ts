// Idempotency-Key around a handler of the node:http kind. The handler reads the request as usual, from a stream that
// gives the body once more; what it writes is held back until it has been saved, and only then goes out.

import { type IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { type HttpAnswer, HttpIdempotency, type HttpIdempotencyOptions } from "./http-idempotency.ts";
import type { Attempt } from "./idempotent.ts";

/** `attempt` is undefined for a request that is not guarded. Done when its promise resolves and the response has ended. */
export type NodeHandler<Tx> = (
  request: IncomingMessage,
  response: ServerResponse,
  attempt: Attempt<Tx> | undefined,
) => void | Promise<void>;

export interface NodeIdempotencyOptions<Tx> extends HttpIdempotencyOptions<Tx> {
  /** A longer request gets 413. Default 1 MiB. */
  bodyBytesMax?: number;
}

const BODY_BYTES_MAX_DEFAULT = 1024 * 1024;

/** Rejects when the handler does, after answering 500: log it there. */
export function idempotentNode<Tx>(
  handler: NodeHandler<Tx>,
  options: NodeIdempotencyOptions<Tx>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const guard = new HttpIdempotency(options);
  const bodyBytesMax = options.bodyBytesMax ?? BODY_BYTES_MAX_DEFAULT;
  return async (request, response) => {
    const { method = "GET", url = "/" } = request;
    if (!guard.guards(method)) return handler(request, response, undefined);
    const body = await readBody(request, bodyBytesMax);
    if (body === undefined)
      return send(response, { status: 413, headers: [["connection", "close"]], body: Buffer.of() });
    const header = (name: string) => {
      const value = request.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(", ") : value;
    };
    try {
      const answer = await guard.answer({ method, path: url, header, body }, (attempt) =>
        captured(request, body, (again, held) => handler(again, held, attempt)),
      );
      send(response, answer);
    } catch (error) {
      send(response, { status: 500, headers: [], body: Buffer.of() });
      throw error;
    }
  };
}

/** Undefined when it is longer than allowed; the rest is then read and dropped, so that the answer gets through. */
function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= bytesMax) chunks.push(chunk);
      else resolve(undefined);
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("close", () => reject(new Error("The request ended before its body was whole.")));
    request.once("error", reject);
  });
}

async function captured(
  request: IncomingMessage,
  body: Buffer,
  run: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<HttpAnswer> {
  const held = new HeldResponse(request);
  const { method, url, headers, rawHeaders, httpVersion, socket } = request;
  const again = Object.assign(Readable.from(body.byteLength === 0 ? [] : [body]), {
    method,
    url,
    headers,
    rawHeaders,
    httpVersion,
    socket,
  });
  await run(again as unknown as IncomingMessage, held);
  return held.answered;
}

/** A response that goes nowhere: it collects what the handler writes. */
class HeldResponse extends ServerResponse {
  readonly #chunks: Buffer[] = [];
  readonly answered: Promise<HttpAnswer>;
  #answer: (answer: HttpAnswer) => void = () => {};

  constructor(request: IncomingMessage) {
    super(request);
    this.answered = new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of writeHead
  override writeHead(status: number, ...more: any[]): this {
    this.statusCode = status;
    const headers = more.find((each) => typeof each === "object" && each !== null) ?? {};
    const pairs = Array.isArray(headers) ? pairsOf(headers) : Object.entries(headers);
    for (const [name, value] of pairs) this.setHeader(name, value as string);
    return this;
  }

  override flushHeaders(): void {}

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of write
  override write(chunk: any, ...more: any[]): boolean {
    this.#chunks.push(typeof chunk === "string" ? Buffer.from(chunk, encodingOf(more)) : Buffer.from(chunk));
    callbackOf(more)?.();
    return true;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of end
  override end(...args: any[]): this {
    if (this.writableEnded) return this;
    const [chunk] = args;
    if (chunk !== undefined && chunk !== null && typeof chunk !== "function") this.write(chunk, encodingOf(args));
    // What `writableEnded` goes by.
    this.finished = true;
    const headers = Object.entries(this.getHeaders()).flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, String(each)]),
    );
    this.#answer({ status: this.statusCode, headers, body: Buffer.concat(this.#chunks) });
    callbackOf(args)?.();
    this.emit("finish");
    return this;
  }
}

function send(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  response.statusCode = status;
  for (const [name, value] of headers) {
    // Framing is the connection's: the body goes out whole, with its length.
    if (["transfer-encoding", "content-length"].includes(name)) continue;
    response.appendHeader(name, value);
  }
  response.end(body);
}

function pairsOf(flat: unknown[]): [string, unknown][] {
  if (flat.every(Array.isArray)) return flat as [string, unknown][];
  return flat.flatMap((name, index): [string, unknown][] => (index % 2 === 0 ? [[String(name), flat[index + 1]]] : []));
}

function encodingOf(args: unknown[]): BufferEncoding | undefined {
  return args.slice(0, 2).find((each): each is BufferEncoding => typeof each === "string" && Buffer.isEncoding(each));
}

function callbackOf(args: unknown[]): (() => void) | undefined {
  return args.find((each): each is () => void => typeof each === "function");
}
