// A growing array of numbers in typed chunks: growing adds a chunk and copies nothing, however long the column is.
// Each change is announced to a watch first, so that a snapshot can be written while the column goes on changing.
//
// The classes differ in their element type alone. They are written out, because a method that meets several kinds of
// typed arrays is several times slower in V8 than one that meets a single kind.

import type { ByteWriter } from "./bytes.ts";
import type { WriteWatch } from "./write-watch.ts";

const CHUNK_BITS = 13;
const CHUNK_LENGTH = 1 << CHUNK_BITS;
const MASK = CHUNK_LENGTH - 1;

type Chunk = Uint8Array | Uint16Array | Int32Array | Float64Array;

abstract class Column<Kind extends Chunk> {
  /** All of CHUNK_LENGTH, but a column with only one, which may be shorter. */
  protected readonly chunks: Kind[] = [];
  protected readonly watch: WriteWatch;
  readonly #bytesEach: number;

  constructor(watch: WriteWatch, bytesEach: number) {
    this.watch = watch;
    this.#bytesEach = bytesEach;
  }

  protected abstract newChunk(length: number): Kind;

  get capacity(): number {
    const { chunks } = this;
    return chunks.length === 0 ? 0 : (chunks.length - 1) * CHUNK_LENGTH + (chunks.at(-1) as Kind).length;
  }

  /** Room for at least `length` values; new ones are 0. Short columns double, long ones grow by a chunk. */
  reserve(length: number): void {
    const { chunks } = this;
    const first = chunks[0];
    if (length > 0 && (first === undefined || first.length < Math.min(length, CHUNK_LENGTH))) {
      const grown = this.newChunk(Math.min(CHUNK_LENGTH, Math.max(length, 2 * (first?.length ?? 0))));
      if (first !== undefined) grown.set(first as never);
      chunks[0] = grown;
    }
    while (chunks.length * CHUNK_LENGTH < length) chunks.push(this.newChunk(CHUNK_LENGTH));
  }

  /** Appends the bytes of values [from, to) as they stand in memory. They must be in one chunk or begin one. */
  writeTo(out: ByteWriter, from: number, to: number): void {
    for (let start = from; start < to; start = (Math.trunc(start / CHUNK_LENGTH) + 1) * CHUNK_LENGTH) {
      out.raw(this.#bytes(start, to));
    }
  }

  /** Puts back values that `writeTo` wrote, from `from` on. Nobody is told. */
  readFrom(bytes: Uint8Array, from: number): void {
    let taken = 0;
    while (taken < bytes.length) {
      const place = this.#bytes(from + taken / this.#bytesEach, from + bytes.length / this.#bytesEach);
      place.set(bytes.subarray(taken, taken + place.length));
      taken += place.length;
    }
  }

  /** From `from` up to `to` or the end of its chunk. */
  #bytes(from: number, to: number): Uint8Array {
    const chunk = this.chunks[from >>> CHUNK_BITS] as Kind;
    const start = from & MASK;
    const length = Math.min(to - from, CHUNK_LENGTH - start);
    return new Uint8Array(chunk.buffer, chunk.byteOffset + start * this.#bytesEach, length * this.#bytesEach);
  }
}

// `get` answers 0 beyond the column: slots come from clients, too, and are looked up before they are believed.

export class Float64Column extends Column<Float64Array> {
  constructor(watch: WriteWatch) {
    super(watch, 8);
  }

  protected override newChunk(length: number): Float64Array {
    return new Float64Array(length);
  }

  get(index: number): number {
    return this.chunks[index >>> CHUNK_BITS]?.[index & MASK] ?? 0;
  }

  set(index: number, value: number): void {
    if (index < this.watch.below) this.watch.touch(index);
    (this.chunks[index >>> CHUNK_BITS] as Float64Array)[index & MASK] = value;
  }
}

export class Int32Column extends Column<Int32Array> {
  constructor(watch: WriteWatch) {
    super(watch, 4);
  }

  protected override newChunk(length: number): Int32Array {
    return new Int32Array(length);
  }

  get(index: number): number {
    return this.chunks[index >>> CHUNK_BITS]?.[index & MASK] ?? 0;
  }

  set(index: number, value: number): void {
    if (index < this.watch.below) this.watch.touch(index);
    (this.chunks[index >>> CHUNK_BITS] as Int32Array)[index & MASK] = value;
  }
}

export class Uint16Column extends Column<Uint16Array> {
  constructor(watch: WriteWatch) {
    super(watch, 2);
  }

  protected override newChunk(length: number): Uint16Array {
    return new Uint16Array(length);
  }

  get(index: number): number {
    return this.chunks[index >>> CHUNK_BITS]?.[index & MASK] ?? 0;
  }

  set(index: number, value: number): void {
    if (index < this.watch.below) this.watch.touch(index);
    (this.chunks[index >>> CHUNK_BITS] as Uint16Array)[index & MASK] = value;
  }
}

export class Uint8Column extends Column<Uint8Array> {
  constructor(watch: WriteWatch) {
    super(watch, 1);
  }

  protected override newChunk(length: number): Uint8Array {
    return new Uint8Array(length);
  }

  get(index: number): number {
    return this.chunks[index >>> CHUNK_BITS]?.[index & MASK] ?? 0;
  }

  set(index: number, value: number): void {
    if (index < this.watch.below) this.watch.touch(index);
    (this.chunks[index >>> CHUNK_BITS] as Uint8Array)[index & MASK] = value;
  }
}
