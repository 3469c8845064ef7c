// Asking a store for a claim: what it costs to wait for somebody else, and what a store that is out of reach means.

import type { Clock } from "../../base/clock.ts";
import { pause } from "../../base/pause.ts";
import { IdempotencyError, inWords } from "./idempotency-error.ts";
import type { RecordId } from "./store.ts";

/** Between two looks at a record that somebody else holds. */
const LOOK_AGAIN_MS = 100;

/**
 * What the store says once nobody else is at it. Throws `InProgress` when somebody still is after `busyWaitMs`, and
 * `StoreUnavailable` when the store cannot be asked.
 */
export async function askWhenFree<Answer extends { is: string }>(
  id: RecordId,
  ask: () => Promise<Answer | { is: "busy"; retryAfterMs: number }>,
  { busyWaitMs, clock }: { busyWaitMs: number; clock: Clock },
): Promise<Exclude<Answer, { is: "busy" }>> {
  const giveUpAtMs = clock.nowMs() + busyWaitMs;
  for (;;) {
    const answer = await ask().catch((cause: unknown) => {
      const what = `The idempotency store could not be asked, so the handler did not run: ${describe(cause)}`;
      throw new IdempotencyError("StoreUnavailable", id, what, { cause });
    });
    if (!isBusy(answer)) return answer as Exclude<Answer, { is: "busy" }>;
    const { retryAfterMs } = answer;
    const leftMs = giveUpAtMs - clock.nowMs();
    if (leftMs <= 0) {
      const what = `${inWords(id)} is being worked on by another worker, for at most ${retryAfterMs} ms more unless it renews.`;
      throw new IdempotencyError("InProgress", id, what, { retryAfterMs });
    }
    await pause(clock, Math.min(LOOK_AGAIN_MS, retryAfterMs, leftMs));
  }
}

export function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function isBusy(answer: { is: string }): answer is { is: "busy"; retryAfterMs: number } {
  return answer.is === "busy";
}
