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
/** A frame of this size is written at once: half of what node reads of a pipe at a time. */
const FRAME_BYTES_MAX = 32 * 1024;
/** For a frame and the message that makes it full. */
const BUFFER_BYTES = 2 * FRAME_BYTES_MAX;
/**
 * So that the other side begins while this one is still at its turn: with 64 connections that ask again as soon as they
 * are answered, all in one frame would have the two processes work in turn, and half as many cost as much in writes.
 */
const FRAME_MESSAGES_MAX = 16;

export class Link<Sent extends Asked | Answered, Received extends Asked | Answered> {
  readonly #pipe: Duplex;
  readonly #receive: (message: Received) => void;
  /** What has not been written; empty, or a flush is due. */
  #frame = new ByteWriter(BUFFER_BYTES);
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
    this.#messagesInFrame += 1;
    if (this.#messagesInFrame === FRAME_MESSAGES_MAX || this.#frame.length >= FRAME_BYTES_MAX) this.#flush();
  }

  readonly #flushAtEnd = (): void => {
    this.#isFlushDue = false;
    if (this.#frame.length > 0) this.#flush();
  };

  #flush(): void {
    // Copied, so that the large buffer stays; one that has grown is not kept.
    const isLarge = this.#frame.length > BUFFER_BYTES;
    const frame = isLarge ? this.#frame.take(BUFFER_BYTES) : Buffer.from(this.#frame.view());
    this.#frame.reset();
    this.#messagesInFrame = 0;
    frame.writeUInt32LE(frame.length - LENGTH_BYTES, 0);
    if (this.#pipe.writable) this.#pipe.write(frame);
  }

  #take(chunk: Buffer): void {
    const from = this.#partial === undefined ? 0 : this.#complete(this.#partial, chunk);
    const behind = this.#readFrames(chunk, from);
    if (behind === chunk.length) return;
    this.#partial = new Gathered(bytesOfFrame(chunk, behind, chunk.length));
    this.#partial.add(chunk, behind, chunk.length);
  }

  /** Adds what the frame lacks, and gives the position behind it in the chunk. */
  #complete(partial: Gathered, chunk: Buffer): number {
    let at = 0;
    // Its length may be cut in two as well.
    while (at < chunk.length) {
      const to = Math.min(chunk.length, at + bytesOfFrame(partial.bytes, 0, partial.length) - partial.length);
      partial.add(chunk, at, to);
      at = to;
      if (partial.length < bytesOfFrame(partial.bytes, 0, partial.length)) continue;
      this.#partial = undefined;
      this.#readFrames(partial.take(), 0);
      return at;
    }
    return at;
  }

  /** Those that are whole. Gives the position behind them. */
  #readFrames(bytes: Buffer, from: number): number {
    let at = from;
    for (;;) {
      const end = at + bytesOfFrame(bytes, at, bytes.length);
      if (end > bytes.length) return at;
      const reader = new ByteReader(bytes, at + LENGTH_BYTES, end);
      while (!reader.done) this.#receive(readMessage(reader) as Received);
      at = end;
    }
  }
}

/** With its length, as far as that is known: else as many as that needs. */
function bytesOfFrame(bytes: Buffer, from: number, to: number): number {
  return to - from < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + bytes.readUInt32LE(from);
}

function ignore(): void {}
