// All functions of a server: what they share (limit, surroundings, the guard), and for each what is the same whether it
// runs in processes or behind a URL: throttling, giving up, counting, listening, watching its file.

import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { FUNCTION_REQUEST_BYTES_MAX } from "../../engine/function-limits.ts";
import type { CodeWatch } from "./code-watch.ts";
import { watchCode } from "./code-watch.ts";
import { ConcurrencyLimit, enter } from "./concurrency.ts";
import type { Job } from "./function-process.ts";
import type {
  FunctionCode,
  FunctionCounts,
  FunctionLogLine,
  FunctionSpec,
  InvokeOptions,
  InvokeOutcome,
  RunningFunction,
} from "./function-spec.ts";
import { HttpFunction } from "./http-function.ts";
import type { FunctionSurroundings } from "./process-environment.ts";
import { ProcessGuard } from "./process-guard.ts";
import { ProcessPool } from "./process-pool.ts";

export interface FunctionRuntimeOptions {
  /** Decides timeouts and how long idle processes stay; durations in reports are measured by the machine. */
  clock: Clock;
  surroundings: FunctionSurroundings;
  /** How long a process without work is kept warm. */
  idleKeepMs: number;
  /** Invocations at once, of all functions together. */
  concurrencyMax: number;
}

/** What runs one function: `run` calls `job.finish` exactly once, unless `stop` came first. */
interface Runner {
  readonly idleCount: number;
  run(job: Job): void;
  /** Nothing new will come. */
  retire(): void;
  stop(): Promise<void>;
}

export class FunctionRuntime {
  readonly #options: FunctionRuntimeOptions;
  readonly #guard = new ProcessGuard();
  readonly #limit: ConcurrencyLimit;
  readonly #functions = new Set<RunningFunction>();

  constructor(options: FunctionRuntimeOptions) {
    this.#options = options;
    this.#limit = new ConcurrencyLimit(options.concurrencyMax);
  }

  /** Starts no process: the first invocation does. */
  start(spec: FunctionSpec): RunningFunction {
    const started: RunningFunction = new OneFunction(spec, this.#options, this.#limit, this.#guard, () =>
      this.#functions.delete(started),
    );
    this.#functions.add(started);
    return started;
  }

  async stop(drainMs: number): Promise<void> {
    await Promise.all([...this.#functions].map((one) => one.stop(drainMs)));
    this.#guard.close();
  }
}

class OneFunction implements RunningFunction {
  #spec: FunctionSpec;
  #runner: Runner;
  #watch: CodeWatch | undefined;
  #stopped: Promise<void> | undefined;
  #whenQuiet: (() => void) | undefined;
  readonly #options: FunctionRuntimeOptions;
  readonly #limit: ConcurrencyLimit;
  readonly #guard: ProcessGuard;
  readonly #onStopped: () => void;
  readonly #logListeners = new Set<(line: FunctionLogLine) => void>();
  readonly #reloadListeners = new Set<() => void>();
  readonly #counts = { invocations: 0, errors: 0, throttles: 0, coldStarts: 0, reloads: 0, running: 0 };
  /** Runners of an earlier form of code that still end what they began. */
  readonly #former = new Set<Runner>();

  constructor(
    spec: FunctionSpec,
    options: FunctionRuntimeOptions,
    limit: ConcurrencyLimit,
    guard: ProcessGuard,
    onStopped: () => void,
  ) {
    this.#spec = spec;
    this.#options = options;
    this.#limit = limit;
    this.#guard = guard;
    this.#onStopped = onStopped;
    this.#runner = this.#makeRunner(spec);
    this.#watchAgain();
  }

  get spec(): FunctionSpec {
    return this.#spec;
  }

  counts(): FunctionCounts {
    return { ...this.#counts, idleProcesses: this.#runner.idleCount };
  }

  onLog(listener: (line: FunctionLogLine) => void): () => void {
    this.#logListeners.add(listener);
    return () => void this.#logListeners.delete(listener);
  }

  onReload(listener: () => void): () => void {
    this.#reloadListeners.add(listener);
    return () => void this.#reloadListeners.delete(listener);
  }

  invoke(payload: Uint8Array, options: InvokeOptions): Promise<InvokeOutcome> {
    assert(payload.length <= FUNCTION_REQUEST_BYTES_MAX, "callers hold payloads to their limit before they invoke");
    if (this.#stopped !== undefined) return Promise.resolve({ status: "stopped" });
    if (options.signal?.aborted) return Promise.resolve({ status: "abandoned" });
    const reason = enter(this.#limit, this.#counts.running, this.#spec.reservedConcurrency);
    if (reason !== undefined) {
      this.#counts.throttles += 1;
      return Promise.resolve({ status: "throttled", reason });
    }
    this.#counts.running += 1;
    this.#counts.invocations += 1;
    return new Promise((resolve) => this.#runner.run(this.#job(payload, options, resolve)));
  }

  replace(spec: FunctionSpec): void {
    this.#spec = spec;
    if (this.#runner instanceof ProcessPool && spec.code.form !== "http") this.#runner.change(spec, spec.code);
    else this.#changeRunner(spec);
    this.#watchAgain();
  }

  stop(drainMs: number): Promise<void> {
    this.#stopped ??= this.#stop(drainMs);
    return this.#stopped;
  }

  #job(payload: Uint8Array, options: InvokeOptions, resolve: (outcome: InvokeOutcome) => void): Job {
    const { signal } = options;
    const job: Job = {
      payload,
      options,
      isAbandoned: false,
      finish: (outcome) => {
        signal?.removeEventListener("abort", giveUp);
        this.#limit.runningCount -= 1;
        this.#counts.running -= 1;
        if (outcome.status === "cannotRun" || (outcome.status === "ran" && outcome.functionError !== undefined))
          this.#counts.errors += 1;
        resolve(outcome);
        if (this.#counts.running === 0) this.#whenQuiet?.();
      },
    };
    // The caller's answer comes at once; the job goes on to its end if it has begun, and counts until then.
    const giveUp = () => {
      job.isAbandoned = true;
      resolve({ status: "abandoned" });
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    return job;
  }

  #makeRunner(spec: FunctionSpec): Runner {
    const { code } = spec;
    const onLine = (requestId: string | undefined, text: string) => this.#tell(requestId, text);
    const { clock, surroundings, idleKeepMs } = this.#options;
    if (code.form === "http") return new HttpFunction(spec, code.url, { clock, onLine });
    const onColdStart = () => {
      this.#counts.coldStarts += 1;
    };
    return new ProcessPool(spec, code, { clock, surroundings, idleKeepMs, guard: this.#guard, onLine, onColdStart });
  }

  #changeRunner(spec: FunctionSpec): void {
    this.#runner.retire();
    this.#former.add(this.#runner);
    this.#runner = this.#makeRunner(spec);
  }

  /** A file on disk that changed is new code under the old configuration. */
  #watchAgain(): void {
    this.#watch?.close();
    const { code } = this.#spec;
    this.#watch = code.form === "file" && code.watch ? watchCode(code.path, () => this.#reload(code)) : undefined;
  }

  #reload(code: FunctionCode & { form: "file" }): void {
    if (!(this.#runner instanceof ProcessPool)) return;
    this.#counts.reloads += 1;
    this.#runner.change(this.#spec, code);
    for (const listener of this.#reloadListeners) listener();
  }

  #tell(requestId: string | undefined, text: string): void {
    if (this.#logListeners.size === 0) return;
    const line = { functionName: this.#spec.name, requestId, atMs: this.#options.clock.nowMs(), text };
    for (const listener of this.#logListeners) listener(line);
  }

  async #stop(drainMs: number): Promise<void> {
    this.#watch?.close();
    if (this.#counts.running > 0) await this.#quietOrAfter(drainMs);
    await Promise.all([this.#runner, ...this.#former].map((runner) => runner.stop()));
    this.#onStopped();
  }

  #quietOrAfter(drainMs: number): Promise<void> {
    return new Promise((resolve) => {
      // Draining is patience with real processes, so it is real time.
      const patience = setTimeout(resolve, drainMs);
      this.#whenQuiet = () => {
        clearTimeout(patience);
        resolve();
      };
    });
  }
}
