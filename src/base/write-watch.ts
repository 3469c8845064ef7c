// Tells somebody who copies a long array in steps which block of it is about to change, just before it does. Whoever
// changes the array calls `touch` first; while nobody copies, that is one comparison.

const NONE = new Uint8Array(0);
const nobody = (): void => undefined;

export class WriteWatch {
  /** Indexes below this one are being copied; 0 while nobody copies. */
  below = 0;
  readonly #blockBits: number;
  /** By block: 1 while it is still to be copied. */
  #pending = NONE;
  #copy: (block: number) => void = nobody;

  /** A block is 2^`blockBits` indexes. */
  constructor(blockBits: number) {
    this.#blockBits = blockBits;
  }

  get blockLength(): number {
    return 1 << this.#blockBits;
  }

  blockCount(length: number): number {
    return Math.ceil(length / this.blockLength);
  }

  /** From now on `copy` is called once for each block of the first `length` indexes, before the block changes. */
  start(length: number, copy: (block: number) => void): void {
    this.below = length;
    this.#pending = new Uint8Array(this.blockCount(length)).fill(1);
    this.#copy = copy;
  }

  stop(): void {
    this.below = 0;
    this.#pending = NONE;
    this.#copy = nobody;
  }

  /** Call before the value at `index` changes. */
  touch(index: number): void {
    if (index < this.below) this.copyBlock(index >> this.#blockBits);
  }

  /** Copies the block unless that was done. */
  copyBlock(block: number): void {
    if (this.#pending[block] !== 1) return;
    this.#pending[block] = 0;
    this.#copy(block);
  }
}
