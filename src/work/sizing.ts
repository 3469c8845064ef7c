// How many workers there should be, decided from one sample after the other. Pure: the time is the samples', nothing is
// started or stopped here. Up at once, at most doubling; down only after a long time of less need, at most halving; not up
// at all while more workers would not help. Every decision says what it saw and why.

import { Downstream } from "./downstream.ts";
import {
  BACKLOG_PER_WORKER_UNKNOWN,
  CALM_FACTOR_MAX,
  FAILED_ATTEMPTS_MIN,
  FAILED_SHARE_MAX,
  GROW_FACTOR,
  GROW_STEP_MIN,
  HEADROOM,
  type Policy,
  RATE_WINDOW_GROWTHS,
  SHRINK_FACTOR,
  STEPS_KEPT_MS,
} from "./policy.ts";
import { type Rates, ratesOf, type Sample, type Step, stepBetween } from "./sample.ts";
import { counted, rate, span } from "./words.ts";

/** What asked for the workers. */
export type Rule = "backlog" | "arrivals" | "age" | "minimum";
/** What kept the number from following the need. */
export type Hold = "maximum" | "groups" | "downstream" | "failures" | "crashes" | "pace" | "calm";

export interface Decision {
  atMs: number;
  wanted: number;
  before: number;
  /** What the rule asked for. */
  need: number;
  rule: Rule;
  hold?: Hold;
  /** Why this number: a sentence. */
  why: string;
  measured: Measured;
}

/** What the decision stands on; what was not measured is absent. */
export interface Measured extends Rates {
  backlog: number;
  oldestAgeMs?: number;
  /** Circuit breakers of the workers, when there is one. */
  openBreakers?: number;
  /** Messages that one worker does in a second. */
  perWorker?: number;
  backlogPerWorker: number;
}

interface Need {
  count: number;
  rule: Rule;
  why: string;
}

export class Sizing {
  readonly #policy: Policy;
  readonly #downstream: Downstream;
  #last: Sample | undefined;
  #steps: Step[] = [];
  #needs: { atMs: number; count: number }[] = [];
  #wanted: number;
  #grownAtMs = Number.NEGATIVE_INFINITY;
  #shrunkAtMs = Number.NEGATIVE_INFINITY;
  /** How long fewer must do before there are fewer: longer after a shrink that had to be taken back. */
  #calmMs: number;
  /** The most messages at a time that a worker was seen with. */
  #concurrencySeen = 0;

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#downstream = new Downstream(policy);
    this.#wanted = policy.workersMin;
    this.#calmMs = policy.shrinkAfterMs;
  }

  get wanted(): number {
    return this.#wanted;
  }

  /** Samples come in order of time. */
  next(sample: Sample): Decision {
    this.#take(sample);
    const { workersMin, workersMax } = this.#policy;
    const measured = this.#measure(sample);
    const need = this.#need(sample, measured);
    const cap = Math.max(workersMin, Math.min(workersMax, sample.groupCount ?? workersMax));
    const asked = Math.min(need.count, cap);
    this.#remember(sample.atMs, asked);
    const before = this.#wanted;
    const { wanted, hold, because } = this.#follow(sample, measured, asked, need.count > cap);
    if (wanted > before) this.#grew(sample.atMs);
    else if (wanted < before) this.#shrank(sample.atMs);
    this.#wanted = wanted;
    return {
      atMs: sample.atMs,
      wanted,
      before,
      need: need.count,
      rule: need.rule,
      ...(hold === undefined ? {} : { hold }),
      why: because === undefined ? need.why : `${need.why}; ${because}`,
      measured,
    };
  }

  #take(sample: Sample): void {
    if (this.#last !== undefined && sample.atMs > this.#last.atMs) this.#steps.push(stepBetween(this.#last, sample));
    this.#last = sample;
    const keepFromMs = sample.atMs - Math.max(STEPS_KEPT_MS, RATE_WINDOW_GROWTHS * this.#policy.growEveryMs);
    this.#steps = this.#steps.filter(({ fromMs }) => fromMs >= keepFromMs);
    this.#downstream.observe(sample, this.#steps);
    if (sample.workers > 0 && sample.workers === this.#wanted) {
      this.#concurrencySeen = Math.max(this.#concurrencySeen, sample.inFlight / sample.workers);
    }
  }

  #grew(atMs: number): void {
    const { shrinkAfterMs } = this.#policy;
    const wasTooFew = this.#shrunkAtMs > this.#grownAtMs && atMs - this.#shrunkAtMs < shrinkAfterMs;
    if (wasTooFew) this.#calmMs = Math.min(this.#calmMs * 2, shrinkAfterMs * CALM_FACTOR_MAX);
    this.#grownAtMs = atMs;
    this.#downstream.grow();
  }

  #shrank(atMs: number): void {
    // The last one was right.
    if (this.#shrunkAtMs > this.#grownAtMs) this.#calmMs = this.#policy.shrinkAfterMs;
    this.#shrunkAtMs = atMs;
    this.#downstream.shrink();
  }

  #measure(sample: Sample): Measured {
    const { withinMs, concurrency, backlogPerWorker, growEveryMs } = this.#policy;
    const windowFromMs = sample.atMs - RATE_WINDOW_GROWTHS * growEveryMs;
    const rates = ratesOf(this.#steps.filter(({ fromMs }) => fromMs >= windowFromMs));
    const atATime = Math.max(concurrency, this.#concurrencySeen);
    const estimated = rates.serviceMs ? (atATime * 1000) / rates.serviceMs : undefined;
    const perWorker = this.#downstream.perWorker ?? estimated;
    // Never less than what a worker takes at a time: long work in progress asks for no second worker.
    const share = perWorker === undefined ? undefined : Math.max(concurrency, (perWorker * withinMs) / 1000);
    return {
      ...rates,
      backlog: sample.visible + sample.inFlight,
      ...(sample.oldestAgeMs === undefined ? {} : { oldestAgeMs: sample.oldestAgeMs }),
      ...(sample.openBreakers === 0 ? {} : { openBreakers: sample.openBreakers }),
      ...(perWorker === undefined ? {} : { perWorker }),
      backlogPerWorker: backlogPerWorker ?? share ?? BACKLOG_PER_WORKER_UNKNOWN,
    };
  }

  /** The largest of what the rules ask for. */
  #need(sample: Sample, measured: Measured): Need {
    const { workersMin, withinMs, growEveryMs } = this.#policy;
    const needs: Need[] = [this.#backlogNeed(measured)];
    const { arrivedPerSecond, perWorker, oldestAgeMs } = measured;
    if (arrivedPerSecond !== undefined && perWorker !== undefined && measured.durationMs >= growEveryMs) {
      const count = Math.ceil((arrivedPerSecond / perWorker) * HEADROOM);
      const why = `${rate(arrivedPerSecond)} arrive and a worker does ${rate(perWorker)}`;
      needs.push({ count, rule: "arrivals", why });
    }
    if (oldestAgeMs !== undefined && oldestAgeMs > withinMs && this.#hasWaited(sample)) {
      const why = `the oldest message is ${span(oldestAgeMs)} old and should be done within ${span(withinMs)}`;
      needs.push({ count: this.#wanted + 1, rule: "age", why });
    }
    needs.push({ count: workersMin, rule: "minimum", why: `${counted(workersMin, "worker")} at least` });
    return needs.reduce((most, need) => (need.count > most.count ? need : most));
  }

  #backlogNeed({ backlog, backlogPerWorker }: Measured): Need {
    const count = Math.ceil(backlog / backlogPerWorker);
    const why =
      backlog === 0
        ? "the queue is empty"
        : `${counted(backlog, "message")} at ${counted(backlogPerWorker, "message")} a worker`;
    return { count, rule: "backlog", why };
  }

  /** Messages waited for as long as a growth takes to show: workers are too few, not just late. */
  #hasWaited({ atMs, visible }: Sample): boolean {
    const fromMs = atMs - this.#policy.growEveryMs;
    const recent = this.#steps.filter(({ toMs }) => toMs > fromMs);
    return visible > 0 && (recent[0]?.fromMs ?? atMs) <= fromMs && recent.every(({ isSaturated }) => isSaturated);
  }

  #remember(atMs: number, count: number): void {
    this.#needs.push({ atMs, count });
    const keepFromMs = atMs - this.#calmMs;
    // The newest that is too old stays: it says what held at the beginning of the time that is looked at.
    while ((this.#needs[1]?.atMs ?? atMs) < keepFromMs) this.#needs.shift();
  }

  #follow(
    sample: Sample,
    measured: Measured,
    asked: number,
    isCapped: boolean,
  ): { wanted: number; hold?: Hold; because?: string } {
    const limit = this.#downstream.limit;
    if (limit !== undefined && limit.workers < this.#wanted) {
      const wanted = Math.max(this.#policy.workersMin, limit.workers);
      return { wanted, hold: "downstream", because: limit.why };
    }
    if (asked > this.#wanted) return this.#grow(sample, measured, asked, isCapped);
    if (asked < this.#wanted) return this.#shrink(sample.atMs, asked);
    return isCapped ? { wanted: asked, ...this.#cappedBy(sample) } : { wanted: asked };
  }

  #grow(sample: Sample, measured: Measured, asked: number, isCapped: boolean) {
    const stay = (hold: Hold, because: string) => ({ wanted: this.#wanted, hold, because });
    if (asked <= this.#policy.workersMin) return { wanted: asked };
    if (sample.crashed > 0) return stay("crashes", `${counted(sample.crashed, "worker")} crashed: no more of them`);
    if (sample.openBreakers > 0) {
      const open = `${counted(sample.openBreakers, "circuit breaker")} of the workers ${sample.openBreakers === 1 ? "is" : "are"} open`;
      return stay("downstream", `${open}: what is behind the workers is the limit`);
    }
    const { limit } = this.#downstream;
    if (limit !== undefined) return stay("downstream", limit.why);
    const { failedShare = 0, endedCount = 0 } = measured;
    if (failedShare > FAILED_SHARE_MAX && endedCount >= FAILED_ATTEMPTS_MIN) {
      const percent = Math.round(failedShare * 100);
      return stay(
        "failures",
        `${percent} % of ${counted(endedCount, "attempt")} failed: more workers would only fail more`,
      );
    }
    const { growEveryMs } = this.#policy;
    if (sample.atMs - this.#grownAtMs < growEveryMs) {
      return stay("pace", `the last growth was less than ${span(growEveryMs)} ago`);
    }
    const step = Math.max(this.#wanted * GROW_FACTOR, this.#wanted + GROW_STEP_MIN);
    if (step < asked) {
      return {
        wanted: step,
        hold: "pace" as const,
        because: `${asked} wanted, at most doubling every ${span(growEveryMs)}`,
      };
    }
    return isCapped ? { wanted: asked, ...this.#cappedBy(sample) } : { wanted: asked };
  }

  #cappedBy({ groupCount }: Sample): { hold: Hold; because: string } {
    const { workersMax } = this.#policy;
    if (groupCount === undefined || groupCount >= workersMax) {
      return { hold: "maximum", because: `${counted(workersMax, "worker")} at most` };
    }
    return { hold: "groups", because: `${counted(groupCount, "message group")} can be worked on at a time` };
  }

  #shrink(atMs: number, asked: number): { wanted: number; hold?: Hold; because?: string } {
    const { shrinkEveryMs } = this.#policy;
    const calm = span(this.#calmMs);
    const highest = this.#needs.reduce((most, { count }) => Math.max(most, count), asked);
    const isCalm = atMs - (this.#needs[0]?.atMs ?? atMs) >= this.#calmMs && highest < this.#wanted;
    if (!isCalm) {
      return { wanted: this.#wanted, hold: "calm", because: `fewer only when they do for ${calm}` };
    }
    if (atMs - this.#shrunkAtMs < shrinkEveryMs) {
      return { wanted: this.#wanted, hold: "pace", because: `fewer at most every ${span(shrinkEveryMs)}` };
    }
    const wanted = Math.max(highest, Math.floor(this.#wanted / SHRINK_FACTOR));
    return { wanted, because: `no more than ${highest} were needed for ${calm}` };
  }
}
