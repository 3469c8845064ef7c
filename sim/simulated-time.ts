// The simulation's time and its one loop. Time moves only from one timer to the next; between two timers all work that
// promises and setImmediate have queued gets a fixed number of turns of the event loop. Nothing waits for the real
// world, so the same seed runs the same steps in the same order.

import type { Clock, TimerHandle } from "../src/base/clock.ts";

/** How often the event loop goes round after each timer; work that needs more goes on at the next one. */
const TURNS_PER_STEP = 2;

interface Timer {
  atMs: number;
  /** Timers of the same millisecond run in the order they were set. */
  order: number;
  run: (() => void) | undefined;
}

/** One life of the server's machine: what belongs to an ended one never runs again. */
export class Life {
  isOver = false;
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }
}

export class SimulatedTime {
  nowMs: number;
  readonly startedAtMs: number;
  stepCount = 0;
  #order = 0;
  #heap: Timer[] = [];

  constructor(startAtMs: number) {
    this.nowMs = startAtMs;
    this.startedAtMs = startAtMs;
  }

  setTimer(atMs: number, run: () => void): TimerHandle {
    const timer: Timer = { atMs, order: this.#order++, run };
    this.#push(timer);
    return {
      cancel: () => {
        timer.run = undefined;
      },
    };
  }

  /** A clock whose timers die with the life that set them. */
  clockOf(life: Life): Clock {
    return {
      nowMs: () => this.nowMs,
      setTimer: (atMs, run) =>
        this.setTimer(atMs, () => {
          if (!life.isOver) run();
        }),
    };
  }

  /** When the next timer is due; infinity when there is none. */
  get nextMs(): number {
    while (this.#heap.length > 0 && (this.#heap[0] as Timer).run === undefined) this.#pop();
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Runs the next timer and what follows from it. */
  async step(): Promise<void> {
    if (this.nextMs === Number.POSITIVE_INFINITY) return this.turn();
    const timer = this.#pop();
    this.nowMs = Math.max(this.nowMs, timer.atMs);
    timer.run?.();
    await this.turn();
  }

  /** Lets everything run that needs no time. */
  turn(): Promise<void> {
    this.stepCount += 1;
    return new Promise((resolve) => {
      let left = TURNS_PER_STEP;
      const pass = () => {
        left -= 1;
        if (left < 0) resolve();
        else setImmediate(pass);
      };
      pass();
    });
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, heap[parent] as Timer)) break;
      heap[at] = heap[parent] as Timer;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): Timer {
    const heap = this.#heap;
    const top = heap[0] as Timer;
    const last = heap.pop() as Timer;
    if (heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
      if (!isBefore(heap[child] as Timer, last)) break;
      heap[at] = heap[child] as Timer;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
