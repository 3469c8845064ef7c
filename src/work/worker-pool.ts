// The worker processes: as many as are wanted, one process for each place.
//
//   empty -> running -> empty         it ended by itself: started again after a pause that doubles while it keeps ending
//   running -> draining -> gone       it is not wanted any more: SIGTERM, then SIGKILL after the grace period
//
// A place that is given up is no crash, however its process ends. Time and processes are ports.

import type { Clock, TimerHandle } from "../base/clock.ts";

/** A process that was started. */
export interface WorkerProcess {
  /** Sends the signal to the process and whatever it started. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
}

export interface WorkerEvents {
  /** Once, whether it ran or could not even be started. `how` is in words: `exit code 1`. */
  ended(how: string): void;
  /** A line that it wrote to standard error. */
  complained(line: string): void;
  /** How many of its circuit breakers are open, whenever that changes. */
  breakersOpen(count: number): void;
}

/** Starts the command for the place with this number, from 1. Never throws. */
export type StartWorker = (place: number, events: WorkerEvents) => WorkerProcess;

export interface PoolOptions {
  start: StartWorker;
  clock: Clock;
  graceMs: number;
  /** Told what happens, in words. */
  say: (line: string) => void;
}

const RESTART_MS_MIN = 500;
const RESTART_MS_MAX = 30_000;
/** A worker that lived this long was well: its end begins a new count. */
const WELL_AFTER_MS = 30_000;
/** Ends in a row after which the place counts as degraded and its last words are shown. */
const DEGRADED_AFTER = 5;
const LAST_LINES_MAX = 10;

interface Place {
  number: number;
  process: WorkerProcess | undefined;
  startedAtMs: number;
  endsInARow: number;
  restart: TimerHandle | undefined;
  kill: TimerHandle | undefined;
  lastLines: string[];
  openBreakers: number;
  isDraining: boolean;
}

export class WorkerPool {
  readonly #options: PoolOptions;
  #places: Place[] = [];
  readonly #draining = new Set<Place>();
  #drained: (() => void)[] = [];
  #isStopped = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#places.filter((place) => place.process !== undefined).length;
  }

  /** Places whose process ended and waits for its restart. */
  get crashed(): number {
    return this.#places.filter((place) => place.restart !== undefined).length;
  }

  get draining(): number {
    return this.#draining.size;
  }

  /** Of the workers that are wanted: one that drains takes no messages, whatever it says. */
  get openBreakers(): number {
    return this.#places.reduce((sum, place) => sum + place.openBreakers, 0);
  }

  /** The newest workers go first. */
  resize(wanted: number): void {
    if (this.#isStopped) return;
    while (this.#places.length > wanted) this.#drain(this.#places.pop() as Place);
    while (this.#places.length < wanted) this.#add();
  }

  /** Drains all; resolves when the last process is gone, at the latest a moment after the grace period. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    while (this.#places.length > 0) this.#drain(this.#places.pop() as Place);
    if (this.#draining.size > 0) await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  #add(): void {
    // A place that is still draining keeps its number: two workers with one number would be a surprise.
    const taken = new Set([...this.#places, ...this.#draining].map(({ number }) => number));
    let number = 1;
    while (taken.has(number)) number += 1;
    const place: Place = {
      number,
      process: undefined,
      startedAtMs: 0,
      endsInARow: 0,
      restart: undefined,
      kill: undefined,
      lastLines: [],
      openBreakers: 0,
      isDraining: false,
    };
    this.#places.push(place);
    this.#start(place);
  }

  #start(place: Place): void {
    const { start, clock } = this.#options;
    place.restart = undefined;
    place.startedAtMs = clock.nowMs();
    place.process = start(place.number, {
      ended: (how) => this.#ended(place, how),
      complained: (line) => {
        place.lastLines.push(line);
        if (place.lastLines.length > LAST_LINES_MAX) place.lastLines.shift();
      },
      breakersOpen: (count) => {
        place.openBreakers = count;
      },
    });
  }

  #ended(place: Place, how: string): void {
    place.process = undefined;
    place.openBreakers = 0;
    place.kill?.cancel();
    if (place.isDraining) {
      this.#draining.delete(place);
      if (this.#draining.size === 0) for (const resolve of this.#drained.splice(0)) resolve();
      return;
    }
    const { clock, say } = this.#options;
    const livedMs = clock.nowMs() - place.startedAtMs;
    place.endsInARow = livedMs >= WELL_AFTER_MS ? 1 : place.endsInARow + 1;
    const pauseMs = Math.min(RESTART_MS_MAX, RESTART_MS_MIN * 2 ** (place.endsInARow - 1));
    say(`Worker ${place.number} ended by itself (${how}) after ${livedMs / 1000} s; again in ${pauseMs / 1000} s.`);
    if (place.endsInARow === DEGRADED_AFTER) {
      say(`Worker ${place.number} has ended ${DEGRADED_AFTER} times in a row. Its last words:`);
      for (const line of place.lastLines) say(`  ${line}`);
    }
    place.restart = clock.setTimer(clock.nowMs() + pauseMs, () => this.#start(place));
  }

  #drain(place: Place): void {
    place.restart?.cancel();
    place.isDraining = true;
    const { process } = place;
    if (process === undefined) return;
    this.#draining.add(place);
    process.signal("SIGTERM");
    const { clock, graceMs, say } = this.#options;
    place.kill = clock.setTimer(clock.nowMs() + graceMs, () => {
      say(`Worker ${place.number} did not end within ${graceMs / 1000} s of SIGTERM and is killed.`);
      process.signal("SIGKILL");
    });
  }
}
