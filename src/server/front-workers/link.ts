// One end of the pipe between the main process and a front process. What is sent in one turn goes out in one frame at
// its end, so that a busy pipe carries many messages for one write, and an idle one waits for nothing.
//
//   frame = length u32 LE, of what follows | messages, all of a turn (V8's serialization of an array)

import type { Duplex } from "node:stream";
import { deserialize, serialize } from "node:v8";
import { Gathered } from "../socket-front/gathered.ts";

const LENGTH_BYTES = 4;

export class Link<Sent, Received> {
  readonly #pipe: Duplex;
  readonly #receive: (message: Received) => void;
  #outgoing: Sent[] = [];
  #partial: Gathered | undefined;

  /** The end of the pipe is told by the end of the process behind it; errors of it say no more. */
  constructor(pipe: Duplex, receive: (message: Received) => void) {
    this.#pipe = pipe;
    this.#receive = receive;
    pipe.on("data", (chunk: Buffer) => this.#take(chunk));
    pipe.on("error", ignore);
  }

  send(message: Sent): void {
    if (this.#outgoing.push(message) === 1) setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    const messages = this.#outgoing;
    this.#outgoing = [];
    if (!this.#pipe.writable) return;
    const frame = serialize(messages);
    const length = Buffer.allocUnsafe(LENGTH_BYTES);
    length.writeUInt32LE(frame.length, 0);
    this.#pipe.cork();
    this.#pipe.write(length);
    this.#pipe.write(frame);
    this.#pipe.uncork();
  };

  #take(chunk: Buffer): void {
    const gathered = this.#partial;
    if (gathered === undefined) return this.#read(chunk);
    gathered.add(chunk, 0, chunk.length);
    if (!isWhole(gathered.bytes, 0, gathered.length)) return;
    this.#partial = undefined;
    this.#read(gathered.take());
  }

  #read(bytes: Buffer): void {
    let at = 0;
    while (isWhole(bytes, at, bytes.length)) {
      const from = at + LENGTH_BYTES;
      at = from + bytes.readUInt32LE(at);
      for (const message of deserialize(bytes.subarray(from, at)) as Received[]) this.#receive(message);
    }
    if (at === bytes.length) return;
    this.#partial = new Gathered();
    this.#partial.add(bytes, at, bytes.length);
  }
}

function isWhole(bytes: Buffer, from: number, to: number): boolean {
  return to - from >= LENGTH_BYTES && to - from >= LENGTH_BYTES + bytes.readUInt32LE(from);
}

function ignore(): void {}
