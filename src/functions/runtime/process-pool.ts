// A function that runs in processes of its own. An invocation takes the process that was idle last, else one that will
// be idle in a moment, else starts one. Idle processes end after a while. When code or configuration changes, what
// runs ends on the old, and nothing new begins there.

import type { TimerHandle } from "../../base/clock.ts";
import type { Job, ProcessOwner } from "./function-process.ts";
import { FunctionProcess } from "./function-process.ts";
import type { FunctionSpec } from "./function-spec.ts";
import type { LaunchPlan, ProcessCode } from "./launch.ts";
import { planLaunch } from "./launch.ts";

export interface ProcessPoolOptions extends Pick<ProcessOwner, "clock" | "surroundings" | "guard" | "onLine"> {
  idleKeepMs: number;
  onColdStart(): void;
}

export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #owner: ProcessOwner;
  #spec: FunctionSpec;
  #code: ProcessCode;
  /** Of the current code and configuration; older ones are only waited for. */
  #current = new Set<FunctionProcess>();
  /** The one that was idle last is last. */
  readonly #idle: FunctionProcess[] = [];
  /** Every process that has not ended, and those ends. */
  readonly #alive = new Set<FunctionProcess>();
  readonly #ending = new Set<Promise<void>>();
  #reaper: TimerHandle | undefined;
  #isStopping = false;

  constructor(spec: FunctionSpec, code: ProcessCode, options: ProcessPoolOptions) {
    this.#spec = spec;
    this.#code = code;
    this.#options = options;
    this.#owner = {
      clock: options.clock,
      surroundings: options.surroundings,
      guard: options.guard,
      onLine: options.onLine,
      onIdle: (process) => this.#onIdle(process),
      onGone: (process, unbegun) => this.#onGone(process, unbegun),
    };
  }

  get idleCount(): number {
    return this.#idle.length;
  }

  run(job: Job): void {
    const warm = this.#idle.pop() ?? this.#nearlyIdle();
    if (warm === undefined) this.#start(job);
    else warm.assign(job);
  }

  /** From here on everything begins on `spec`. */
  change(spec: FunctionSpec, code: ProcessCode): void {
    this.#spec = spec;
    this.#code = code;
    this.retire();
  }

  /** Ends every process, each after what it runs. */
  retire(): void {
    const old = this.#current;
    this.#current = new Set();
    this.#idle.length = 0;
    for (const process of old) process.retire();
  }

  /** Whoever still runs is cut off. Resolves when no process is left. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#reaper?.cancel();
    for (const process of this.#alive) process.stop();
    await Promise.all(this.#ending);
  }

  #nearlyIdle(): FunctionProcess | undefined {
    for (const process of this.#current) if (process.canTake) return process;
    return undefined;
  }

  #start(job: Job): void {
    const plan: Promise<LaunchPlan> = planLaunch(this.#spec, this.#code, this.#options.surroundings.machineEnvironment);
    const process = new FunctionProcess(this.#spec, plan, job, this.#owner);
    this.#current.add(process);
    this.#alive.add(process);
    this.#options.onColdStart();
    const ended = process.ended.then(() => {
      this.#alive.delete(process);
      this.#ending.delete(ended);
    });
    this.#ending.add(ended);
  }

  #onIdle(process: FunctionProcess): void {
    process.idleSinceMs = this.#options.clock.nowMs();
    this.#idle.push(process);
    if (this.#idle.length === 1) this.#reapLater();
  }

  #onGone(process: FunctionProcess, unbegun: Job | undefined): void {
    this.#current.delete(process);
    const index = this.#idle.indexOf(process);
    if (index >= 0) this.#idle.splice(index, 1);
    if (unbegun === undefined) return;
    if (unbegun.isAbandoned) unbegun.finish({ status: "abandoned" });
    else if (this.#isStopping) unbegun.finish({ status: "stopped" });
    else this.run(unbegun);
  }

  /** One timer, for the process that has been idle the longest; it looks again rather than being moved. */
  #reapLater(): void {
    const longest = this.#idle[0];
    if (this.#reaper !== undefined || longest === undefined) return;
    this.#reaper = this.#options.clock.setTimer(longest.idleSinceMs + this.#options.idleKeepMs, () => {
      this.#reaper = undefined;
      const idleSinceMs = this.#options.clock.nowMs() - this.#options.idleKeepMs;
      for (const process of [...this.#idle]) if (process.idleSinceMs <= idleSinceMs) process.retire();
      this.#reapLater();
    });
  }
}
