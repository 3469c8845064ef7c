// Is something behind the workers the limit? Every growth is a trial: the output before it, with messages waiting all the
// while, is held against the output after it. When more workers took more messages and the queue emptied no faster, what
// is behind them is the limit, and growing would only make each message take longer.
//
//   open     -> limited   a trial was judged and growth did not pay
//   limited  -> open      the output rose without more workers; or the backlog is gone; or it is time to try once more
//
// A growth that follows before the last one could be judged (slow work) belongs to the same trial.

import { COLLAPSED_FACTOR, GAIN_SHARE_MIN, GROW_FACTOR, LIFTED_FACTOR, type Policy } from "./policy.ts";
import { ratesOf, type Sample, type Step } from "./sample.ts";
import { rate, span } from "./words.ts";

/** Output of so many workers with messages waiting all the while. */
interface Level {
  workers: number;
  /** Deletes; without counters, by how much the queue shrank. */
  perSecond: number;
  /** Standard error of how fast the queue shrank: what is less than this is chance. */
  drainedError: number;
  inFlight: number;
  serviceMs: number | undefined;
  isCounted: boolean;
  deletedCount: number;
  durationMs: number;
}

export interface Limit {
  /** No more workers than this. */
  workers: number;
  /** The output that they have together. */
  perSecond: number;
  retryAtMs: number;
  /** What was measured, in words. */
  why: string;
}

/** Without counters other traffic looks like output, and AWS's counts are late: only a long look says something. */
const UNCOUNTED_LEVEL_MS = 60_000;
/** However few deletes there are, this long is long enough. */
const LONG_LEVEL_MS = 54_000;
/** Deletes before a level is one. */
const LEVEL_DELETES_MIN = 30;
/** Longer waits for the first results of slow workers would never judge anything. */
const SERVICE_WAIT_MS_MAX = 60_000;

export class Downstream {
  readonly #policy: Policy;
  /** The number of workers, and since when. */
  #workers = 0;
  #sinceMs = 0;
  #saturatedAtMs = Number.NEGATIVE_INFINITY;
  #serviceMs = 0;
  /** The newest level that growth would be held against. */
  #base: Level | undefined;
  #trial: Level | undefined;
  #limit: Limit | undefined;
  #retryMs: number;

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#retryMs = policy.retryMs;
  }

  get limit(): Limit | undefined {
    return this.#limit;
  }

  /** Messages that one worker does in a second when nothing else is the limit; undefined until it was measured. */
  get perWorker(): number | undefined {
    const base = this.#base;
    return base?.isCounted && base.perSecond > 0 ? base.perSecond / base.workers : undefined;
  }

  observe(sample: Sample, steps: readonly Step[]): void {
    const { atMs, workers } = sample;
    if (workers !== this.#workers) {
      this.#workers = workers;
      this.#sinceMs = atMs;
    }
    if (sample.openBreakers > 0) {
      // Workers that take nothing show nothing about the output: what was being tried is over, what is known stays.
      this.#sinceMs = atMs;
      this.#saturatedAtMs = atMs;
      this.#trial = undefined;
      return;
    }
    this.#serviceMs = ratesOf(steps).serviceMs ?? this.#serviceMs;
    if (steps.at(-1)?.isSaturated) this.#saturatedAtMs = atMs;
    if (atMs - this.#saturatedAtMs > 3 * this.#policy.growEveryMs) this.#relax();
    const level = this.#level(steps);
    if (level !== undefined) this.#judge(level, atMs);
    if (this.#limit !== undefined && atMs >= this.#limit.retryAtMs) this.#limit = undefined;
  }

  /** The backlog is gone: the next one is another story. */
  #relax(): void {
    this.#limit = undefined;
    this.#trial = undefined;
    this.#retryMs = this.#policy.retryMs;
  }

  /** Wanted is about to go up. */
  grow(): void {
    this.#trial ??= this.#base?.workers === this.#workers ? this.#base : undefined;
  }

  /** Wanted is about to go down: what was being tried is over. */
  shrink(): void {
    this.#trial = undefined;
  }

  #level(steps: readonly Step[]): Level | undefined {
    const { growEveryMs } = this.#policy;
    if (this.#workers === 0) return undefined;
    // Workers that have just started have no results yet.
    const fromMs = this.#sinceMs + growEveryMs / 5 + Math.min(this.#serviceMs, SERVICE_WAIT_MS_MAX);
    const used: Step[] = [];
    for (let index = steps.length - 1; index >= 0; index--) {
      const step = steps[index] as Step;
      if (!step.isSaturated || step.workers !== this.#workers || step.fromMs < fromMs) break;
      used.push(step);
    }
    const rates = ratesOf(used);
    const isCounted = rates.deletedPerSecond !== undefined;
    const deletedCount = rates.deletedCount ?? 0;
    const isLong = rates.durationMs >= (isCounted ? growEveryMs * 0.4 : UNCOUNTED_LEVEL_MS);
    const isSure = !isCounted || deletedCount >= LEVEL_DELETES_MIN || rates.durationMs >= LONG_LEVEL_MS;
    if (!isLong || !isSure) return undefined;
    return {
      workers: this.#workers,
      perSecond: rates.deletedPerSecond ?? rates.drainedPerSecond,
      drainedError: drainedErrorOf(used),
      inFlight: rates.inFlight,
      serviceMs: rates.serviceMs,
      isCounted,
      deletedCount,
      durationMs: rates.durationMs,
    };
  }

  #judge(level: Level, atMs: number): void {
    const limit = this.#limit;
    if (limit !== undefined) {
      const isLifted = level.isCounted && level.workers <= limit.workers && limit.perSecond > 0;
      if (!isLifted || level.perSecond < limit.perSecond * LIFTED_FACTOR) return;
      this.#limit = undefined;
      this.#base = level;
      return;
    }
    const before = this.#trial;
    if (before === undefined || before.workers >= level.workers || before.isCounted !== level.isCounted) {
      this.#trial = undefined;
      this.#base = level;
      return;
    }
    const verdict = verdictOn(before, level, atMs - this.#sinceMs >= 6 * this.#policy.growEveryMs);
    if (verdict === "unsure") return;
    this.#trial = undefined;
    if (verdict === "paid") {
      this.#base = level;
      return;
    }
    this.#limit = limitOf(before, level, atMs + this.#retryMs);
    this.#retryMs *= 2;
  }
}

function verdictOn(before: Level, after: Level, isLate: boolean): "paid" | "useless" | "unsure" {
  const expectedGain = after.workers / before.workers - 1;
  const isPaid = after.isCounted
    ? after.perSecond >= before.perSecond * (1 + GAIN_SHARE_MIN * expectedGain)
    : after.perSecond - before.perSecond > Math.hypot(before.drainedError, after.drainedError);
  // A small growth shows in a small difference: it takes more deletes to tell it from chance.
  if (after.isCounted && after.deletedCount < 32 / expectedGain ** 2 && !isLate) return "unsure";
  if (isPaid) return "paid";
  // Workers that have not begun to take messages (a slow start) prove nothing about what is behind them.
  const tookMore = after.inFlight >= before.inFlight * (1 + GAIN_SHARE_MIN * expectedGain);
  return tookMore || isLate ? "useless" : "unsure";
}

function drainedErrorOf(steps: readonly Step[]): number {
  const rates = steps.map(({ drained, fromMs, toMs }) => (drained * 1000) / (toMs - fromMs));
  const mean = rates.reduce((sum, each) => sum + each, 0) / rates.length;
  const squares = rates.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, rates.length - 1) / rates.length);
}

function limitOf(before: Level, after: Level, retryAtMs: number): Limit {
  return {
    workers: workersEnough(before, after),
    perSecond: after.perSecond,
    retryAtMs,
    why: `${inWords(before, after)}: what is behind the workers is the limit`,
  };
}

/** As many as have the same output, with room to notice when the limit lifts; fewer when more only hurt. */
function workersEnough(before: Level, after: Level): number {
  if (!after.isCounted || before.perSecond <= 0) return after.workers;
  if (after.perSecond < before.perSecond * COLLAPSED_FACTOR) return before.workers;
  const enough = Math.ceil((after.perSecond / before.perSecond) * before.workers);
  return Math.max(before.workers, Math.min(after.workers, GROW_FACTOR * enough));
}

function inWords(before: Level, after: Level): string {
  const grown = `going from ${before.workers} to ${after.workers} workers`;
  if (!after.isCounted) {
    return `${grown} emptied the queue no faster (by ${rate(before.perSecond)}, then by ${rate(after.perSecond)})`;
  }
  const deletes = `${grown} took deletes from ${rate(before.perSecond)} to ${rate(after.perSecond)}`;
  if (before.serviceMs === undefined || after.serviceMs === undefined) return deletes;
  return `${deletes} and the time for a message from ${span(before.serviceMs)} to ${span(after.serviceMs)}`;
}
