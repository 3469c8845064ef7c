// What a handler can say about a message besides "done" (it returns) and "try again" (it throws). Verdicts are values
// made here and returned; anything else that a handler returns means done, so that a forgotten return never means
// redelivery.

import type { Duration } from "./duration.ts";
import { toMs } from "./duration.ts";

const isVerdict = Symbol.for("millpond.consumer.verdict");

export type Verdict = Readonly<{ [isVerdict]: true }> &
  (
    | Readonly<{ kind: "retry"; delayMs: number; why?: string }>
    | Readonly<{ kind: "reject"; why: string; detail?: object }>
    | Readonly<{ kind: "discard"; why: string }>
  );

/**
 * Return it from a handler: the message comes back after `delay`, not counted as a failure. The queue still counts the
 * receive, so `maxReceiveCount` holds. Throws a RangeError for what is no duration; more than 12 hours is cut to what
 * SQS allows.
 */
export function retryIn(delay: Duration, why?: string): Verdict {
  return { [isVerdict]: true, kind: "retry", delayMs: toMs(delay), ...(why === undefined ? {} : { why }) };
}

/**
 * Return it from a handler: the message goes to the dead-letter queue now, with `why` as an attribute, instead of
 * being tried until its receives are used up. Without a dead-letter queue it is kept away from consumers as long as SQS
 * allows, never deleted.
 */
export function reject(why: string, detail?: object): Verdict {
  return { [isVerdict]: true, kind: "reject", why, ...(detail === undefined ? {} : { detail }) };
}

/** Return it from a handler: the message is deleted without having been worked on; counted apart from the done ones. */
export function discard(why: string): Verdict {
  return { [isVerdict]: true, kind: "discard", why };
}

/** The verdict that a handler returned, if it returned one. */
export function verdictOf(returned: unknown): Verdict | undefined {
  const isOne = typeof returned === "object" && returned !== null && isVerdict in returned;
  return isOne ? (returned as Verdict) : undefined;
}
