// Chance from a seed: the same seed gives the same numbers, so that a test or a simulation can be run again. For
// nothing that must be hard to guess.

export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed >>> 0;
    this.#state = this.seed;
  }

  /** 32 random bits: a counter with a large odd step, its bits mixed until each depends on all. */
  bits(): number {
    this.#state = (this.#state + 0x9e37_79b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb_352d);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846c_a68b);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  }

  /** From 0 up to, not including, 1. */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** A whole number from 0 up to, not including, `bound`. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let index = 0; index < count; index++) bytes[index] = this.bits();
    return bytes;
  }

  /** Another source that this one determines: what is drawn from it does not move this one on. */
  fork(): Random {
    return new Random(this.bits());
  }
}
