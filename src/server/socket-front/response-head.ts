// The head of an answer as one string, from strings that are kept: status lines for good, the lines about date and
// connection for a second.

import { STATUS_CODES } from "node:http";

/** No control characters, which could begin a header of their own, and nothing that UTF-8 writes differently. */
const PLAIN = /^[\t\x20-\x7e]*$/;

const statusLines = new Map<number, string>();

/** Up to and including the answer's own headers. Throws for a header that cannot be sent: that is a bug of the handler. */
export function headOf(status: number, headers: Readonly<Record<string, string>>): string {
  let head = statusLines.get(status) ?? newStatusLine(status);
  for (const name in headers) {
    const value = headers[name] as string;
    if (!PLAIN.test(value)) throw new TypeError(`The response header ${name} has characters that may not be there.`);
    head += `${name}: ${value}\r\n`;
  }
  return head;
}

/** These answers have no body, and no word about its length. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304 || status < 200;
}

/** The lines that are the same for all answers of a second. They end where the length goes. */
export class CommonLines {
  readonly #keepAliveSeconds: number;
  #second = -1;
  keep = "";
  close = "";

  constructor(keepAliveMs: number) {
    this.#keepAliveSeconds = Math.floor(keepAliveMs / 1000);
  }

  /** To be called before a batch of answers. */
  refresh(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) return;
    this.#second = second;
    const date = `date: ${new Date(nowMs).toUTCString()}\r\n`;
    // Clients of HTTP/1.1 assume the first line, and those of 1.0 need it; the second tells when we close.
    this.keep = `${date}connection: keep-alive\r\nkeep-alive: timeout=${this.#keepAliveSeconds}\r\n`;
    this.close = `${date}connection: close\r\n`;
  }
}

function newStatusLine(status: number): string {
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`;
  statusLines.set(status, line);
  return line;
}
