// How many lanes a mapping should have at the moment. It is looked at once a second while there is work:
//
//   throttled, or more batches failed than went well   a tenth fewer, at least one, down to the least
//   messages wait and every lane is taken              more, by the ramp, and no more than the backlog needs
//   nothing was received since the last look           back to where it started
//
// A new mapping, and one that has received nothing for five minutes, sleeps: only a few lanes wait. The first message
// wakes it, which brings the lanes of the start at once.

import type { LaneLimits } from "./lane-limits.ts";

export const LOOK_MS = 1000;
export const SLEEP_AFTER_MS = 5 * 60_000;

/** Of the batches that ended since the last look. */
export interface Recent {
  succeeded: number;
  failed: number;
  throttled: number;
  messages: number;
}

export class LaneCount {
  #limits: LaneLimits;
  #target: number;
  #isAsleep = true;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
    this.#target = limits.idle;
  }

  get target(): number {
    return this.#target;
  }

  get canGrow(): boolean {
    return this.#target < this.#limits.most;
  }

  changeLimits(limits: LaneLimits): void {
    this.#limits = limits;
    this.#target = this.#isAsleep ? limits.idle : Math.min(Math.max(this.#target, limits.atStart), limits.most);
  }

  isTroubled({ succeeded, failed, throttled }: Recent): boolean {
    return throttled > 0 || failed > succeeded;
  }

  shrink(): void {
    const step = Math.max(1, Math.floor(this.#target / 10));
    this.#target = Math.max(this.#limits.least, this.#target - step);
  }

  /** `waitingBatches`: what the backlog comes to. */
  grow(waitingBatches: number): void {
    const step = Math.max(1, Math.floor((this.#limits.perMinute * LOOK_MS) / 60_000));
    this.#target = Math.min(this.#limits.most, this.#target + Math.min(step, waitingBatches));
  }

  rest(): void {
    this.#target = this.#limits.atStart;
  }

  sleep(): void {
    this.#isAsleep = true;
    this.#target = this.#limits.idle;
  }

  /** What errors have taken away is grown again, not given back. */
  wake(): void {
    if (this.#isAsleep) this.#target = this.#limits.atStart;
    this.#isAsleep = false;
  }
}
