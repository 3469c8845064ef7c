// How long the turns of this process's event loop and its garbage collections are. A turn can be long because others
// have the processor: the processor time that this process used meanwhile says how much of it was its own.

import { type PerformanceEntry, PerformanceObserver, performance } from "node:perf_hooks";

/** The longest of each, in milliseconds. */
export interface Pauses {
  turnMs: number;
  /** Of the turns' lengths, what this process can have caused: no more than the processor time it used. */
  ownTurnMs: number;
  collectionMs: number;
}

export class PauseMeter {
  readonly #observer: PerformanceObserver;
  readonly #longest: Pauses = { turnMs: 0, ownTurnMs: 0, collectionMs: 0 };
  #lastMs = performance.now();
  #lastUsedMs = usedMs();
  #isOn = true;

  constructor() {
    this.#observer = new PerformanceObserver((list) => this.#collected(list.getEntries()));
    this.#observer.observe({ entryTypes: ["gc"] });
    this.#turn();
  }

  stop(): Pauses {
    this.#isOn = false;
    this.#collected(this.#observer.takeRecords());
    this.#observer.disconnect();
    return this.#longest;
  }

  #collected(collections: PerformanceEntry[]): void {
    for (const { duration } of collections) {
      this.#longest.collectionMs = Math.max(this.#longest.collectionMs, duration);
    }
  }

  #turn(): void {
    const nowMs = performance.now();
    const nowUsedMs = usedMs();
    const turnMs = nowMs - this.#lastMs;
    this.#longest.turnMs = Math.max(this.#longest.turnMs, turnMs);
    this.#longest.ownTurnMs = Math.max(this.#longest.ownTurnMs, Math.min(turnMs, nowUsedMs - this.#lastUsedMs));
    this.#lastMs = nowMs;
    this.#lastUsedMs = nowUsedMs;
    if (this.#isOn) setImmediate(() => this.#turn());
  }
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
