// Requests byte by byte, as no HTTP library would let them out: what proxies and servers have disagreed about, and what
// costs a careless server its memory or its time.

/** A whole request that must never be carried out: it is hidden where only a wrong reading of the one before finds it. */
export const SMUGGLED =
  "GET /000000000000/smuggled?Action=SendMessage&MessageBody=x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

export interface Shape {
  name: string;
  bytes: string;
  /** Statuses of all answers; "closed": no answer but the end of the connection. */
  answers: (number | "closed")[];
}

const REFUSED: Shape["answers"] = [400, "closed"];
const hidden = SMUGGLED.length;

function post(headers: string, body: string): string {
  return `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n${headers}\r\n\r\n${body}`;
}

/** Two readings of where the body ends: one takes the hidden request for a body, the other for a request. */
export const AMBIGUOUS: Shape[] = [
  ...[
    ["two lengths", `Content-Length: 4\r\nContent-Length: ${4 + hidden}`],
    ["two lengths, the longer one first", `Content-Length: ${4 + hidden}\r\nContent-Length: 4`],
    ["the same length twice", "Content-Length: 4\r\nContent-Length: 4"],
    ["a list of lengths", `Content-Length: 4, ${4 + hidden}`],
    ["a length with a sign", "Content-Length: +4"],
    ["a negative length", "Content-Length: -4"],
    ["a hexadecimal length", "Content-Length: 0x4"],
    ["a length in two words", `Content-Length: 4 ${hidden}`],
    ["a length with an exponent", "Content-Length: 4e0"],
    ["a length beyond 64 bits", "Content-Length: 18446744073709551620"],
    ["a length with a space before the colon", "Content-Length : 4"],
    ["a length on the next line", "Content-Length:\r\n 4\r\nContent-Length: 104"],
    ["a length behind a bare carriage return", `X: y\rContent-Length: ${4 + hidden}\r\nContent-Length: 4`],
    ["a length behind a NUL", `X: y\u0000Content-Length: ${4 + hidden}\r\nContent-Length: 4`],
  ].map(([name, headers]) => ({
    name: name as string,
    bytes: post(headers as string, `abcd${SMUGGLED}`),
    answers: REFUSED,
  })),
  ...[
    ["chunks and a length", `Transfer-Encoding: chunked\r\nContent-Length: ${5 + hidden}`],
    ["a length and chunks", `Content-Length: ${5 + hidden}\r\nTransfer-Encoding: chunked`],
    ["an unknown coding and a length", `Transfer-Encoding: xchunked\r\nContent-Length: ${5 + hidden}`],
    ["an unknown coding", "Transfer-Encoding: xchunked"],
    ["chunks that are not the last coding", "Transfer-Encoding: chunked, identity"],
    ["two codings on two lines", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"],
    ["a coding in quotes", 'Transfer-Encoding: "chunked"'],
    ["a coding behind a vertical tab", "Transfer-Encoding: \u000bchunked"],
    ["a coding with a space before the colon", `Transfer-Encoding : chunked\r\nContent-Length: ${5 + hidden}`],
    ["a coding on the next line and a length", `Transfer-Encoding:\r\n chunked\r\nContent-Length: ${5 + hidden}`],
  ].map(([name, headers]) => ({
    name: name as string,
    bytes: post(headers as string, `0\r\n\r\n${SMUGGLED}`),
    answers: REFUSED,
  })),
  ...[
    ["a chunk size with 0x", `0x4\r\nabcd\r\n0\r\n\r\n${SMUGGLED}`],
    ["a negative chunk size", `-4\r\nabcd\r\n0\r\n\r\n${SMUGGLED}`],
    ["a chunk size beyond 64 bits", `10000000000000004\r\nabcd\r\n0\r\n\r\n${SMUGGLED}`],
    ["an empty chunk size", `\r\nabcd\r\n0\r\n\r\n${SMUGGLED}`],
    ["chunk lines that end with a line feed only", `4\nabcd\n0\n\n${SMUGGLED}`],
    ["a chunk that is longer than it says", `4\r\nabcde\r\n0\r\n\r\n${SMUGGLED}`],
    ["a chunk size in two words", `4 4\r\nabcd\r\n0\r\n\r\n${SMUGGLED}`],
    ["a NUL in a trailer", `0\r\nX: \u0000\r\n\r\n${SMUGGLED}`],
  ].map(([name, body]) => ({
    name: name as string,
    bytes: post("Transfer-Encoding: chunked", body as string),
    answers: REFUSED,
  })),
  {
    name: "a body of a GET",
    bytes: `GET / HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden}\r\n\r\n${SMUGGLED}`,
    answers: [404],
  },
  {
    name: "a line that begins with a space",
    bytes: `GET / HTTP/1.1\r\n Host: a\r\nHost: a\r\n\r\n${SMUGGLED}`,
    answers: REFUSED,
  },
  {
    name: "a name with a space in it",
    bytes: `GET / HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n${SMUGGLED}`,
    answers: REFUSED,
  },
  { name: "no colon", bytes: `GET / HTTP/1.1\r\nHost: a\r\nXY\r\n\r\n${SMUGGLED}`, answers: REFUSED },
  { name: "a tunnel", bytes: `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${SMUGGLED}`, answers: [405, "closed"] },
];

const LIST = "Action=ListQueues";

/** Unusual, with one reading only; what each is answered with. */
export const UNUSUAL: Shape[] = [
  { name: "HTTP/1.0", bytes: `GET /?${LIST} HTTP/1.0\r\n\r\n`, answers: [200] },
  { name: "HTTP/1.0 that stays", bytes: `GET /?${LIST} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`, answers: [200] },
  { name: "HTTP/1.1 without a host", bytes: `GET /?${LIST} HTTP/1.1\r\n\r\n`, answers: [400, "closed"] },
  { name: "HTTP/0.9", bytes: "GET /\r\n\r\n", answers: [400, 404, "closed"] },
  { name: "HTTP/2 out of the blue", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", answers: [400, "closed"] },
  { name: "HTTP/9.9", bytes: `GET /?${LIST} HTTP/9.9\r\nHost: a\r\n\r\n`, answers: [400, "closed"] },
  { name: "a hello of TLS", bytes: "\u0016\u0003\u0001\u0002\u0000\u0001\u0000", answers: [400, "closed"] },
  { name: "an absolute target", bytes: `GET http://sqs.test/?${LIST} HTTP/1.1\r\nHost: a\r\n\r\n`, answers: [200] },
  {
    name: "a target of an authority",
    bytes: "GET sqs.test:443 HTTP/1.1\r\nHost: a\r\n\r\n",
    answers: [400, 404, "closed"],
  },
  { name: "OPTIONS for all", bytes: "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", answers: [404] },
  {
    name: "an upgrade to WebSocket",
    bytes: `GET /?${LIST} HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
    answers: [200],
  },
  {
    name: "an upgrade to HTTP/2",
    bytes: `GET /?${LIST} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    answers: [200],
  },
  {
    name: "a folded header",
    bytes: `GET /?${LIST} HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n`,
    answers: [200, 400, "closed"],
  },
  {
    name: "lines that end with a line feed only",
    bytes: `GET /?${LIST} HTTP/1.1\nHost: a\n\n`,
    answers: [200, 400, "closed"],
  },
  {
    name: "a header name of an object",
    bytes: `GET /?${LIST} HTTP/1.1\r\nHost: a\r\n__proto__: a\r\nconstructor: b\r\n\r\n`,
    answers: [200],
  },
  {
    name: "headers of more than 64 KiB",
    bytes: `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(70_000)}\r\n\r\n`,
    answers: [431, "closed"],
  },
  {
    name: "a target of more than 64 KiB",
    bytes: `GET /?${"x".repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    answers: [431, 400, "closed"],
  },
  {
    name: "six thousand headers",
    bytes: `GET /?${LIST} HTTP/1.1\r\nHost: a\r\n${"a: b\r\n".repeat(6000)}\r\n`,
    answers: [200, 431],
  },
  {
    name: "an expectation that nobody knows",
    bytes: `GET /?${LIST} HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\n\r\n`,
    answers: [417],
  },
  {
    name: "chunks with extensions and trailers",
    bytes: post("Transfer-Encoding: chunked", `11;a=b\r\n${LIST}\r\n0;c\r\nX: y\r\n\r\n`),
    answers: [200],
  },
  {
    name: "a coding in capitals",
    bytes: post("TRANSFER-ENCODING: CHUNKED", `11\r\n${LIST}\r\n0\r\n\r\n`),
    answers: [200],
  },
  {
    name: "a chunk extension of 100 KB",
    bytes: post("Transfer-Encoding: chunked", `11;${"a".repeat(100_000)}\r\n${LIST}\r\n0\r\n\r\n`),
    answers: [413, 400, "closed"],
  },
  { name: "a length of a terabyte", bytes: post("Content-Length: 1099511627776", "abc"), answers: [413] },
];
