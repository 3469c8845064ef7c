// Work that nobody waits for, a piece in each turn of the event loop: between two pieces, requests that came meanwhile
// are read and answers that became durable leave. Without it the deliveries of a message to a hundred endpoints would
// begin at once, in front of the answer to whoever published it.

export class Turns {
  /** In order of arrival. */
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a turn that is the caller's alone. Never rejects. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) this.#giveNext();
    });
  }

  #giveNext(): void {
    setImmediate(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#giveNext();
    });
  }
}
