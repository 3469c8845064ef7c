// What the operator decides about sizing, with the defaults. Everything else is measured.

export interface Policy {
  workersMin: number;
  workersMax: number;
  /** A message that arrives now should be done within this time. */
  withinMs: number;
  /** Messages (waiting and in work) for each worker; absent: what a worker does within `withinMs`, as measured. */
  backlogPerWorker?: number;
  /** Messages that a worker works on at a time, as far as nothing better was measured. */
  concurrency: number;
  /** Growth goes at once, and then waits this long before it goes on. Trials of growth are timed by it, too. */
  growEveryMs: number;
  /** Nothing shrinks unless fewer workers would have done for all of this time. */
  shrinkAfterMs: number;
  shrinkEveryMs: number;
  /** The downstream was the limit: one new attempt to grow after this time, then after twice this time, and so on. */
  retryMs: number;
}

export const POLICY: Policy = {
  workersMin: 0,
  workersMax: 10,
  withinMs: 30_000,
  concurrency: 1,
  growEveryMs: 10_000,
  shrinkAfterMs: 300_000,
  shrinkEveryMs: 60_000,
  retryMs: 600_000,
};

/** One growth at most doubles, and may always add this many. */
export const GROW_FACTOR = 2;
export const GROW_STEP_MIN = 2;
/** One shrink at most halves. */
export const SHRINK_FACTOR = 2;
/** A shrink that had to be taken back doubles the time before the next, up to this many times `shrinkAfterMs`. */
export const CALM_FACTOR_MAX = 8;
/** Room above the measured arrivals, so that a backlog can be worked off. */
export const HEADROOM = 1.2;
/** While a worker's speed is not known. */
export const BACKLOG_PER_WORKER_UNKNOWN = 10;
/** Rates are means over this many times `growEveryMs`: a minute by default. */
export const RATE_WINDOW_GROWTHS = 6;
/** What is remembered of the past, for levels of workers that are slow or cannot be counted. */
export const STEPS_KEPT_MS = 90_000;
/** When more than this share of what workers took came back, more workers would only fail more. */
export const FAILED_SHARE_MAX = 0.5;
/** Fewer ended attempts than this say nothing about failing. */
export const FAILED_ATTEMPTS_MIN = 10;
/** Growth must bring this share of what it would bring if nothing else were the limit. */
export const GAIN_SHARE_MIN = 0.5;
/** Output that rises by this factor with no more workers says that the downstream is not the limit any more. */
export const LIFTED_FACTOR = 1.25;
/** Output that falls below this factor with more workers says that they get in each other's way. */
export const COLLAPSED_FACTOR = 0.9;
