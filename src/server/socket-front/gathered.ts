// Bytes that arrive in pieces, kept in one buffer that doubles: a sender of single bytes costs us no more than their
// number, which a list of pieces would not hold to.

const CAPACITY_MIN = 1024;

export class Gathered {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity = 0) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(CAPACITY_MIN, capacity));
  }

  get length(): number {
    return this.#length;
  }

  /** The buffer itself: what is behind `length` is not to be read. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  add(bytes: Buffer, from: number, to: number): void {
    const length = this.#length + (to - from);
    if (length > this.#bytes.length) this.#grow(length);
    bytes.copy(this.#bytes, this.#length, from, to);
    this.#length = length;
  }

  /** All of them; nothing may be added afterwards. */
  take(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
