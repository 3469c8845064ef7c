// Puts answers together for one socket: short ones into one string, long ones by themselves, and all of them into one
// write to the system, which is the dearest part of an answer.

import type { Socket } from "node:net";
import type { FrontResponse } from "../http-front.ts";
import { type CommonLines, headOf, isBodiless } from "./response-head.ts";

/** Joining copies the text; from this length on an entry of its own is cheaper. */
const JOINED_LENGTH_MAX = 16 * 1024;

export const BROKEN: FrontResponse = {
  status: 500,
  headers: { "content-type": "text/plain" },
  body: "Internal error\n",
};

export class Outbox {
  readonly #socket: Socket;
  #text = "";
  #isAscii = true;
  #isCorked = false;
  #isTaken = true;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  add(method: string, response: FrontResponse, lines: CommonLines, closes: boolean): void {
    const { status, headers, body } = response;
    let head: string;
    try {
      head = headOf(status, headers);
    } catch {
      return this.add(method, BROKEN, lines, closes);
    }
    head += closes ? lines.close : lines.keep;
    if (isBodiless(status)) {
      this.#text += `${head}\r\n`;
      return;
    }
    const isText = typeof body === "string";
    const bytes = isText ? Buffer.byteLength(body) : body.length;
    this.#text += `${head}content-length: ${bytes}\r\n\r\n`;
    if (method === "HEAD") return;
    if (isText && bytes <= JOINED_LENGTH_MAX) {
      this.#text += body;
      if (bytes !== body.length) this.#isAscii = false;
    } else this.#writeLong(body);
  }

  addContinue(): void {
    this.#text += "HTTP/1.1 100 Continue\r\n\r\n";
  }

  /** False when the socket has more to send than it should; it says "drain" later. */
  send(): boolean {
    this.#writeText();
    if (this.#isCorked) this.#socket.uncork();
    const isTaken = this.#isTaken;
    this.#isCorked = false;
    this.#isTaken = true;
    return isTaken;
  }

  #writeLong(body: string | Uint8Array): void {
    if (!this.#isCorked) this.#socket.cork();
    this.#isCorked = true;
    this.#writeText();
    this.#isTaken = typeof body === "string" ? this.#socket.write(body, "utf8") : this.#socket.write(body);
  }

  #writeText(): void {
    if (this.#text === "") return;
    this.#isTaken = this.#socket.write(this.#text, this.#isAscii ? "latin1" : "utf8");
    this.#text = "";
    this.#isAscii = true;
  }
}
