// The `Idempotency-Key` header, in the shape of the IETF's draft (draft-ietf-httpapi-idempotency-key-header): the first
// request with a key is handled and its answer saved before it is sent; a repeat gets that answer again; a repeat while
// the first one runs gets 409, one with another body 422, and a missing key 400 where it is required. Knows nothing of
// servers: http-fetch.ts and http-node.ts put it around handlers.

import { type Clock, systemClock } from "../../base/clock.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { IdempotencyError } from "./idempotency-error.ts";
import { type Attempt, idempotent } from "./idempotent.ts";
import { problemWithKey } from "./key.ts";
import type { IdempotencyStore } from "./store.ts";

export interface HttpIdempotencyOptions<Tx> {
  /** Where answers are kept. */
  store: IdempotencyStore<Tx>;
  /** The service's name. Default `http`. */
  scope?: string;
  /** Who asks. Two callers may choose one key; without this they would get each other's answers. Default: all are one. */
  caller?: (request: HttpRequest) => string;
  /** Default `idempotency-key`. */
  header?: string;
  /** Requests of these methods are guarded; the others are idempotent by themselves. Default POST and PATCH. */
  methods?: readonly string[];
  /** False: a request without the header is handled unguarded. Default true: it gets 400. */
  required?: boolean;
  /** How long an answer is remembered, milliseconds. Default one day: clients retry for minutes, not for weeks. */
  keepForMs?: number;
  /** Default one minute; see `idempotent`. */
  leaseMs?: number;
  /** Answers that are not saved, so that a repeat runs again. Default: 429 and 503, which say "not now". */
  isSaved?: (status: number) => boolean;
  /** Default the system's. */
  clock?: Clock;
}

export interface HttpRequest {
  /** In capitals. */
  method: string;
  /** With the query. */
  path: string;
  /** By its name, in any case; undefined when it is not there. */
  header(name: string): string | undefined;
  /** The whole of it; empty when there is none. */
  body: Uint8Array;
}

export interface HttpAnswer {
  /** HTTP status. */
  status: number;
  /** In order; a name may come more than once. */
  headers: [name: string, value: string][];
  /** The whole of it: nothing is streamed. */
  body: Uint8Array;
}

export type HttpHandler<Tx> = (attempt: Attempt<Tx> | undefined) => Promise<HttpAnswer>;

const DAY_MS = 24 * 60 * 60 * 1_000;
/** As at the payment providers whose clients send such keys. */
const HEADER_CHARACTERS_MAX = 255;
const NOT_NOW = [429, 503];

/** What is saved: bytes in base64, because an answer need not be text. */
interface SavedAnswer {
  status: number;
  headers: [string, string][];
  body: string;
}

export class HttpIdempotency<Tx> {
  readonly #options: HttpIdempotencyOptions<Tx>;
  readonly #header: string;
  readonly #methods: readonly string[];

  constructor(options: HttpIdempotencyOptions<Tx>) {
    this.#options = options;
    this.#header = options.header ?? "idempotency-key";
    this.#methods = options.methods ?? ["POST", "PATCH"];
  }

  guards(method: string): boolean {
    return this.#methods.includes(method);
  }

  /** The answer to give. Rejects when the handler does; nothing is saved then. */
  async answer(request: HttpRequest, handle: HttpHandler<Tx>): Promise<HttpAnswer> {
    const header = request.header(this.#header);
    if (header === undefined) {
      if (this.#options.required === false) return handle(undefined);
      return problem(400, "Idempotency-Key is missing", "This request changes something, and needs the header.");
    }
    const key = keyOf(header);
    const wrong = key.length > HEADER_CHARACTERS_MAX ? "it is longer than 255 characters" : problemWithKey(key);
    if (wrong !== undefined) return problem(400, "Idempotency-Key cannot be used", `The header's value: ${wrong}.`);
    try {
      return await this.#once(key, request, handle);
    } catch (error) {
      const answer = error instanceof IdempotencyError ? refusalOf(error) : undefined;
      if (answer === undefined) throw error;
      return answer;
    }
  }

  async #once(key: string, request: HttpRequest, handle: HttpHandler<Tx>): Promise<HttpAnswer> {
    const { store, scope = "http", caller, keepForMs = DAY_MS, leaseMs, isSaved, clock = systemClock } = this.#options;
    let fresh: HttpAnswer | undefined;
    const run = idempotent<HttpRequest, SavedAnswer, Tx>(
      async (_, __, attempt) => {
        fresh = await handle(attempt);
        return { ...fresh, body: Buffer.from(fresh.body).toString("base64") };
      },
      {
        // A caller's name is encoded so that it cannot run into the key.
        key: () => (caller === undefined ? key : `${encodeURIComponent(caller(request))}/${key}`),
        store,
        scope,
        keepForMs,
        ...(leaseMs === undefined ? {} : { leaseMs }),
        clock,
        fingerprint: () => [request.method, request.path, fingerprintOf(request.body)],
        isDone: ({ status }) => isSaved?.(status) ?? !NOT_NOW.includes(status),
      },
    );
    const saved = (await run(request)) as SavedAnswer | undefined;
    if (fresh !== undefined) return fresh;
    if (saved === undefined)
      return problem(
        500,
        "The answer was not kept",
        "The request was handled before; its answer was too large to keep.",
      );
    return {
      status: saved.status,
      headers: [...saved.headers, ["idempotent-replayed", "true"]],
      body: Buffer.from(saved.body, "base64"),
    };
  }
}

/** The draft's value is a string in quotes; many clients send it bare. */
function keyOf(header: string): string {
  const text = header.trim();
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text);
  return quoted === null ? text : (quoted[1] as string).replace(/\\(["\\])/g, "$1");
}

function refusalOf(error: IdempotencyError): HttpAnswer | undefined {
  switch (error.code) {
    case "InProgress":
      return problem(
        409,
        "A request with this Idempotency-Key is being handled",
        "Ask again later.",
        error.retryAfterMs,
      );
    case "KeyReused":
      return problem(422, "Idempotency-Key is used already", "It was sent before with another request.");
    case "KeyInvalid":
      return problem(400, "Idempotency-Key cannot be used", error.message);
    case "StoreUnavailable":
      return problem(503, "Idempotency cannot be guaranteed now", "Nothing was done. Ask again later.", 1_000);
    case "OwnershipLost":
      return problem(409, "Another request with this Idempotency-Key took over", "Ask again for its answer.", 1_000);
    case "NotRecorded":
      return problem(503, "The outcome is not known", "Ask again with the same Idempotency-Key.", 1_000);
    default:
      return undefined;
  }
}

/** RFC 9457. */
function problem(status: number, title: string, detail: string, retryAfterMs?: number): HttpAnswer {
  const headers: [string, string][] = [["content-type", "application/problem+json"]];
  if (retryAfterMs !== undefined) headers.push(["retry-after", String(Math.max(1, Math.ceil(retryAfterMs / 1_000)))]);
  return { status, headers, body: Buffer.from(JSON.stringify({ title, detail, status })) };
}
