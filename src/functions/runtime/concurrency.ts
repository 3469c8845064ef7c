// How many invocations may run at once: for one function (its reserved concurrency) and for all together. Like
// Lambda, nothing queues here: over the limit, the caller is told to come again.

import type { ThrottleReason } from "./function-spec.ts";

export class ConcurrencyLimit {
  readonly max: number;
  runningCount = 0;

  constructor(max: number) {
    this.max = max;
  }

  get isFull(): boolean {
    return this.runningCount >= this.max;
  }
}

/** One invocation's place in both. Undefined when it got one; else why not. */
export function enter(
  total: ConcurrencyLimit,
  runningCount: number,
  reserved: number | undefined,
): ThrottleReason | undefined {
  if (reserved !== undefined && runningCount >= reserved) return "ReservedFunctionConcurrentInvocationLimitExceeded";
  if (total.isFull) return "ConcurrentInvocationLimitExceeded";
  total.runningCount += 1;
  return undefined;
}
