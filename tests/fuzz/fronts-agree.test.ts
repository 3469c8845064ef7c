// The front on sockets beside the one on node:http, on the same bytes: whatever ours takes for a request, node takes for
// the same request, in the same order. It may refuse what node lets through, and then ends the connection there.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import fc from "fast-check";
import type { FrontTimeouts } from "../../src/server/front-limits.ts";
import type { FrontRequest, HttpFront, HttpFrontOptions } from "../../src/server/http-front.ts";
import { NodeHttpFront } from "../../src/server/node-http-front.ts";
import { SocketFront } from "../../src/server/socket-front/socket-front.ts";
import { fuzz } from "./budget.ts";
import { converse, cutUp } from "./conversation.ts";
import { type Damage, damaged, damages } from "./hostile.ts";
import { AMBIGUOUS, UNUSUAL } from "./raw-requests.ts";

const TIMEOUTS: FrontTimeouts = {
  keepAliveMs: 60_000,
  headersMs: 60_000,
  requestMs: 60_000,
  stalledMs: 60_000,
  checkMs: 60_000,
};
/** Streams that are tried at once, each on a pair of fronts of its own. */
const LANES = 32;
const COMPARED_HEADERS = [
  "host",
  "content-type",
  "authorization",
  "x-amz-target",
  "accept",
  "x-forwarded-host",
  "x-one",
];

interface Lane {
  front: HttpFront;
  port: number;
}

/** Answers say what the request was: answers are in order even where node begins a later request first. */
const options: HttpFrontOptions = {
  requestBytesMax: 2000,
  handler: (request) => ({ status: 200, headers: {}, body: JSON.stringify(shown(request)) }),
  refuseTooLarge: () => ({ status: 413, headers: {}, body: "" }),
};

function shown({ method, target, headers, body }: FrontRequest): object {
  const values = COMPARED_HEADERS.map((name) => headers[name] ?? null);
  return { method, target, values, body: Buffer.from(body).toString("latin1") };
}

async function openLane(Front: typeof NodeHttpFront | typeof SocketFront): Promise<Lane> {
  const front = new Front(options, TIMEOUTS);
  return { front, port: (await front.listen("127.0.0.1", 0)).port };
}

const ours: Lane[] = [];
const nodes: Lane[] = [];
before(async () => {
  for (let lane = 0; lane < LANES; lane++) {
    ours.push(await openLane(SocketFront));
    nodes.push(await openLane(NodeHttpFront));
  }
});
after(() => Promise.all([...ours, ...nodes].map(({ front }) => front.close(0))));

const often = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(usual, ...others) });
const method = often("POST", "GET", "OPTIONS", "PUT", "DELETE", "PATCH", "post", "TRACE", "QUERY", "X");
const target = often(
  "/",
  "/a/b?c=d",
  "*",
  "http://a.test/x?y",
  "http://a.test",
  "//x",
  "/%zz|{}",
  "a.test:1",
  "http://u@a/",
  "/#x",
  "/ü",
);
const version = often("HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "http/1.1");
const lineEnd = fc.oneof(
  { weight: 60, arbitrary: fc.constant("\r\n") },
  { weight: 1, arbitrary: fc.constantFrom("\n", "\r", "\r\r\n") },
);
const header = fc.tuple(
  fc.constantFrom(
    "Content-Type",
    "AUTHORIZATION",
    "x-amz-target",
    "Accept",
    "X-Forwarded-Host",
    "X-One",
    "X-One",
    "x-two",
    "__proto__",
    "Connection",
    "Expect",
    "Upgrade",
  ),
  often(": ", ":", ":\t ", " :"),
  fc.oneof(
    fc.constantFrom("a", "", "a b", "keep-alive", "100-continue", "é", "x".repeat(300)),
    fc.string({ maxLength: 5 }),
  ),
  fc.constantFrom("", "", "", " ", "\t"),
  lineEnd,
);
const host = often(
  "Host: a.test\r\n",
  "",
  "Host: a\r\nHost: b\r\n",
  "HOST:a_b:80\r\n",
  "Host: a b\r\n",
  "host: [::1]:9\r\n",
  "Host:\r\n",
);
const bodyText = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("latin1"));

interface Piece {
  length: number;
  extension: string;
}
const piece: fc.Arbitrary<Piece> = fc.record({
  length: fc.integer({ min: 1, max: 12 }),
  extension: often("", ";a", ';a="b"', " ", ";"),
});

function chunked(text: string, pieces: readonly Piece[], last: string): string {
  const bytes = Buffer.from(text, "latin1");
  let written = "";
  let at = 0;
  for (const { length, extension } of [...pieces, { length: bytes.length, extension: "" }]) {
    const part = bytes.subarray(at, at + length);
    at += part.length;
    if (part.length > 0) written += `${part.length.toString(16)}${extension}\r\n${part.toString("latin1")}\r\n`;
  }
  return `${written}${last}`;
}

const framing = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ headers: "", body: "" }) },
  {
    weight: 4,
    arbitrary: bodyText.map((text) => ({ headers: `Content-Length: ${text.length}\r\n`, body: text })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        bodyText,
        fc.array(piece, { maxLength: 3 }),
        often("0\r\n\r\n", "0\r\nA: b\r\n\r\n", "000\r\n\r\n", "0;x\r\n\r\n"),
      )
      .map(([text, pieces, last]) => ({
        headers: "Transfer-Encoding: chunked\r\n",
        body: chunked(text, pieces, last),
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        ["Content-Length: 3 ", "abc"],
        ["Content-Length: 03", "abc"],
        ["Content-Length: +3", "abc"],
        ["Content-Length: 2500", "abc"],
        ["Transfer-Encoding: gzip, chunked", "0\r\n\r\n"],
        ["Transfer-Encoding: Chunked ", "3\r\nabc\r\n0\r\n\r\n"],
      )
      .map(([line = "", body = ""]) => ({ headers: `${line}\r\n`, body })),
  },
);

const request = fc
  .record({ method, target, version, host, headers: fc.array(header, { maxLength: 5 }), framing, end: lineEnd })
  .map((given) => {
    const lines = given.headers.map((parts) => parts.join("")).join("");
    return `${given.method} ${given.target} ${given.version}\r\n${given.host}${lines}${given.framing.headers}${given.end}${given.framing.body}`;
  });
const anyRequest = fc.oneof(
  { weight: 8, arbitrary: request },
  { weight: 1, arbitrary: fc.constantFrom(...[...AMBIGUOUS, ...UNUSUAL].map(({ bytes }) => bytes)) },
);
const FAREWELL = "GET /bye HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const stream = fc.record({
  requests: fc.array(anyRequest, { minLength: 1, maxLength: 3 }),
  damage: fc.oneof({ weight: 2, arbitrary: fc.constant<Damage[]>([]) }, { weight: 1, arbitrary: damages }),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
});

/** A few turns of the event loop: node drops answers that it has not written when an error comes behind them. */
const TURNS: Buffer[] = Array.from({ length: 6 }, () => Buffer.alloc(0));

interface Stream {
  requests: string[];
  damage: Damage[];
  cuts: number[];
}

/** Undamaged requests arrive one by one, in pieces; damaged ones as one stream, in pieces. */
function piecesOf({ requests, damage, cuts }: Stream): Buffer[] {
  const all = [...requests, FAREWELL].map((text) => Buffer.from(text, "latin1"));
  if (damage.length > 0) return cutUp(damaged(Buffer.concat(all), damage), cuts);
  return all.flatMap((bytes) => [...cutUp(bytes, cuts), ...TURNS]);
}

async function taken({ port }: Lane, pieces: Buffer[]): Promise<{ requests: string[]; isClosed: boolean }> {
  const { answers, isClosed } = await converse(port, pieces);
  return { requests: answers.filter(({ status }) => status === 200).map(({ body }) => body), isClosed };
}

let takenCount = 0;
let alikeCount = 0;
let streamCount = 0;

async function compare(given: Stream, lane: number): Promise<void> {
  const pieces = piecesOf(given);
  const [our, node] = await Promise.all([taken(ours[lane] as Lane, pieces), taken(nodes[lane] as Lane, pieces)]);
  streamCount += 1;
  takenCount += our.requests.length;
  if (our.requests.length === node.requests.length) alikeCount += 1;
  const common = given.damage.length > 0 ? Math.min(our.requests.length, node.requests.length) : our.requests.length;
  assert.deepEqual(our.requests.slice(0, common), node.requests.slice(0, common), JSON.stringify(given));
  if (our.requests.length < node.requests.length) assert.ok(our.isClosed, `not closed: ${JSON.stringify(given)}`);
}

fuzz(
  "what we take for a request is the same request to node",
  0.08,
  fc.array(stream, { minLength: LANES, maxLength: LANES }),
  async (streams) => {
    await Promise.all(streams.map(compare));
  },
);
after(() =>
  console.log(`${takenCount} requests taken; ${alikeCount} of ${streamCount} streams read alike to their end`),
);
