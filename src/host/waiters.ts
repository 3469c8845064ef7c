// Receives that wait for a message, in order of arrival, per partition. They live in memory alone: a long poll ends
// with its connection, its time or the process, and until then nothing is handed out or counted for it.

import type { TimerHandle } from "../base/clock.ts";

export interface Waiter {
  partition: number;
  /** Tries to receive now. True when the waiter has got its answer (or its error) and is done. */
  attempt: () => boolean;
  /** Ends the wait with an empty answer. */
  giveUp: () => void;
  /** Ends the wait with an error: the shard stopped. */
  fail: (error: unknown) => void;
  timer?: TimerHandle;
}

export class Waiters {
  readonly #byPartition = new Map<number, Set<Waiter>>();
  count = 0;

  add(waiter: Waiter): void {
    let waiting = this.#byPartition.get(waiter.partition);
    if (waiting === undefined) {
      waiting = new Set();
      this.#byPartition.set(waiter.partition, waiting);
    }
    waiting.add(waiter);
    this.count += 1;
  }

  remove(waiter: Waiter): void {
    const waiting = this.#byPartition.get(waiter.partition);
    if (!waiting?.delete(waiter)) return;
    waiter.timer?.cancel();
    this.count -= 1;
    if (waiting.size === 0) this.#byPartition.delete(waiter.partition);
  }

  /** Something became available: serves waiters in order until one goes away empty-handed. */
  serve(partition: number): void {
    const waiting = this.#byPartition.get(partition);
    if (waiting === undefined) return;
    for (const waiter of waiting) {
      if (!waiter.attempt()) return;
      this.remove(waiter);
    }
  }

  /** All waiters, removed. */
  takeAll(): Waiter[] {
    const all = [...this.#byPartition.values()].flatMap((waiting) => [...waiting]);
    for (const waiter of all) this.remove(waiter);
    return all;
  }
}
