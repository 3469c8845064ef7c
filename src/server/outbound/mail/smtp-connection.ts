// One SMTP conversation (RFC 5321): commands go out one at a time, each is answered by a reply of one or more lines.
// Every failure ends the connection and rejects what is being waited for.

import type { Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";

export interface Reply {
  code: number;
  /** Without the codes. */
  lines: string[];
}

/** More than any server says at once. */
const REPLY_CHARACTERS_MAX = 64 * 1024;

export class SmtpConnection {
  #socket: Socket;
  #received = "";
  #waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined;
  #failure: Error | undefined;

  /** Takes over a socket that is connecting or connected. */
  constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen(socket);
  }

  /** Sends a line, or nothing, and waits for the next reply. */
  ask(line?: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#waiting = { resolve, reject };
      if (line !== undefined) this.#socket.write(`${line}\r\n`);
      this.#take();
    });
  }

  /** Goes on in TLS over the same socket; resolves when the server's certificate is found good. */
  startTls(options: ConnectionOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      // What came before the encryption did not come from who holds the certificate.
      if (this.#received !== "") return reject(new Error("The mail server spoke before TLS began."));
      const plain = this.#socket;
      plain.removeAllListeners("data");
      const secure = connectTls({ ...options, socket: plain });
      this.#socket = secure;
      this.#waiting = { resolve: () => reject(new Error("The mail server spoke before TLS began.")), reject };
      this.#listen(secure);
      secure.once("secureConnect", () => {
        this.#waiting = undefined;
        resolve();
      });
    });
  }

  close(error = new Error("The connection was closed.")): void {
    this.#fail(error);
  }

  #listen(socket: Socket): void {
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      this.#received += text;
      if (this.#received.length > REPLY_CHARACTERS_MAX) this.#fail(new Error("The mail server's reply does not end."));
      this.#take();
    });
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("The mail server closed the connection.")));
  }

  #take(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    // All lines but the last have a hyphen behind the code.
    const whole = /^(?:\d{3}-.*\r?\n)*\d{3}(?: .*)?\r?\n/.exec(this.#received)?.[0];
    if (whole === undefined) {
      if (/^(?!\d{3}[- \r\n]).{4}/.test(this.#received)) this.#fail(new Error("What answers is not a mail server."));
      return;
    }
    this.#received = this.#received.slice(whole.length);
    this.#waiting = undefined;
    const lines = whole.trimEnd().split(/\r?\n/);
    waiting.resolve({ code: Number(whole.slice(0, 3)), lines: lines.map((line) => line.slice(4)) });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
  }
}
