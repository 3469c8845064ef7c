// When a failed delivery to an HTTP endpoint is tried again. Four phases: at once, at the shortest delay, growing
// delays, at the longest (developer guide, "message delivery retries"; fanout.md A10).

import type { BackoffFunction, HealthyRetryPolicy } from "./delivery-policy.ts";

/** For subscribed functions: 3 tries at once, 2 a second apart, 10 growing to 20 s, then every 20 s for 23 days. */
export const FUNCTION_RETRIES: HealthyRetryPolicy = {
  minDelayTarget: 1,
  maxDelayTarget: 20,
  numRetries: 100_015,
  numNoDelayRetries: 3,
  numMinDelayRetries: 2,
  numMaxDelayRetries: 100_000,
  backoffFunction: "exponential",
};

/** Milliseconds to wait after the attempt of that number (1 is the first) failed; undefined: give up. */
export function retryDelayMs(policy: HealthyRetryPolicy, attempt: number): number | undefined {
  const { numRetries, numNoDelayRetries, numMinDelayRetries, numMaxDelayRetries } = policy;
  if (attempt > numRetries) return undefined;
  if (attempt <= numNoDelayRetries) return 0;
  const min = policy.minDelayTarget * 1000;
  const max = policy.maxDelayTarget * 1000;
  if (attempt <= numNoDelayRetries + numMinDelayRetries) return min;
  const growing = numRetries - numNoDelayRetries - numMinDelayRetries - numMaxDelayRetries;
  const step = attempt - numNoDelayRetries - numMinDelayRetries;
  if (step > growing) return max;
  return Math.round(grow(policy.backoffFunction, min, max, step, growing));
}

/** From the shortest delay towards the longest, which the last step reaches. */
function grow(how: BackoffFunction, min: number, max: number, step: number, steps: number): number {
  if (how === "geometric") return min * (max / min) ** (step / steps);
  return min + (max - min) * share(how, step, steps);
}

function share(how: Exclude<BackoffFunction, "geometric">, step: number, steps: number): number {
  switch (how) {
    case "linear":
      return step / steps;
    case "arithmetic":
      return (step * (step + 1)) / (steps * (steps + 1));
    case "exponential":
      return (2 ** step - 1) / (2 ** steps - 1);
  }
}
