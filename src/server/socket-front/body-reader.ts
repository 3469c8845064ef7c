// Reads a body that does not lie whole behind its head: by its length or in chunks, over as many packets as it takes.
// A body over the limit is read to its end and thrown away, so that its sender can read the refusal; one far over it is
// an error.

import { DISCARD_BYTES_MAX } from "../front-limits.ts";
import { COLON, CR, HEX_VALUE, IS_TOKEN, IS_VALUE, LF, SEMICOLON } from "./characters.ts";
import { Gathered } from "./gathered.ts";
import { ProtocolError } from "./protocol-error.ts";

/** All chunk extensions and trailers of a body; nobody sends any. */
const EXTRA_BYTES_MAX = 16 * 1024;
/** 256 MiB less one, far beyond DISCARD_BYTES_MAX. */
const SIZE_DIGITS_MAX = 7;
const NO_BYTES = Buffer.alloc(0);

/** What comes next. A line is taken byte by byte, so that it may end in any packet. */
type Part =
  | "sized"
  | "size"
  | "extensionName"
  | "extension"
  | "sizeEnd"
  | "data"
  | "dataCr"
  | "dataLf"
  | "trailer"
  | "lastLf"
  | "done";

export class BodyReader {
  readonly #bytesMax: number;
  #part: Part;
  /** Of the body or of the chunk. */
  #leftBytes: number;
  #sizeDigits = 0;
  #extraBytes = 0;
  #totalBytes = 0;
  readonly #lengthBytes: number;
  #gathered: Gathered | undefined;
  #trailer = new TrailerLine();

  /** `lengthBytes` is -1 for a body in chunks. */
  constructor(lengthBytes: number, bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#lengthBytes = lengthBytes;
    this.#leftBytes = Math.max(0, lengthBytes);
    this.#part = lengthBytes < 0 ? "size" : "sized";
  }

  get isDone(): boolean {
    return this.#part === "done";
  }

  get isTooLarge(): boolean {
    return this.#totalBytes > this.#bytesMax;
  }

  /** The whole body, once it is done. */
  take(): Buffer {
    return this.#gathered?.take() ?? NO_BYTES;
  }

  /** Takes what belongs to the body. Gives the position behind that, or a ProtocolError. */
  read(bytes: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to && this.#part !== "done") {
      if (this.#part === "sized" || this.#part === "data") {
        at = this.#readData(bytes, at, to);
      } else {
        if (!this.#readByte(bytes[at] as number)) return ProtocolError.chunk;
        if (this.#extraBytes > EXTRA_BYTES_MAX) return ProtocolError.trailerTooLarge;
        at++;
      }
      if (this.#totalBytes > Math.max(this.#bytesMax, DISCARD_BYTES_MAX)) return ProtocolError.bodyTooLarge;
    }
    return at;
  }

  #readData(bytes: Buffer, at: number, to: number): number {
    const end = Math.min(to, at + this.#leftBytes);
    const count = end - at;
    this.#totalBytes += count;
    this.#leftBytes -= count;
    if (this.isTooLarge) this.#gathered = undefined;
    else {
      // Not all of a length that was only declared.
      this.#gathered ??= new Gathered(Math.min(this.#lengthBytes, 4 * count));
      this.#gathered.add(bytes, at, end);
    }
    if (this.#leftBytes === 0) this.#part = this.#part === "sized" ? "done" : "dataCr";
    return end;
  }

  /** One byte of a line between the chunks; false when it may not stand there. */
  #readByte(byte: number): boolean {
    switch (this.#part) {
      case "size":
        return this.#readSizeByte(byte);
      case "extensionName":
        this.#extraBytes += 1;
        this.#part = "extension";
        return IS_TOKEN[byte] === 1;
      case "extension":
        this.#extraBytes += 1;
        if (byte === CR) this.#part = "sizeEnd";
        return byte === CR || IS_VALUE[byte] === 1;
      case "sizeEnd":
        this.#part = this.#leftBytes > 0 ? "data" : "trailer";
        this.#sizeDigits = 0;
        return byte === LF;
      case "dataCr":
        this.#part = "dataLf";
        return byte === CR;
      case "dataLf":
        this.#part = "size";
        return byte === LF;
      case "lastLf":
        this.#part = "done";
        return byte === LF;
      default:
        this.#extraBytes += 1;
        if (byte === CR && this.#trailer.isAtStart) {
          this.#part = "lastLf";
          return true;
        }
        return this.#trailer.takes(byte);
    }
  }

  #readSizeByte(byte: number): boolean {
    const digit = HEX_VALUE[byte] as number;
    if (digit < 16) {
      this.#sizeDigits += 1;
      this.#leftBytes = this.#leftBytes * 16 + digit;
      return this.#sizeDigits <= SIZE_DIGITS_MAX;
    }
    if (this.#sizeDigits === 0) return false;
    if (byte === SEMICOLON) this.#part = "extensionName";
    else if (byte === CR) this.#part = "sizeEnd";
    else return false;
    return true;
  }
}

/** Trailers are held to the form of headers and then forgotten. */
class TrailerLine {
  #at: "start" | "name" | "value" | "lf" = "start";

  get isAtStart(): boolean {
    return this.#at === "start";
  }

  takes(byte: number): boolean {
    switch (this.#at) {
      case "start":
        this.#at = "name";
        return IS_TOKEN[byte] === 1;
      case "name":
        if (byte === COLON) this.#at = "value";
        return byte === COLON || IS_TOKEN[byte] === 1;
      case "value":
        if (byte === CR) this.#at = "lf";
        return byte === CR || IS_VALUE[byte] === 1;
      case "lf":
        this.#at = "start";
        return byte === LF;
    }
  }
}
