// How long a failed message stays away. The delay grows with the attempt and is drawn at random from its upper half, so
// that what failed together does not come back together. SQS counts at most 12 hours from the receive, whatever is
// asked for: `keepWithinHold` cuts a delay to what is left of them.

import type { Duration } from "./duration.ts";
import { toMs } from "./duration.ts";
import { HELD_MS_MAX } from "./limits.ts";

export interface RetryOptions {
  /**
   * After the first failure. Doubles with every further receive of the message. Default 1 s.
   * Or a function: the delay after this attempt (1 is the first) failed with this error, or "reject".
   */
  delay?: Duration | ((attempt: number, error: unknown) => Duration | "reject");
  /** No delay is longer. Default 5 minutes. */
  delayMax?: Duration;
  /** Share of the delay that is left to chance, from 0 to 1. Default 0.5. Not applied to a function's delays. */
  jitter?: number;
  /** A message that fails this long after it was first received is rejected. Default: never. */
  maxElapsed?: Duration;
}

export type RetryPolicy = (attempt: number, error: unknown, elapsedMs: number) => number | "reject";

/** Throws a RangeError for an option that is out of range. */
export function retryPolicy(options: RetryOptions, random: () => number): RetryPolicy {
  const { delay = 1000, jitter = 0.5 } = options;
  const delayMaxMs = toMs(options.delayMax ?? "5m");
  const maxElapsedMs = options.maxElapsed === undefined ? Number.POSITIVE_INFINITY : toMs(options.maxElapsed);
  if (!(jitter >= 0 && jitter <= 1)) throw new RangeError(`retry.jitter is ${jitter}, but goes from 0 to 1.`);
  const firstMs = typeof delay === "function" ? 0 : toMs(delay);

  return (attempt, error, elapsedMs) => {
    if (elapsedMs >= maxElapsedMs) return "reject";
    if (typeof delay === "function") {
      const answer = delay(attempt, error);
      return answer === "reject" ? "reject" : toMs(answer);
    }
    const fullMs = Math.min(delayMaxMs, firstMs * 2 ** Math.min(attempt - 1, 40));
    return Math.round(fullMs * (1 - jitter * random()));
  };
}

/** Milliseconds that a message held for `heldMs` can still be kept away for, at most `delayMs`. */
export function keepWithinHold(delayMs: number, heldMs: number): number {
  // A second less: SQS refuses the whole change when its own count is a moment ahead of ours.
  return Math.max(0, Math.min(delayMs, HELD_MS_MAX - heldMs - 1000));
}
