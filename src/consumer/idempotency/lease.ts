// Holds a claim while the handler runs: renews it three times a lease, and raises the handler's signal when it is lost.

import type { Clock, TimerHandle } from "../../base/clock.ts";
import type { Claim } from "./store.ts";

/** Two renewals may fail before the lease runs out. */
const RENEWALS_PER_LEASE = 3;

export class HeldLease {
  readonly #claim: Claim<unknown>;
  readonly #leaseMs: number;
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly #lostError: () => Error;
  #timer: TimerHandle | undefined;
  #validUntilMs: number;
  #isLost = false;
  #isOver = false;

  constructor(claim: Claim<unknown>, leaseMs: number, clock: Clock, lostError: () => Error) {
    this.#claim = claim;
    this.#leaseMs = leaseMs;
    this.#clock = clock;
    this.#lostError = lostError;
    this.#validUntilMs = clock.nowMs() + leaseMs;
    if (claim.isLeased) this.#wait();
  }

  /** Aborted when the ownership is lost or can no longer be taken for granted. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The store said that somebody else owns the record. */
  get isLost(): boolean {
    return this.#isLost;
  }

  stop(): void {
    this.#isOver = true;
    this.#timer?.cancel();
  }

  #wait(): void {
    this.#timer = this.#clock.setTimer(this.#clock.nowMs() + Math.ceil(this.#leaseMs / RENEWALS_PER_LEASE), () => {
      void this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const askedAtMs = this.#clock.nowMs();
    try {
      if (await this.#claim.renew(this.#leaseMs)) this.#validUntilMs = askedAtMs + this.#leaseMs;
      else this.#isLost = true;
    } catch {
      // The store is out of reach. The lease still holds for its time; after that a rival may have it, and whether one
      // does is for `complete` to find out.
    }
    if (this.#isOver) return;
    if (this.#isLost || this.#clock.nowMs() >= this.#validUntilMs) this.#abort.abort(this.#lostError());
    if (!this.#isLost) this.#wait();
  }
}
