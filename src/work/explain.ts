// A decision as lines for a terminal.

import type { Decision } from "./sizing.ts";
import { counted, rate, span } from "./words.ts";

/** One line: what changed, or stayed, and why. */
export function decisionLine({ before, wanted, need, rule, hold, why }: Decision): string {
  const change =
    before === wanted ? `stays at ${counted(wanted, "worker")}` : `${before} -> ${counted(wanted, "worker")}`;
  const asked = need === wanted ? rule : `${rule} asks for ${need}${hold === undefined ? "" : `, ${hold} holds`}`;
  return `${change} (${asked}): ${why}.`;
}

/** What the decision stands on. */
export function evidenceLine({ measured }: Decision): string {
  const parts = [`backlog ${measured.backlog}`, `${counted(measured.backlogPerWorker, "message")} a worker`];
  if (measured.oldestAgeMs !== undefined) parts.push(`oldest ${span(measured.oldestAgeMs)}`);
  if (measured.arrivedPerSecond !== undefined) parts.push(`arrivals ${rate(measured.arrivedPerSecond)}`);
  if (measured.deletedPerSecond !== undefined) parts.push(`deletes ${rate(measured.deletedPerSecond)}`);
  else parts.push(`drains by ${rate(measured.drainedPerSecond)}`);
  if (measured.serviceMs !== undefined) parts.push(`a message takes ${span(measured.serviceMs)}`);
  if (measured.perWorker !== undefined) parts.push(`a worker does ${rate(measured.perWorker)}`);
  if (measured.failedShare !== undefined) parts.push(`${Math.round(measured.failedShare * 100)} % fail`);
  if (measured.openBreakers !== undefined) parts.push(counted(measured.openBreakers, "open breaker"));
  return parts.join(", ");
}
