// One connection by hand: bytes out in pieces, whatever comes back until the server closes or has been silent for a
// while, and that read back as answers.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";

const SILENT_MS = 400;

export interface Heard {
  answers: RawAnswer[];
  isClosed: boolean;
}

export interface RawAnswer {
  status: number;
  body: string;
}

/** What the client does when it has said everything. */
export type Ending = "listen" | "halfClose" | "hangUp";

export function converse(
  port: number,
  pieces: readonly Uint8Array[],
  ending: Ending = "listen",
  silentMs = SILENT_MS,
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let silence: NodeJS.Timeout | undefined;
    const finish = (isClosed: boolean) => {
      clearTimeout(silence);
      socket.destroy();
      try {
        resolve({ answers: answersIn(Buffer.concat(chunks).toString("latin1"), isClosed), isClosed });
      } catch (error) {
        reject(error);
      }
    };
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => finish(false), silentMs);
    };
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true }, () => {
      void say(socket, pieces).then(() => {
        if (ending === "halfClose") socket.end();
        if (ending === "hangUp") finish(true);
      });
      listen();
    });
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      listen();
    });
    socket.on("error", () => finish(true));
    socket.on("end", () => finish(true));
  });
}

/** Each piece is its own packet, or nearly. */
async function say(socket: Socket, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed || !socket.writable) return;
    socket.write(piece);
    if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Throws when the bytes are not whole answers one behind the other; the last one may be cut off by a reset. */
export function answersIn(bytes: string, isClosed: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf("\r\n\r\n", at);
    if (headEnd < 0) {
      assert.ok(isClosed, `an answer that does not end: ${JSON.stringify(bytes.slice(at, at + 200))}`);
      break;
    }
    const head = bytes.slice(at, headEnd);
    const status = Number(/^HTTP\/1\.1 (\d{3}) [A-Za-z' -]+\r\n/.exec(`${head}\r\n`)?.[1]);
    assert.ok(status >= 100, `no answer: ${JSON.stringify(head.slice(0, 200))}`);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    // node's own refusals have no length and no body.
    const isEmptyChunked = /\r\ntransfer-encoding: chunked/i.test(head) && bytes.startsWith("0\r\n\r\n", headEnd + 4);
    const end = headEnd + 4 + (isEmptyChunked ? 5 : length);
    if (end > bytes.length) break;
    if (status !== 100) answers.push({ status, body: bytes.slice(headEnd + 4, end) });
    at = end;
  }
  return answers;
}

/** `bytes` in pieces that end where `cuts` (fractions) say. */
export function cutUp(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => Math.floor(cut * bytes.length)), bytes.length])].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}
