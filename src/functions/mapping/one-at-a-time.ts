// A place that one takes at a time, in order of arrival: with a batching window, one lane gathers and the others wait
// here, so that what trickles in fills one batch and not several.

export class OneAtATime {
  #isTaken = false;
  readonly #waiting = new Set<() => void>();

  /** True: the place is the caller's until it calls `leave`. False when `signal` is aborted first. */
  enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (!this.#isTaken) {
      this.#isTaken = true;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const take = () => {
        signal.removeEventListener("abort", giveUp);
        resolve(true);
      };
      const giveUp = () => {
        this.#waiting.delete(take);
        resolve(false);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.add(take);
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#isTaken = false;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
