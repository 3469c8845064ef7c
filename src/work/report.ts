// The supervisor's numbers as JSON: for people, and for KEDA's metrics-api scaler, which takes one number out of it. All
// that such a scaler may ask for is always a number.

import type { Sample } from "./sample.ts";
import type { Decision } from "./sizing.ts";

export interface SupervisorReport {
  queue: string;
  /** Visible and in flight. */
  backlog: number;
  visible: number;
  inFlight: number;
  delayed: number;
  wantedWorkers: number;
  workers: { running: number; draining: number; crashed: number };
  /** Circuit breakers of the workers. */
  openBreakers: number;
  oldestAgeSeconds?: number;
  arrivedPerSecond?: number;
  deletedPerSecond?: number;
  perWorkerPerSecond?: number;
  serviceSeconds?: number;
  failedShare?: number;
  /** The last decision in words; absent until the queue was seen. */
  rule?: string;
  hold?: string;
  why?: string;
  /** The newest changes of mind, oldest first. */
  changes: { atMs: number; from: number; to: number; why: string }[];
}

export function report(
  queue: string,
  { running, draining, crashed, openBreakers }: SupervisorReport["workers"] & Pick<SupervisorReport, "openBreakers">,
  wantedWorkers: number,
  sample: Sample | undefined,
  decision: Decision | undefined,
  changes: readonly Decision[],
): SupervisorReport {
  const { visible = 0, inFlight = 0, delayed = 0 } = sample ?? {};
  return {
    queue,
    backlog: visible + inFlight,
    visible,
    inFlight,
    delayed,
    wantedWorkers,
    workers: { running, draining, crashed },
    openBreakers,
    ...(decision === undefined ? {} : measuredIn(decision)),
    changes: changes.map(({ atMs, before, wanted, why }) => ({ atMs, from: before, to: wanted, why })),
  };
}

function measuredIn({ measured, rule, hold, why }: Decision): Partial<SupervisorReport> {
  const values = {
    oldestAgeSeconds: seconds(measured.oldestAgeMs),
    arrivedPerSecond: measured.arrivedPerSecond,
    deletedPerSecond: measured.deletedPerSecond,
    perWorkerPerSecond: measured.perWorker,
    serviceSeconds: seconds(measured.serviceMs),
    failedShare: measured.failedShare,
    rule,
    hold,
    why,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
