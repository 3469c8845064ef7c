// Durations in options: a number of milliseconds, or a text such as "30s".

import { DURATION_ALLOWED, parseDurationMs } from "../base/duration.ts";

/** Milliseconds, or a text such as "250ms", "30s", "5m", "1h30m". */
export type Duration = number | string;

/** Whole milliseconds, 0 or more. Throws a RangeError that names the value. */
export function toMs(duration: Duration): number {
  const ms = typeof duration === "number" ? duration : parseDurationMs(duration);
  if (ms === undefined) throw new RangeError(`"${duration}" is not ${DURATION_ALLOWED}.`);
  if (!(ms >= 0 && ms < Number.MAX_SAFE_INTEGER))
    throw new RangeError(`${duration} is not a duration of 0 ms or more.`);
  return Math.round(ms);
}
