// A request's headers by name, in lower case. The ones that the server reads are fields, cut from the head's text; any
// other is looked for in that text when somebody asks, which costs a scan. Enumerating them gives the fields only.

import type { HeadParser } from "./head-parser.ts";
import { Known } from "./known-headers.ts";

export class RequestHeaders {
  // Fields first, filled later: all requests have one shape, which keeps reading them cheap.
  host: string | undefined = undefined;
  "content-type": string | undefined = undefined;
  authorization: string | undefined = undefined;
  "x-amz-target": string | undefined = undefined;
  accept: string | undefined = undefined;
  origin: string | undefined = undefined;
  "sec-fetch-site": string | undefined = undefined;
  "x-amzn-trace-id": string | undefined = undefined;
  "x-forwarded-proto": string | undefined = undefined;
  "x-forwarded-host": string | undefined = undefined;
  "x-forwarded-port": string | undefined = undefined;
  [name: string]: string | undefined;
  readonly #lines: string;

  /** Of the head that `parser` has just read, which begins at `from` and ends before `end`. */
  constructor(parser: HeadParser, bytes: Buffer, from: number, end: number) {
    const lines = bytes.toString("latin1", from + parser.linesStart, end);
    this.#lines = lines;
    const { seen } = parser;
    if ((seen & HOST) !== 0) this.host = cut(lines, parser, Known.host);
    if ((seen & CONTENT_TYPE) !== 0) this["content-type"] = cut(lines, parser, Known["content-type"]);
    if ((seen & AUTHORIZATION) !== 0) this.authorization = cut(lines, parser, Known.authorization);
    if ((seen & AMZ_TARGET) !== 0) this["x-amz-target"] = cut(lines, parser, Known["x-amz-target"]);
    if ((seen & SELDOM) !== 0) this.#fillSeldom(parser, lines);
  }

  /** Several lines of one name are joined with commas. */
  static find(headers: RequestHeaders, name: string): string | undefined {
    return valueIn(headers.#lines, name);
  }

  #fillSeldom(parser: HeadParser, lines: string): void {
    for (const name of SELDOM_NAMES) {
      const bit = 1 << Known[name];
      if ((parser.repeated & bit) !== 0) this[name] = valueIn(lines, name);
      else if ((parser.seen & bit) !== 0) this[name] = cut(lines, parser, Known[name]);
    }
  }
}

const HOST = 1 << Known.host;
const CONTENT_TYPE = 1 << Known["content-type"];
const AUTHORIZATION = 1 << Known.authorization;
const AMZ_TARGET = 1 << Known["x-amz-target"];
/** Not on every request of an SDK. */
const SELDOM_NAMES = [
  "accept",
  "origin",
  "sec-fetch-site",
  "x-amzn-trace-id",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
] as const;
const SELDOM = SELDOM_NAMES.reduce((bits, name) => bits | (1 << Known[name]), 0);

/**
 * Behind the fields of all headers: asked only for names that are not among them. It also hides what objects inherit,
 * so that "constructor" is a header like any other.
 */
const otherNames = new Proxy(Object.create(null) as object, {
  get: (_target, name, headers) =>
    typeof name === "string" && headers instanceof RequestHeaders ? RequestHeaders.find(headers, name) : undefined,
  has: () => false,
});
delete (RequestHeaders.prototype as { constructor?: unknown }).constructor;
Object.setPrototypeOf(RequestHeaders.prototype, otherNames);

function cut(lines: string, { places, linesStart }: HeadParser, index: number): string {
  return lines.slice((places[2 * index] as number) - linesStart, (places[2 * index + 1] as number) - linesStart);
}

/** The lines were parsed: each has a colon, and ends with CR LF. */
function valueIn(lines: string, name: string): string | undefined {
  let value: string | undefined;
  for (let start = 0, end = lines.indexOf("\r\n"); end > start; start = end + 2, end = lines.indexOf("\r\n", start)) {
    const isNamed =
      lines[start + name.length] === ":" && lines.slice(start, start + name.length).toLowerCase() === name;
    if (!isNamed) continue;
    const text = trimmed(lines.slice(start + name.length + 1, end));
    value = value === undefined ? text : `${value}, ${text}`;
  }
  return value;
}

/** Spaces and tabs only: `trim` would take what Latin-1 calls a no-break space, too. */
function trimmed(text: string): string {
  return text.replace(/^[ \t]+/, "").replace(/[ \t]+$/, "");
}
