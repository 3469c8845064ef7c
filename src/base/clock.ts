// Time as a port. The engine gets time inside commands; the host asks a clock, and tests hand it one they move.

export interface TimerHandle {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the Unix epoch, whole. */
  nowMs(): number;
  /** Calls `run` once, at or soon after `atMs`. A time in the past runs in a later turn, never inside this call. */
  setTimer(atMs: number, run: () => void): TimerHandle;
}

/** Node's largest timer delay; a longer one fires at once, so long waits are cut into pieces. */
const TIMER_DELAY_MS_MAX = 2_147_483_647;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  setTimer(atMs, run) {
    const delayMs = Math.min(Math.max(0, atMs - Date.now()), TIMER_DELAY_MS_MAX);
    const timer = setTimeout(() => {
      if (Date.now() >= atMs) run();
      else handle.inner = systemClock.setTimer(atMs, run);
    }, delayMs);
    const handle: TimerHandle & { inner?: TimerHandle } = {
      cancel() {
        clearTimeout(timer);
        handle.inner?.cancel();
      },
    };
    return handle;
  },
};
