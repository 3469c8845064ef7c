// Reads the head of a request, strictly: what two readers might understand differently is an error. Works on the bytes
// as they came, in one pass, and remembers where the values are that somebody reads; nothing is allocated but the
// target. Lines that were read stay read when the head arrives in pieces.

import { HEAD_BYTES_MAX } from "../front-limits.ts";
import { COLON, CR, IS_HOST, IS_TARGET, IS_TOKEN, IS_VALUE, LF, SPACE, TAB } from "./characters.ts";
import { isSame, KNOWN_HEADERS, Known, knownHeader, MAY_REPEAT } from "./known-headers.ts";
import { ProtocolError } from "./protocol-error.ts";

/** SDKs send some fifteen, proxies add a handful. */
const HEADERS_MAX = 256;
/** Fifteen digits are exact as a number, and more than anybody may send. */
const LENGTH_DIGITS_MAX = 15;

/** The head goes on in bytes that are not here yet. */
export const MORE = 0;

/** Those that REST services of AWS use, and what browsers and probes ask with. */
const METHODS = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"];
const VERSION = Buffer.from("HTTP/1.");
const CHUNKED = Buffer.from("chunked");
const CONTINUE = Buffer.from("100-continue");
const KEEP_ALIVE = Buffer.from("keep-alive");
const CLOSE = Buffer.from("close");
const WHOLE_URL =
  /^https?:\/\/[A-Za-z0-9._~%-]*[A-Za-z0-9._~%\]-](?::\d{0,5})?(?:[/?]|$)|^https?:\/\/\[[0-9A-Fa-f:.]+\](?::\d{0,5})?(?:[/?]|$)/i;

export class HeadParser {
  method = "";
  target = "";
  isHttp10 = false;
  /** -1 when there is none. */
  contentLength = -1;
  isChunked = false;
  keepsAlive = true;
  expectsContinue = false;
  /** A bit for each of KNOWN_HEADERS. */
  seen = 0;
  /** Of KNOWN_HEADERS, those on more than one line. */
  repeated = 0;
  /** Where the header lines begin, from the head's first byte. */
  linesStart = 0;
  /** Start and end of each of KNOWN_HEADERS, from the head's first byte; only for those that were seen. */
  readonly places = new Int32Array(2 * KNOWN_HEADERS.length);
  /** How far the head was read, from its first byte: always the beginning of a line. */
  #readBytes = 0;
  #headerCount = 0;

  /** Some of a head was read, and the rest is awaited. */
  get isWithin(): boolean {
    return this.#readBytes > 0;
  }

  /**
   * Reads the head that begins at `from`. Gives the position behind it, MORE, or a ProtocolError. After MORE the same
   * bytes must come again with more behind them, wherever they are then.
   */
  parse(bytes: Buffer, from: number, to: number): number {
    const end = this.#lines(bytes, from, to);
    if (end === MORE) return to - from > HEAD_BYTES_MAX ? this.#end(ProtocolError.headTooLarge) : MORE;
    if (end > 0 && end - from > HEAD_BYTES_MAX) return this.#end(ProtocolError.headTooLarge);
    return this.#end(end < 0 ? end : this.#understand(bytes, from, end));
  }

  #end(result: number): number {
    this.#readBytes = 0;
    return result;
  }

  #lines(bytes: Buffer, from: number, to: number): number {
    let at = from + this.#readBytes;
    if (at === from) {
      at = this.#requestLine(bytes, from, to);
      if (at <= 0) return at;
      this.#readBytes = at - from;
      this.linesStart = at - from;
      this.seen = 0;
      this.repeated = 0;
      this.#headerCount = 0;
    }
    return this.#headerLines(bytes, from, at, to);
  }

  /** From `start`, the beginning of a line, to the empty line. One loop without calls: most of a request's bytes are here. */
  #headerLines(bytes: Buffer, from: number, start: number, to: number): number {
    // What is imported is looked up at every use otherwise, for every byte.
    const isToken = IS_TOKEN;
    const isValue = IS_VALUE;
    let line = start;
    let at = line;
    let count = this.#headerCount;
    let { seen } = this;
    let result = MORE;
    for (;;) {
      if (line === to) break;
      if (bytes[line] === CR) {
        result = endOfLine(bytes, line, to, ProtocolError.headerLine);
        break;
      }
      while (at < to && isToken[bytes[at] as number] === 1) at++;
      if (at === to) break;
      // A line that begins with a space was once the rest of the line before.
      if (bytes[at] !== COLON || at === line) {
        result = ProtocolError.headerLine;
        break;
      }
      const nameEnd = at++;
      while (at < to && isBlank(bytes[at] as number)) at++;
      const valueStart = at;
      while (at < to && isValue[bytes[at] as number] === 1) at++;
      const next = endOfLine(bytes, at, to, ProtocolError.headerLine);
      if (next <= 0) {
        result = next;
        break;
      }
      if (++count > HEADERS_MAX) {
        result = ProtocolError.headTooLarge;
        break;
      }
      const index = knownHeader(bytes, line, nameEnd);
      if (index >= 0) {
        const bit = 1 << index;
        if ((seen & bit) !== 0) this.repeated |= bit;
        seen |= bit;
        while (at > valueStart && isBlank(bytes[at - 1] as number)) at--;
        this.places[2 * index] = valueStart - from;
        this.places[2 * index + 1] = at - from;
      }
      line = next;
      at = next;
    }
    this.#readBytes = line - from;
    this.#headerCount = count;
    this.seen = seen;
    return result;
  }

  #requestLine(bytes: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to && IS_TOKEN[bytes[at] as number] === 1) at++;
    if (at === to) return MORE;
    if (bytes[at] !== SPACE || at === from) return ProtocolError.requestLine;
    const methodEnd = at;
    const targetStart = at + 1;
    at = targetStart;
    while (at < to && IS_TARGET[bytes[at] as number] === 1) at++;
    if (at === to) return MORE;
    if (bytes[at] !== SPACE || at === targetStart) return ProtocolError.requestLine;
    const targetEnd = at;
    at++;
    for (let index = 0; index < VERSION.length; index++, at++) {
      if (at === to) return MORE;
      if (bytes[at] !== VERSION[index]) return ProtocolError.requestLine;
    }
    if (at === to) return MORE;
    const minor = (bytes[at] as number) - 0x30;
    if (minor !== 0 && minor !== 1) return ProtocolError.requestLine;
    at = endOfLine(bytes, at + 1, to, ProtocolError.requestLine);
    if (at <= 0) return at;
    this.isHttp10 = minor === 0;
    this.method = methodBetween(bytes, from, methodEnd);
    // Nearly all SDK requests go to "/".
    const isRoot = targetEnd === targetStart + 1 && bytes[targetStart] === 0x2f;
    this.target = isRoot ? "/" : bytes.toString("latin1", targetStart, targetEnd);
    return at;
  }

  /** The head as a whole: what the headers together say about the body and the connection. */
  #understand(bytes: Buffer, from: number, end: number): number {
    if (this.method === "") return ProtocolError.method;
    if (!isTarget(this.target, this.method)) return ProtocolError.target;
    if ((this.repeated & (1 << Known.host)) !== 0 || !this.#hasHost(bytes, from)) return ProtocolError.host;
    if ((this.repeated & ~MAY_REPEAT) !== 0) return this.#whichRepeated();
    this.isChunked = this.#has(Known["transfer-encoding"]);
    if (this.isChunked && !this.#mayBeChunked(bytes, from)) return ProtocolError.transferEncoding;
    this.contentLength = -1;
    if (this.#has(Known["content-length"])) {
      this.contentLength = this.#readLength(bytes, from);
      if (this.contentLength < 0) return ProtocolError.contentLength;
    }
    this.expectsContinue = false;
    if (this.#has(Known.expect) && !this.isHttp10) {
      this.expectsContinue = this.#is(bytes, from, Known.expect, CONTINUE);
      if (!this.expectsContinue) return ProtocolError.expectation;
    }
    this.keepsAlive = this.#readConnection(bytes, from);
    return end;
  }

  #has(index: number): boolean {
    return (this.seen & (1 << index)) !== 0;
  }

  #is(bytes: Buffer, from: number, index: number, lowerCase: Uint8Array): boolean {
    const start = this.places[2 * index] as number;
    return (
      (this.places[2 * index + 1] as number) - start === lowerCase.length && isSame(bytes, from + start, lowerCase)
    );
  }

  #whichRepeated(): number {
    if ((this.repeated & (1 << Known["content-length"])) !== 0) return ProtocolError.contentLength;
    if ((this.repeated & (1 << Known["transfer-encoding"])) !== 0) return ProtocolError.transferEncoding;
    return ProtocolError.repeatedHeader;
  }

  #hasHost(bytes: Buffer, from: number): boolean {
    if (!this.#has(Known.host)) return this.isHttp10;
    const end = from + (this.places[2 * Known.host + 1] as number);
    for (let at = from + (this.places[2 * Known.host] as number); at < end; at++) {
      if (IS_HOST[bytes[at] as number] === 0) return false;
    }
    return true;
  }

  #mayBeChunked(bytes: Buffer, from: number): boolean {
    return (
      !this.isHttp10 &&
      !this.#has(Known["content-length"]) &&
      this.#is(bytes, from, Known["transfer-encoding"], CHUNKED)
    );
  }

  /** -1 for anything but digits. */
  #readLength(bytes: Buffer, from: number): number {
    const start = this.places[2 * Known["content-length"]] as number;
    const end = this.places[2 * Known["content-length"] + 1] as number;
    if (start === end || end - start > LENGTH_DIGITS_MAX) return -1;
    let length = 0;
    for (let at = from + start; at < from + end; at++) {
      const digit = (bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9) return -1;
      length = length * 10 + digit;
    }
    return length;
  }

  #readConnection(bytes: Buffer, from: number): boolean {
    const index = Known.connection;
    if (!this.#has(index)) return !this.isHttp10;
    // On several lines: closing is always safe.
    if ((this.repeated & (1 << index)) !== 0) return false;
    if (this.isHttp10) return this.#keepsOldConnection(bytes, from);
    if (this.#is(bytes, from, index, KEEP_ALIVE)) return true;
    if (this.#is(bytes, from, index, CLOSE)) return false;
    const value = bytes.toString(
      "latin1",
      from + (this.places[2 * index] as number),
      from + (this.places[2 * index + 1] as number),
    );
    return !value
      .toLowerCase()
      .split(/[ \t]*,[ \t]*/)
      .includes("close");
  }

  /**
   * HTTP/1.0 stays open at the plain word alone, with no list and no blanks behind it. Readers differ about the rest
   * (node does not know the word with a tab behind it), and closing is always safe.
   */
  #keepsOldConnection(bytes: Buffer, from: number): boolean {
    const index = Known.connection;
    const behind = bytes[from + (this.places[2 * index + 1] as number)];
    return behind === CR && this.#is(bytes, from, index, KEEP_ALIVE);
  }
}

/** The position behind CR LF; a lone one of them is an error. */
function endOfLine(bytes: Buffer, at: number, to: number, error: number): number {
  if (at === to) return MORE;
  if (bytes[at] !== CR) return error;
  if (at + 1 === to) return MORE;
  return bytes[at + 1] === LF ? at + 2 : error;
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** One of METHODS, or nothing. Methods are case-sensitive. */
function methodBetween(bytes: Buffer, start: number, end: number): string {
  for (const method of METHODS) {
    if (method.length !== end - start) continue;
    let index = 0;
    while (index < method.length && bytes[start + index] === method.charCodeAt(index)) index++;
    if (index === method.length) return method;
  }
  return "";
}

function isTarget(target: string, method: string): boolean {
  if (target.charCodeAt(0) === 0x2f) return true;
  if (target === "*") return method === "OPTIONS";
  return WHOLE_URL.test(target);
}
