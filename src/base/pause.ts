// Waiting for a time by the clock, which a test may own.

import type { Clock, TimerHandle } from "./clock.ts";

/** Resolves after `ms`, rounded up, or as soon as `signal` is aborted. Never rejects. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    let timer: TimerHandle | undefined;
    const end = () => {
      timer?.cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    signal?.addEventListener("abort", end);
    timer = clock.setTimer(clock.nowMs() + Math.ceil(ms), end);
  });
}
