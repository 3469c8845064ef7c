// A token bucket: so many starts per time, with room for a burst.

import type { Duration } from "./duration.ts";
import { toMs } from "./duration.ts";

export interface RateLimitOptions {
  /** Messages (batches, with a batch handler: each counts its messages). */
  count: number;
  /** The time in which so many may be started. */
  per: Duration;
  /**
   * How many may start at once after a quiet time. Default: what falls into 50 ms, at least 1, so that timers that fire
   * late cost no throughput. In any stretch of time at most `count` for it plus `burst` are started.
   */
  burst?: number;
}

const CATCH_UP_MS = 50;

export class RateLimit {
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(options: RateLimitOptions, nowMs: number) {
    const perMs = toMs(options.per) / options.count;
    if (!(perMs > 0 && Number.isFinite(perMs))) throw new RangeError("rateLimit needs a count and a time above 0.");
    this.#perMs = perMs;
    this.#burst = Math.max(1, options.burst ?? Math.floor(CATCH_UP_MS / perMs));
    this.#tokens = this.#burst;
    this.#filledAtMs = nowMs;
  }

  /** 0 when one may start now, else the milliseconds until then. */
  waitMs(nowMs: number): number {
    this.#fill(nowMs);
    // Clocks count whole milliseconds, tokens do not: a hair less than one is one.
    return this.#tokens >= 1 - 1e-9 ? 0 : Math.ceil((1 - this.#tokens) * this.#perMs);
  }

  /** A batch may take more than there are; those after it wait for them to come back. */
  take(count: number): void {
    this.#tokens -= count;
  }

  #fill(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#tokens = Math.min(this.#burst, this.#tokens + elapsedMs / this.#perMs);
    // A clock that steps back must not make the same time count twice.
    this.#filledAtMs = Math.max(this.#filledAtMs, nowMs);
  }
}
