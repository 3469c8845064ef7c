// Waiting on a clock.

import type { Clock } from "../base/clock.ts";

/** Resolves after `ms`, or at once when `signal` is or becomes aborted. */
export function wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      timer.cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.setTimer(clock.nowMs() + Math.ceil(ms), done);
    signal?.addEventListener("abort", done);
  });
}
