// The loop around the decisions: look at the queue, decide, resize the pool, say what changed. What cannot be seen changes
// nothing: while the server does not answer, the workers stay as many as they are.

import type { Clock, TimerHandle } from "../base/clock.ts";
import type { Policy } from "./policy.ts";
import { report, type SupervisorReport } from "./report.ts";
import type { Sample } from "./sample.ts";
import { type Decision, Sizing } from "./sizing.ts";
import { counted } from "./words.ts";

/** What is read of the queue; the rest of a sample is the supervisor's. */
export type Reading = Omit<Sample, "atMs" | "workers" | "crashed" | "openBreakers">;

/** What the supervisor moves: worker processes, or nothing in a dry run. */
export interface Pool {
  readonly running: number;
  readonly crashed: number;
  readonly draining: number;
  readonly openBreakers: number;
  resize(wanted: number): void;
  stop(): Promise<void>;
}

export interface SupervisorOptions {
  queue: string;
  policy: Policy;
  pool: Pool;
  clock: Clock;
  everyMs: number;
  /** Rejects when the queue cannot be seen; the message is shown. */
  read: () => Promise<Reading>;
  /** Every decision; `isChange` when the number or what holds it changed. */
  onDecision: (decision: Decision, isChange: boolean) => void;
  say: (line: string) => void;
}

const DECISIONS_KEPT = 50;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #sizing: Sizing;
  #timer: TimerHandle | undefined;
  #looking: Promise<void> | undefined;
  #isStopped = false;
  #last: Decision | undefined;
  #lastSample: Sample | undefined;
  #blindSince: string | undefined;
  readonly #changes: Decision[] = [];

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#sizing = new Sizing(options.policy);
  }

  /** Starts the fewest workers at once, and looks at the queue from now on. */
  start(): void {
    this.#options.pool.resize(this.#sizing.wanted);
    this.#lookLater(0);
  }

  /** Drains all workers. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#looking;
    await this.#options.pool.stop();
  }

  report(): SupervisorReport {
    const { queue, pool } = this.#options;
    return report(queue, pool, this.#sizing.wanted, this.#lastSample, this.#last, this.#changes);
  }

  #lookLater(inMs: number): void {
    const { clock } = this.#options;
    this.#timer = clock.setTimer(clock.nowMs() + inMs, () => {
      const beganAtMs = clock.nowMs();
      this.#looking = this.#look().then(() => {
        if (!this.#isStopped) this.#lookLater(Math.max(0, beganAtMs + this.#options.everyMs - clock.nowMs()));
      });
    });
  }

  async #look(): Promise<void> {
    const { read, pool, clock, say } = this.#options;
    let reading: Reading;
    try {
      reading = await read();
    } catch (error) {
      const why = (error as Error).message;
      if (why !== this.#blindSince && !this.#isStopped) {
        say(`The queue cannot be seen, so the ${counted(pool.running, "worker")} stay as they are: ${why}`);
      }
      this.#blindSince = why;
      return;
    }
    if (this.#isStopped) return;
    if (this.#blindSince !== undefined) say("The queue can be seen again.");
    this.#blindSince = undefined;
    const { running: workers, crashed, openBreakers } = pool;
    this.#decide({ ...reading, atMs: clock.nowMs(), workers, crashed, openBreakers });
  }

  #decide(sample: Sample): void {
    const decision = this.#sizing.next(sample);
    const isChange =
      decision.wanted !== decision.before || (decision.hold !== this.#last?.hold && isTelling(decision, this.#last));
    this.#lastSample = sample;
    this.#last = decision;
    if (isChange) {
      this.#changes.push(decision);
      if (this.#changes.length > DECISIONS_KEPT) this.#changes.shift();
    }
    this.#options.onDecision(decision, isChange);
    this.#options.pool.resize(decision.wanted);
  }
}

/** Pace and calm come and go with every growth; what keeps the workers too few, or stops doing so, is news. */
function isTelling(now: Decision, before: Decision | undefined): boolean {
  return isObstacle(now) || (before !== undefined && isObstacle(before));
}

function isObstacle({ hold }: Decision): boolean {
  return hold === "downstream" || hold === "failures" || hold === "crashes" || hold === "maximum" || hold === "groups";
}
