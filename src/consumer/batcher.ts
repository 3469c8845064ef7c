// Gathers entries into requests of at most ten. A request leaves when ten have gathered or the first has waited for
// `lingerMs`, and at most `callsMax` are on the way: what arrives meanwhile gathers, so that batches grow by themselves
// when the queue is slow.

import type { Clock, TimerHandle } from "../base/clock.ts";
import { BATCH_ENTRIES_MAX } from "./limits.ts";

interface Waiting<Entry, Answer> {
  entry: Entry;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

export interface BatcherOptions<Entry, Answer> {
  clock: Clock;
  /** 0: until the end of this turn of the event loop. */
  lingerMs: number;
  callsMax: number;
  /** Answers one for each entry, in their order. */
  call: (entries: Entry[]) => Promise<Answer[]>;
}

export class Batcher<Entry, Answer> {
  readonly #options: BatcherOptions<Entry, Answer>;
  readonly #waiting: Waiting<Entry, Answer>[] = [];
  #calls = 0;
  #lingering: TimerHandle | undefined;
  #isFlushing = false;

  constructor(options: BatcherOptions<Entry, Answer>) {
    this.#options = options;
  }

  /** Resolves with the entry's answer; rejects when its request failed as a whole. */
  add(entry: Entry): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      this.#schedule();
    });
  }

  /** From now on nothing lingers. */
  hurry(): void {
    this.#isFlushing = true;
    this.#send();
  }

  #schedule(): void {
    if (this.#waiting.length >= BATCH_ENTRIES_MAX) return this.#send();
    if (this.#lingering !== undefined) return;
    const { clock, lingerMs } = this.#options;
    if (this.#isFlushing || lingerMs === 0) {
      const immediate = setImmediate(() => this.#send());
      this.#lingering = { cancel: () => clearImmediate(immediate) };
    } else this.#lingering = clock.setTimer(clock.nowMs() + lingerMs, () => this.#send());
  }

  #send(): void {
    this.#lingering?.cancel();
    this.#lingering = undefined;
    while (this.#waiting.length > 0 && this.#calls < this.#options.callsMax) {
      void this.#call(this.#waiting.splice(0, BATCH_ENTRIES_MAX));
    }
  }

  async #call(batch: Waiting<Entry, Answer>[]): Promise<void> {
    this.#calls += 1;
    try {
      const answers = await this.#options.call(batch.map(({ entry }) => entry));
      batch.forEach(({ resolve }, index) => {
        resolve(answers[index] as Answer);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#calls -= 1;
      // Whoever gathered while no call was free has waited long enough.
      if (this.#waiting.length > 0 && this.#lingering === undefined) this.#send();
    }
  }
}
