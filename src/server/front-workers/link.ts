// One end of the pipe between the main process and a front process. What is sent in one turn goes out in few frames, the
// last at its end, so that a busy pipe carries many messages for one write, and an idle one waits for nothing.
//
//   frame = length u32 LE, of what follows | messages (message-codec.ts)

import type { Duplex } from "node:stream";
import { ByteReader, ByteWriter } from "../../base/bytes.ts";
import { Gathered } from "../socket-front/gathered.ts";
import { readMessage, writeMessage } from "./message-codec.ts";
import type { Answered, Asked } from "./messages.ts";

const LENGTH_BYTES = 4;
/** A frame's worth of small messages fits. */
const FRAME_BYTES = 64 * 1024;
/**
 * So that the other side begins while this one is still at its turn: with 64 connections that ask again as soon as they
 * are answered, all in one frame would have the two processes work in turn, and half as many cost as much in writes.
 */
const FRAME_MESSAGES_MAX = 16;

export class Link<Sent extends Asked | Answered, Received extends Asked | Answered> {
  readonly #pipe: Duplex;
  readonly #receive: (message: Received) => void;
  /** What has not been written; empty, or a flush is due. */
  #frame = new ByteWriter(FRAME_BYTES);
  #messagesInFrame = 0;
  #isFlushDue = false;
  #partial: Gathered | undefined;

  /** The end of the pipe is told by the end of the process behind it; errors of it say no more. */
  constructor(pipe: Duplex, receive: (message: Received) => void) {
    this.#pipe = pipe;
    this.#receive = receive;
    pipe.on("data", (chunk: Buffer) => this.#take(chunk));
    pipe.on("error", ignore);
  }

  /** The message is packed now: what it refers to may change afterwards. Throws, and sends nothing, when it cannot be. */
  send(message: Sent): void {
    if (this.#frame.length === 0) {
      this.#frame.u32(0);
      if (!this.#isFlushDue) setImmediate(this.#flushAtEnd);
      this.#isFlushDue = true;
    }
    const { length } = this.#frame;
    try {
      writeMessage(this.#frame, message);
    } catch (error) {
      this.#frame.length = length;
      throw error;
    }
    if (++this.#messagesInFrame === FRAME_MESSAGES_MAX) this.#flush();
  }

  readonly #flushAtEnd = (): void => {
    this.#isFlushDue = false;
    if (this.#frame.length > 0) this.#flush();
  };

  #flush(): void {
    // Copied, so that the large buffer stays; one that has grown is not kept.
    const isLarge = this.#frame.length > FRAME_BYTES;
    const frame = isLarge ? this.#frame.take(FRAME_BYTES) : Buffer.from(this.#frame.view());
    this.#frame.reset();
    this.#messagesInFrame = 0;
    frame.writeUInt32LE(frame.length - LENGTH_BYTES, 0);
    if (this.#pipe.writable) this.#pipe.write(frame);
  }

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
      const reader = new ByteReader(bytes, from, at);
      while (!reader.done) this.#receive(readMessage(reader) as Received);
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
