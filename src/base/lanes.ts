// Bounds how many pieces of asynchronous work of a kind are under way at once.

export class Lanes {
  #freeCount: number;
  /** In order of arrival. */
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#freeCount = count;
  }

  /** Begins when a lane is free, in the order of the calls; settles as the work does. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#freeCount > 0) this.#freeCount -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#freeCount += 1;
      else next();
    }
  }
}
