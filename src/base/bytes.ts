// Growing byte writer and bounds-checked reader for our own binary layouts. Little-endian; texts and byte strings
// carry their length first. A reader meets bytes from a disk, so it checks every bound and throws a RangeError
// that says where; callers turn it into a fault with file and position.

/** A pooled, growing buffer. `reset` keeps the memory, so bytes handed out by `view` are valid only until then. */
export class ByteWriter {
  #buffer: Buffer;
  length = 0;

  constructor(capacityBytes = 4096) {
    this.#buffer = Buffer.allocUnsafe(capacityBytes);
  }

  reset(): void {
    this.length = 0;
  }

  /** The bytes written so far, not copied. */
  view(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }

  /** Hands the bytes over and starts anew with a fresh buffer of `capacityBytes`. */
  take(capacityBytes: number): Buffer {
    const taken = this.view();
    this.#buffer = Buffer.allocUnsafe(capacityBytes);
    this.length = 0;
    return taken;
  }

  u8(value: number): void {
    this.#room(1);
    this.#buffer[this.length] = value;
    this.length += 1;
  }

  u16(value: number): void {
    this.#room(2);
    this.#buffer.writeUInt16LE(value, this.length);
    this.length += 2;
  }

  u32(value: number): void {
    this.#room(4);
    this.#buffer.writeUInt32LE(value, this.length);
    this.length += 4;
  }

  /** Times and sequence numbers: whole numbers up to 2^53, kept as a double. */
  f64(value: number): void {
    this.#room(8);
    this.#buffer.writeDoubleLE(value, this.length);
    this.length += 8;
  }

  /** Raw, without a length. */
  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  bytes(bytes: Uint8Array): void {
    this.u32(bytes.length);
    this.raw(bytes);
  }

  /** UTF-8 with a 32-bit length. */
  text(text: string): void {
    const bytesMax = text.length * 3;
    this.#room(4 + bytesMax);
    const written = this.#buffer.write(text, this.length + 4, "utf8");
    this.#buffer.writeUInt32LE(written, this.length);
    this.length += 4 + written;
  }

  #room(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.length);
    this.#buffer = grown;
  }
}

export class ByteReader {
  readonly #buffer: Buffer;
  offset: number;
  readonly end: number;

  constructor(bytes: Uint8Array, offset = 0, end = bytes.length) {
    this.#buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
    this.end = end;
  }

  get done(): boolean {
    return this.offset >= this.end;
  }

  u8(): number {
    return this.#buffer[this.#advance(1)] as number;
  }

  u16(): number {
    return this.#buffer.readUInt16LE(this.#advance(2));
  }

  u32(): number {
    return this.#buffer.readUInt32LE(this.#advance(4));
  }

  f64(): number {
    return this.#buffer.readDoubleLE(this.#advance(8));
  }

  /** A view into the source, not a copy. */
  raw(length: number): Buffer {
    const start = this.#advance(length);
    return this.#buffer.subarray(start, start + length);
  }

  bytes(): Buffer {
    return this.raw(this.u32());
  }

  text(): string {
    const length = this.u32();
    const start = this.#advance(length);
    return this.#buffer.toString("utf8", start, start + length);
  }

  /** A text that is JSON. What it holds is for the caller to check. */
  json(): unknown {
    const start = this.offset;
    const text = this.text();
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new RangeError(`no JSON at offset ${start}: ${(error as Error).message}`);
    }
  }

  #advance(length: number): number {
    const start = this.offset;
    if (!(length >= 0 && start + length <= this.end)) {
      throw new RangeError(`needs ${length} bytes at offset ${start}, but the data ends at ${this.end}`);
    }
    this.offset = start + length;
    return start;
  }
}
