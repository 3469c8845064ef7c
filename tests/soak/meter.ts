// What the load measured: how long answers took in each interval, and what went wrong.

export interface Latencies {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  count: number;
}

export class Meter {
  #tookMs: number[] = [];
  readonly counts = new Map<string, number>();
  /** Refusals that the load did not ask for, and how often each came. */
  readonly surprises = new Map<string, number>();
  lostCount = 0;

  took(action: string, ms: number): void {
    this.#tookMs.push(ms);
    this.counts.set(action, (this.counts.get(action) ?? 0) + 1);
  }

  surprise(text: string): void {
    this.surprises.set(text, (this.surprises.get(text) ?? 0) + 1);
  }

  /** Of what was measured since the last call. */
  take(): Latencies {
    const sorted = this.#tookMs.sort((a, b) => a - b);
    this.#tookMs = [];
    return { p50Ms: share(sorted, 0.5), p99Ms: share(sorted, 0.99), maxMs: sorted.at(-1) ?? 0, count: sorted.length };
  }
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
