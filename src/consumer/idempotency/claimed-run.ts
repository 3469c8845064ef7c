// A handler's run under a claim: the lease is renewed while it runs, what it throws gives the claim up, and its end is
// recorded together with its effects.

import type { Clock } from "../../base/clock.ts";
import { verdictOf } from "../verdict.ts";
import { describe } from "./ask-store.ts";
import { IdempotencyError, inWords } from "./idempotency-error.ts";
import { HeldLease } from "./lease.ts";
import { type Claim, EffectsRefused, type RecordId } from "./store.ts";

export interface ClaimedRun<Result, Tx> {
  id: RecordId;
  claim: Claim<Tx>;
  leaseMs: number;
  keepForMs: number;
  clock: Clock;
  /** False for a result that means "not done": the claim is given up and the transaction dropped. */
  isDone: (result: Result) => boolean;
  /** What is recorded with the end. */
  saved: (result: Result) => string | undefined;
}

/** Answers the result. Throws what `call` throws, or an IdempotencyError that says that its end was not recorded. */
export async function runClaimed<Result, Tx>(
  run: ClaimedRun<Result, Tx>,
  call: (signal: AbortSignal) => Result | Promise<Result>,
): Promise<Result> {
  const { id, claim, leaseMs, clock } = run;
  const lost = (cause?: unknown) => {
    const what = `${inWords(id)} was taken over by another worker: the result was not saved.`;
    return new IdempotencyError("OwnershipLost", id, what, { cause });
  };
  const lease = new HeldLease(claim, leaseMs, clock, lost);
  let result: Result;
  try {
    result = await call(lease.signal);
  } catch (error) {
    lease.stop();
    // When it fails, the lease runs out by itself; what matters is what the handler said.
    await claim.release().catch(() => {});
    throw lease.isLost ? lost(error) : error;
  }
  if (!run.isDone(result)) {
    lease.stop();
    await claim.release().catch(() => {});
    return result;
  }
  if (!(await complete(run, lease, result))) throw lost();
  return result;
}

/** The lease is renewed until the end is recorded. False: the ownership was lost. */
async function complete<Result, Tx>(
  { id, claim, keepForMs, saved }: ClaimedRun<Result, Tx>,
  lease: HeldLease,
  result: Result,
): Promise<boolean> {
  try {
    return await claim.complete(saved(result), keepForMs);
  } catch (cause) {
    if (cause instanceof EffectsRefused) {
      await claim.release().catch(() => {});
      const what = `${inWords(id)}: the transaction was refused, and nothing of it happened: ${cause.message}`;
      throw new IdempotencyError("EffectsRefused", id, what, { cause: cause.cause });
    }
    const what = `${inWords(id)}: the handler ran, but its end may not have been recorded: ${describe(cause)}`;
    throw new IdempotencyError("NotRecorded", id, what, { cause });
  } finally {
    lease.stop();
  }
}

/** A rejected message can be repaired and moved back from the dead-letter queue: it has to run then. */
export function isDoneByDefault(result: unknown): boolean {
  const verdict = verdictOf(result);
  return verdict === undefined || verdict.kind === "discard";
}

/** The toolkit's context has a signal of its own (timeout, stop); either may tell the handler to end. */
export function withSignalOf(context: unknown, own: AbortSignal): AbortSignal {
  if (typeof context !== "object" || context === null || !("signal" in context)) return own;
  return context.signal instanceof AbortSignal ? AbortSignal.any([context.signal, own]) : own;
}
