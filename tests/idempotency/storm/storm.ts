// A storm of duplicated deliveries over worker processes that are killed with SIGKILL in the middle of their work and
// replaced. The storm is the queue: what was not answered as done is delivered again, as SQS would.

import { type ChildProcess, fork } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Random } from "../../../src/base/random.ts";
import type { Kind } from "./back-end.ts";

export interface Delivery {
  number: number;
  key: string;
}

export type Answer =
  | { number: number; is: "done" | "replayed"; result: string }
  | { number: number; is: "failed"; why: string };

export interface StormOptions {
  kind: Kind;
  port: number;
  seed: number;
  keys: number;
  deliveriesPerKey: number;
  kills: number;
  workers: number;
  /** "outside": the planted fault, effects beside the transaction. */
  fault?: "outside";
}

export interface StormReport {
  keys: string[];
  deliveries: number;
  kills: number;
  answers: Record<string, number>;
  /** Results that were not their key's. */
  wrongResults: string[];
}

const IN_FLIGHT_MAX = 10;
const REDELIVER_AFTER_MS = 30;
/** A delivery that was done, and whose delete got lost. */
const AGAIN_CHANCE = 0.05;
const workerProgram = join(dirname(fileURLToPath(import.meta.url)), "worker.js");

export function runStorm(options: StormOptions): Promise<StormReport> {
  return new Storm(options).run();
}

class Storm {
  readonly #options: StormOptions;
  readonly #random: Random;
  /** A delivery that was taken leaves a hole in front: shifting a large array would move all the rest each time. */
  readonly #waiting: (Delivery | undefined)[] = [];
  #firstWaiting = 0;
  /** Every worker that runs, also one that has not said yet that it is ready. */
  readonly #workers = new Set<ChildProcess>();
  readonly #inFlight = new Map<ChildProcess, Map<number, Delivery>>();
  readonly #report: StormReport;
  readonly #doneBetweenKills: number;
  #open: number;
  #delivered = 0;
  #doneSinceKill = 0;
  #finish: () => void = () => {};
  #fail: (error: Error) => void = () => {};

  constructor(options: StormOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    const keys = Array.from({ length: options.keys }, (_, index) => `payment-${options.seed}-${index}`);
    this.#report = { keys, deliveries: 0, kills: 0, answers: {}, wrongResults: [] };
    for (let copy = 0; copy < options.deliveriesPerKey; copy++) for (const key of keys) this.#enqueue(key);
    this.#shuffle();
    this.#open = this.#waiting.length;
    this.#doneBetweenKills = Math.max(1, Math.floor(this.#open / (options.kills + 1)));
  }

  async run(): Promise<StormReport> {
    const finished = new Promise<void>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    for (let worker = 0; worker < this.#options.workers; worker++) this.#hire();
    try {
      await finished;
    } finally {
      for (const worker of this.#workers) {
        worker.removeAllListeners("exit");
        worker.kill("SIGKILL");
      }
    }
    return this.#report;
  }

  #enqueue(key: string): void {
    this.#waiting.push({ number: this.#delivered++, key });
  }

  #shuffle(): void {
    for (let index = this.#waiting.length - 1; index > 0; index--) {
      const other = this.#random.below(index + 1);
      const kept = this.#waiting[index];
      this.#waiting[index] = this.#waiting[other];
      this.#waiting[other] = kept;
    }
  }

  #hire(): void {
    const { kind, port, fault } = this.#options;
    const args = [kind, String(port), String(this.#random.bits()), fault ?? "none"];
    const worker = fork(workerProgram, args, {
      execArgv: ["--no-warnings"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#workers.add(worker);
    worker.once("error", (error) => this.#fail(error));
    worker.on("message", (message: "ready" | Answer) => {
      if (message === "ready") this.#inFlight.set(worker, new Map());
      else this.#settle(worker, message);
      this.#feed(worker);
    });
    worker.once("exit", (code, signal) => {
      if (signal !== "SIGKILL") return this.#fail(new Error(`a worker ended by itself: ${signal ?? code}`));
      for (const delivery of this.#inFlight.get(worker)?.values() ?? []) this.#redeliver(delivery);
      this.#inFlight.delete(worker);
      this.#workers.delete(worker);
      this.#hire();
    });
  }

  #feed(worker: ChildProcess): void {
    const held = this.#inFlight.get(worker);
    while (held !== undefined && held.size < IN_FLIGHT_MAX && worker.connected) {
      const delivery = this.#waiting[this.#firstWaiting];
      if (delivery === undefined) return;
      this.#waiting[this.#firstWaiting++] = undefined;
      held.set(delivery.number, delivery);
      this.#report.deliveries++;
      worker.send(delivery, () => {});
    }
  }

  #settle(worker: ChildProcess, answer: Answer): void {
    const held = this.#inFlight.get(worker);
    const delivery = held?.get(answer.number);
    if (held === undefined || delivery === undefined) return;
    held.delete(answer.number);
    const kind = answer.is === "failed" ? answer.why : answer.is;
    this.#report.answers[kind] = (this.#report.answers[kind] ?? 0) + 1;
    if (answer.is === "failed") return this.#redeliver(delivery);
    if (answer.result !== `charged ${delivery.key}`) this.#report.wrongResults.push(answer.result);
    if (this.#random.chance(AGAIN_CHANCE)) return this.#redeliver(delivery);
    this.#open--;
    if (this.#open === 0) return this.#finish();
    if (++this.#doneSinceKill >= this.#doneBetweenKills && this.#report.kills < this.#options.kills) this.#kill();
  }

  #kill(): void {
    this.#doneSinceKill = 0;
    this.#report.kills++;
    this.#random.pick([...this.#workers]).kill("SIGKILL");
  }

  #redeliver(delivery: Delivery): void {
    setTimeout(() => {
      this.#waiting.push(delivery);
      for (const worker of this.#inFlight.keys()) this.#feed(worker);
    }, REDELIVER_AFTER_MS);
  }
}
