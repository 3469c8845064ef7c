// Time that stands still until a test moves it. Advancing steps from one due timer to the next in time order and
// lets the server settle at each, so that what happens at 10 s sees what happened at 5 s, as in real time.

import type { Clock, TimerHandle } from "../base/clock.ts";

interface Timer extends TimerHandle {
  atMs: number;
  /** Timers of the same millisecond run in the order they were set. */
  order: number;
  run: () => void;
}

export class VirtualClock implements Clock {
  #nowMs: number;
  #order = 0;
  readonly #timers = new Set<Timer>();
  #settle: () => Promise<void> = async () => {};
  #advancing: Promise<void> = Promise.resolve();

  constructor(startAtMs: number) {
    this.#nowMs = startAtMs;
  }

  /** What to await between steps; without it, timers run back to back. */
  settleWith(settle: () => Promise<void>): void {
    this.#settle = settle;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  setTimer(dueMs: number, run: () => void): TimerHandle {
    // Time is whole milliseconds, also when a program under test asks for parts of one.
    const atMs = Math.ceil(dueMs);
    const timer: Timer = { atMs, order: this.#order++, run, cancel: () => void this.#timers.delete(timer) };
    this.#timers.add(timer);
    // What is due already must not wait for a test to move the clock.
    if (atMs <= this.#nowMs) setImmediate(() => this.#fire(timer));
    return timer;
  }

  /** Calls queue up behind each other. Rejects a negative step: time does not run backwards. */
  advance(byMs: number): Promise<void> {
    if (!(byMs >= 0)) return Promise.reject(new RangeError(`A clock cannot be advanced by ${byMs} ms.`));
    const advancing = this.#advancing.then(() => this.#step(this.#nowMs + byMs));
    this.#advancing = advancing.catch(() => {});
    return advancing;
  }

  async #step(untilMs: number): Promise<void> {
    await this.#settle();
    for (let timer = this.#next(untilMs); timer !== undefined; timer = this.#next(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, timer.atMs);
      this.#fire(timer);
      await this.#settle();
    }
    this.#nowMs = untilMs;
    await this.#settle();
  }

  #next(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.atMs > untilMs) continue;
      if (next === undefined || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.order < next.order))
        next = timer;
    }
    return next;
  }

  /** At most once, and not when it was cancelled meanwhile. */
  #fire(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.run();
  }
}
