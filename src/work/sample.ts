// What was seen at one moment, and what happened between two of them. Counters exist at a Millpond; AWS shows how many
// messages there are and no more, so what needs counters is absent there.

export interface Sample {
  atMs: number;
  visible: number;
  inFlight: number;
  delayed: number;
  /** Of the oldest message. */
  oldestAgeMs?: number;
  /** FIFO: message groups that have messages. */
  groupCount?: number;
  traffic?: Traffic;
  /** Workers that run and were not asked to stop. */
  workers: number;
  /** Workers that crashed and wait for their restart. */
  crashed: number;
  /** Circuit breakers that the workers have told of and that are not closed again. */
  openBreakers: number;
}

/** Counters that grow; comparable while `epoch` is the same. */
export interface Traffic {
  epoch: number;
  arrived: number;
  received: number;
  deleted: number;
  heldMs: number;
}

export interface Step {
  fromMs: number;
  toMs: number;
  /** Undefined when the number changed. */
  workers: number | undefined;
  /** Messages waited at both ends: no worker was idle for want of work. */
  isSaturated: boolean;
  inFlight: number;
  /** Messages that the queue lost, all states together; below zero when it grew. */
  drained: number;
  /** Differences; `ended` is how many holds of a message ended, one way or the other. */
  traffic?: { arrived: number; deleted: number; ended: number; heldMs: number };
}

export function stepBetween(from: Sample, to: Sample): Step {
  const traffic = trafficBetween(from, to);
  return {
    fromMs: from.atMs,
    toMs: to.atMs,
    workers: from.workers === to.workers ? to.workers : undefined,
    isSaturated: from.visible > 0 && to.visible > 0,
    inFlight: (from.inFlight + to.inFlight) / 2,
    drained: countOf(from) - countOf(to),
    ...(traffic === undefined ? {} : { traffic }),
  };
}

function countOf({ visible, inFlight, delayed }: Sample): number {
  return visible + inFlight + delayed;
}

function trafficBetween(from: Sample, to: Sample): Step["traffic"] {
  const [before, after] = [from.traffic, to.traffic];
  if (before === undefined || after === undefined || before.epoch !== after.epoch) return undefined;
  return {
    arrived: after.arrived - before.arrived,
    deleted: after.deleted - before.deleted,
    ended: Math.max(0, after.received - before.received - (to.inFlight - from.inFlight)),
    heldMs: after.heldMs - before.heldMs,
  };
}

/** Means over some steps. Absent: nothing was counted. */
export interface Rates {
  durationMs: number;
  inFlight: number;
  drainedPerSecond: number;
  arrivedPerSecond?: number;
  deletedPerSecond?: number;
  deletedCount?: number;
  /** From receive to delete. */
  serviceMs?: number;
  /** Of the attempts that ended, the share without a delete. */
  failedShare?: number;
  endedCount?: number;
}

export function ratesOf(steps: readonly Step[]): Rates {
  let durationMs = 0;
  let drained = 0;
  let inFlightTimesMs = 0;
  const counted = { durationMs: 0, arrived: 0, deleted: 0, ended: 0, heldMs: 0 };
  for (const step of steps) {
    const ms = step.toMs - step.fromMs;
    durationMs += ms;
    drained += step.drained;
    inFlightTimesMs += step.inFlight * ms;
    if (step.traffic === undefined) continue;
    counted.durationMs += ms;
    counted.arrived += step.traffic.arrived;
    counted.deleted += step.traffic.deleted;
    counted.ended += step.traffic.ended;
    counted.heldMs += step.traffic.heldMs;
  }
  const rates: Rates = {
    durationMs,
    inFlight: durationMs > 0 ? inFlightTimesMs / durationMs : 0,
    drainedPerSecond: perSecond(drained, durationMs),
  };
  if (counted.durationMs === 0) return rates;
  rates.arrivedPerSecond = perSecond(counted.arrived, counted.durationMs);
  rates.deletedPerSecond = perSecond(counted.deleted, counted.durationMs);
  rates.deletedCount = counted.deleted;
  if (counted.deleted > 0) rates.serviceMs = counted.heldMs / counted.deleted;
  rates.endedCount = counted.ended;
  if (counted.ended > 0) rates.failedShare = Math.max(0, 1 - counted.deleted / counted.ended);
  return rates;
}

function perSecond(count: number, durationMs: number): number {
  return durationMs > 0 ? (count * 1000) / durationMs : 0;
}
