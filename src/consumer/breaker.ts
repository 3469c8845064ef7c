// The circuit breaker: when too large a share of the tries fails, stop taking messages, because a downstream that is
// dead would only use up their receives and fill the dead-letter queue.
//
//   closed   messages flow; outcomes are counted in a sliding window
//   open     nothing starts until `openFor` is over
//   probing  one message at a time is tried: success closes the breaker, failure opens it again
//
// Only `#become` changes the state.

import type { Duration } from "./duration.ts";
import { toMs } from "./duration.ts";

export interface BreakerOptions {
  /** Opens when at least this share of the tries in the window failed, 0 to 1. Default 0.5. */
  failureRate?: number;
  /** Default 10 s. */
  window?: Duration;
  /** Never opens on fewer tries. Default 10. */
  minSamples?: number;
  /** How long nothing is tried. Default 30 s. */
  openFor?: Duration;
  /** Which errors say something about the downstream. Default: all. */
  countIf?: (error: unknown) => boolean;
}

export type BreakerState = "closed" | "open" | "probing";

const BUCKETS = 10;

export class Breaker {
  readonly #failureRate: number;
  readonly #bucketMs: number;
  readonly #minSamples: number;
  readonly #openForMs: number;
  readonly #countIf: (error: unknown) => boolean;
  readonly #buckets: { index: number; failures: number; samples: number }[] = [];
  state: BreakerState = "closed";
  openUntilMs = 0;

  constructor(options: BreakerOptions) {
    this.#failureRate = options.failureRate ?? 0.5;
    this.#bucketMs = Math.max(1, toMs(options.window ?? "10s") / BUCKETS);
    this.#minSamples = options.minSamples ?? 10;
    this.#openForMs = toMs(options.openFor ?? "30s");
    this.#countIf = options.countIf ?? (() => true);
    if (!(this.#failureRate > 0 && this.#failureRate <= 1))
      throw new RangeError(`breaker.failureRate is ${this.#failureRate}, but is above 0 and at most 1.`);
  }

  /** Whether this error is one for the breaker. A `countIf` that throws does not make a failure disappear. */
  counts(error: unknown): boolean {
    try {
      return this.#countIf(error);
    } catch {
      return true;
    }
  }

  /** A try that was no probe ended. True when this opened the breaker. */
  record(isFailure: boolean, nowMs: number): boolean {
    if (this.state !== "closed") return false;
    const bucket = this.#bucketAt(nowMs);
    bucket.samples += 1;
    if (isFailure) bucket.failures += 1;
    const { failures, samples } = this.counted(nowMs);
    if (!isFailure || samples < this.#minSamples || failures < samples * this.#failureRate) return false;
    this.#become("open", nowMs);
    return true;
  }

  /** In the window that ends now. */
  counted(nowMs: number): { failures: number; samples: number } {
    this.#forget(nowMs);
    return {
      failures: this.#buckets.reduce((sum, bucket) => sum + bucket.failures, 0),
      samples: this.#buckets.reduce((sum, bucket) => sum + bucket.samples, 0),
    };
  }

  /** Open for long enough: from now on one message at a time is tried. */
  startProbing(nowMs: number): void {
    if (this.state === "open" && nowMs >= this.openUntilMs) this.#become("probing", nowMs);
  }

  probeEnded(isFailure: boolean, nowMs: number): void {
    if (this.state === "probing") this.#become(isFailure ? "open" : "closed", nowMs);
  }

  #become(state: BreakerState, nowMs: number): void {
    this.state = state;
    if (state === "open") this.openUntilMs = nowMs + this.#openForMs;
    if (state === "closed") this.#buckets.length = 0;
  }

  #bucketAt(nowMs: number): { failures: number; samples: number } {
    const index = Math.floor(nowMs / this.#bucketMs);
    let bucket = this.#buckets.at(-1);
    if (bucket?.index !== index) {
      bucket = { index, failures: 0, samples: 0 };
      this.#buckets.push(bucket);
    }
    return bucket;
  }

  #forget(nowMs: number): void {
    const oldest = Math.floor(nowMs / this.#bucketMs) - BUCKETS;
    while (this.#buckets[0] !== undefined && this.#buckets[0].index <= oldest) this.#buckets.shift();
  }
}
