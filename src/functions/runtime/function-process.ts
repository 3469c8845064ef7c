// One process of a function, from its start to its end. Its modes:
//
//   starting --next--> idle --begin--> busy --response or error--> settling --next--> idle
//
// and from each of them to `gone`: the process ended, or was told to. A job may be assigned to a process that is idle,
// starting or settling; it begins at the next `next`. What a process prints belongs to the job that it runs, so the
// process is not idle again before the lines of the job that it answered have been read.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import type { Clock, TimerHandle } from "../../base/clock.ts";
import { FUNCTION_INIT_MS_MAX, FUNCTION_RESPONSE_BYTES_MAX } from "../../engine/function-limits.ts";
import type { FunctionError } from "./function-error.ts";
import { exited, invalidEntrypoint, posted, responseTooLarge, timedOut } from "./function-error.ts";
import type { FunctionSpec, InvokeOptions, InvokeOutcome, InvokeResult } from "./function-spec.ts";
import { endLine, InvocationLog, LineSplitter, reportLine, startLine } from "./invocation-log.ts";
import type { Launch, LaunchPlan } from "./launch.ts";
import { memoryPeakMb } from "./memory-peak.ts";
import type { FunctionSurroundings } from "./process-environment.ts";
import { logStreamName, processEnvironment } from "./process-environment.ts";
import type { ProcessGuard } from "./process-guard.ts";
import type { NextCall, PostVerdict, RuntimeCalls } from "./runtime-api.ts";
import { RuntimeApi } from "./runtime-api.ts";

/** One invocation on its way to and through a process. */
export interface Job {
  payload: Uint8Array;
  options: InvokeOptions;
  /** True once its caller gave up: it does not begin any more. */
  isAbandoned: boolean;
  /** Called exactly once. */
  finish(outcome: InvokeOutcome): void;
}

export interface ProcessOwner {
  readonly clock: Clock;
  readonly surroundings: FunctionSurroundings;
  readonly guard: ProcessGuard;
  onLine(requestId: string | undefined, text: string): void;
  onIdle(process: FunctionProcess): void;
  /** Never again idle. `unbegun` was assigned to it and can go elsewhere. */
  onGone(process: FunctionProcess, unbegun: Job | undefined): void;
}

type Mode = "starting" | "idle" | "busy" | "settling" | "gone";

/** Between SIGTERM and SIGKILL. A process lives in real time, so the waits for its end do not ask the Clock. */
const TERMINATE_MS = 500;
const LAST_WORDS_MS = 200;
const MEMORY_READ_EVERY_MS = 250;

export class FunctionProcess {
  readonly spec: FunctionSpec;
  /** Resolves when nothing of the process is left. */
  readonly ended: Promise<void>;
  /** For the owner: since when there is nothing to do. */
  idleSinceMs = 0;
  readonly #owner: ProcessOwner;
  readonly #api: RuntimeApi;
  readonly #launchedAtMs = performance.now();
  #mode: Mode = "starting";
  #child: ChildProcess | undefined;
  #resolveEnded: () => void = () => {};
  #isRetiring = false;
  /** Assigned and not begun. */
  #waiting: Job | undefined;
  /** Begun and not answered. */
  #running: Job | undefined;
  /** Set from the answer until the end of the turn, see `#close`. */
  #finishClosing: (() => void) | undefined;
  #nextCall: NextCall | undefined;
  #deadline: TimerHandle | undefined;
  /** The start took so long that it runs in the time of the job it is for. */
  #isLate = false;
  #isOverTime = false;
  #begunAtMs = 0;
  #initMs = 0;
  #hasAnswered = false;
  #memoryUsedMb = 0;
  #memoryReadAtMs = Number.NEGATIVE_INFINITY;
  #log = new InvocationLog();
  readonly #output: LineSplitter[] = [];

  /** A cold start is always somebody's: `job` is its first. */
  constructor(spec: FunctionSpec, plan: Promise<LaunchPlan>, job: Job, owner: ProcessOwner) {
    this.spec = spec;
    this.#owner = owner;
    this.#waiting = job;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#api = new RuntimeApi(this.#calls());
    this.#setDeadline(FUNCTION_INIT_MS_MAX, () => {
      this.#isLate = true;
      this.#setDeadline(spec.timeoutMs, () => this.#onTimeout());
    });
    void this.#launch(plan);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Whether it would begin a job at once, or in a moment, sooner than a new process could. */
  get canTake(): boolean {
    const isNear = this.#mode === "idle" || this.#mode === "settling" || this.#finishClosing !== undefined;
    return isNear && this.#waiting === undefined && !this.#isRetiring;
  }

  assign(job: Job): void {
    this.#waiting = job;
    if (this.#mode === "idle") this.#begin();
  }

  /** Ends after what it runs. What has not begun goes back to the owner. */
  retire(): void {
    this.#isRetiring = true;
    this.#finishClosing?.();
    if (this.#running === undefined) this.#end("SIGTERM");
  }

  /** Ends at once; what it runs or was to run is answered `stopped`. */
  stop(): void {
    this.#finishClosing?.();
    const jobs = [this.#running, this.#waiting];
    this.#running = undefined;
    this.#waiting = undefined;
    for (const job of jobs) job?.finish({ status: "stopped" });
    this.#end("SIGTERM");
  }

  // Starting.

  async #launch(plan: Promise<LaunchPlan>): Promise<void> {
    try {
      const [planned, runtimeApi] = await Promise.all([plan, this.#api.listen()]);
      if (this.#mode === "gone") return this.#neverWas();
      if (planned.ok) return this.#spawn(planned.launch, runtimeApi);
      if (planned.problem === "cannotRun") this.#giveUp(planned.message);
      else this.#fail((requestId) => invalidEntrypoint(requestId, planned.path));
    } catch (error) {
      this.#giveUp(`A process for function ${this.spec.name} could not be prepared: ${(error as Error).message}`);
    }
    this.#neverWas();
  }

  #spawn(launch: Launch, runtimeApi: string): void {
    const { clock, surroundings, guard } = this.#owner;
    const facts = { ...launch, runtimeApi, logStream: logStreamName(clock.nowMs(), this.spec.version, runtimeApi) };
    this.#print(`INIT_START Runtime Version: ${launch.runtimeVersion}`);
    const child = spawn(launch.command, launch.args, {
      cwd: launch.taskRoot,
      env: processEnvironment(this.spec, surroundings, facts),
      stdio: ["ignore", "pipe", "pipe"],
      // Leads a process group of its own, so that what it starts ends with it.
      detached: true,
    });
    this.#child = child;
    if (child.pid !== undefined) guard.add(child.pid);
    for (const stream of [child.stdout, child.stderr]) {
      const splitter = new LineSplitter((text) => this.#print(text));
      this.#output.push(splitter);
      stream.setEncoding("utf8");
      stream.on("data", (chunk: string) => splitter.write(chunk));
    }
    child.on("exit", (code, signal) => this.#onExit(child, code, signal));
    child.on("error", (error) => {
      if (child.pid !== undefined) return;
      this.#giveUp(`Function ${this.spec.name} cannot be started: ${launch.command}: ${error.message}`);
      this.#neverWas();
    });
  }

  #giveUp(message: string): void {
    this.#take("waiting")?.finish({ status: "cannotRun", message });
  }

  #neverWas(): void {
    this.#leave();
    this.#api.close();
    this.#resolveEnded();
  }

  // What the runtime says.

  #calls(): RuntimeCalls {
    return {
      next: (call) => this.#onNext(call),
      nextGone: (call) => {
        if (this.#nextCall !== call) return;
        this.#nextCall = undefined;
        // It died, or hung up: whether it will ask again nobody can tell, and no job must wait to find out.
        if (this.#mode === "idle") this.#end("SIGTERM");
      },
      response: (requestId, body) => {
        if (body === undefined) return this.#onAnswer(requestId, responseTooLarge(FUNCTION_RESPONSE_BYTES_MAX));
        return this.#onAnswer(requestId, body);
      },
      error: (requestId, body, errorType) => this.#onAnswer(requestId, posted(body, errorType)),
      initError: (body, errorType) => this.#onInitError({ ...posted(body, errorType), reportStatus: "error" }),
    };
  }

  #onNext(call: NextCall): boolean {
    if (this.#nextCall !== undefined || this.#mode === "gone") return false;
    this.#nextCall = call;
    if (this.#mode === "starting") {
      this.#initMs = performance.now() - this.#launchedAtMs;
      this.#flushOutput();
    }
    // While busy: sent along with an answer, and read before the body of the answer is.
    if (this.#mode !== "busy" && this.#finishClosing === undefined) this.#ready();
    return true;
  }

  /** It waits for work, and nothing of the last job is left to do. */
  #ready(): void {
    this.#mode = "idle";
    if (this.#waiting !== undefined) return this.#begin();
    this.#deadline?.cancel();
    this.#isLate = false;
    if (this.#isRetiring) this.#end("SIGTERM");
    else this.#owner.onIdle(this);
  }

  #begin(): void {
    const job = this.#take("waiting") as Job;
    if (job.isAbandoned) {
      job.finish({ status: "abandoned" });
      return this.#ready();
    }
    const call = this.#nextCall as NextCall;
    this.#nextCall = undefined;
    this.#running = job;
    this.#mode = "busy";
    if (!this.#isLate) this.#setDeadline(this.spec.timeoutMs, () => this.#onTimeout());
    this.#isLate = false;
    this.#print(startLine(job.options.requestId, this.spec.version));
    this.#begunAtMs = performance.now();
    call.answer({ payload: job.payload, headers: this.#headers(job.options) });
  }

  #headers({ requestId, invokedArn, clientContext, traceHeader }: InvokeOptions): Record<string, string> {
    const headers: Record<string, string> = {
      "lambda-runtime-aws-request-id": requestId,
      // The process reads the machine's clock, so this is in the machine's time, whatever our Clock says.
      "lambda-runtime-deadline-ms": String(Date.now() + this.spec.timeoutMs),
      "lambda-runtime-invoked-function-arn": invokedArn ?? this.spec.arn,
    };
    if (traceHeader !== undefined) headers["lambda-runtime-trace-id"] = headerSafe(traceHeader);
    if (clientContext !== undefined) headers["lambda-runtime-client-context"] = headerSafe(clientContext);
    return headers;
  }

  #onAnswer(requestId: string, answer: Uint8Array | FunctionError): PostVerdict {
    if (this.#mode !== "busy" || this.#finishClosing !== undefined) return "outOfTurn";
    if (this.#running?.options.requestId !== requestId) return "unknownRequest";
    this.#close(this.#running, answer);
    return "accepted";
  }

  #onInitError(error: FunctionError): PostVerdict {
    if (this.#mode !== "starting" || this.#waiting === undefined) return "outOfTurn";
    this.#initMs = performance.now() - this.#launchedAtMs;
    this.#isRetiring = true;
    this.#close(this.#waiting, error);
    // Its process ends by itself; should it not, we end it.
    this.#killAfter(TERMINATE_MS);
    return "accepted";
  }

  /** The answer waits for the end of the process, so that the log has everything it printed. */
  #onTimeout(): void {
    if (this.#finishClosing !== undefined) {
      this.#finishClosing();
      // It answered in time, and is here again for more.
      if (this.#mode !== "settling") return;
    }
    if (this.#mode === "starting") this.#running = this.#take("waiting");
    this.#isOverTime = true;
    // One that answered and does not come back for more ends here too; its answer stands.
    this.#end("SIGKILL");
    if (this.#child === undefined) this.#fail((requestId) => timedOut(requestId, this.spec.timeoutMs));
  }

  #onExit(child: ChildProcess, code: number | null, signal: string | null): void {
    const pid = child.pid as number;
    signalGroup(pid, "SIGKILL");
    this.#owner.guard.drop(pid);
    this.#api.close();
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      clearTimeout(patience);
      this.#finishClosing?.();
      this.#fail((requestId) =>
        this.#isOverTime ? timedOut(requestId, this.spec.timeoutMs) : exited(requestId, code, signal),
      );
      this.#leave();
      this.#resolveEnded();
    };
    // What it still had to say is in the pipes. A grandchild that left the group may hold them open for ever.
    const patience = setTimeout(done, LAST_WORDS_MS);
    child.on("close", done);
  }

  // Answering a job.

  /**
   * The job is answered, but not before the end of this turn of the event loop: what the process printed before it
   * answered is in its pipes already, and this turn reads them.
   */
  #close(job: Job, answer: Uint8Array | FunctionError): void {
    const endedAtMs = performance.now();
    this.#finishClosing = () => {
      this.#finishClosing = undefined;
      const result = this.#result(job, answer, endedAtMs);
      this.#running = undefined;
      if (this.#waiting === job) this.#waiting = undefined;
      if (this.#mode === "busy") this.#mode = "settling";
      // First idle, then the answer: who calls again at once finds a warm process.
      if (this.#nextCall !== undefined && this.#mode === "settling") this.#ready();
      job.finish(result);
    };
    setImmediate(() => this.#finishClosing?.());
  }

  /** Lambda's own verdict on what runs, or on what the process was started for. */
  #fail(verdict: (requestId: string) => FunctionError): void {
    const endedAtMs = performance.now();
    const job = this.#running ?? (this.#mode === "starting" ? this.#waiting : undefined);
    if (job === undefined) return;
    const { requestId } = job.options;
    if (this.#begunAtMs === 0) this.#print(startLine(requestId, this.spec.version));
    this.#flushOutput();
    const error = verdict(requestId);
    for (const line of error.logText?.split("\n") ?? []) this.#print(line, requestId);
    const result = this.#result(job, error, endedAtMs);
    this.#take(job === this.#running ? "running" : "waiting");
    job.finish(result);
  }

  /** Closes the job's part of the log, too. */
  #result(job: Job, answer: Uint8Array | FunctionError, endedAtMs: number): InvokeResult {
    const error = answer instanceof Uint8Array ? undefined : answer;
    const { requestId } = job.options;
    const isTimeout = error?.reportStatus === "timeout";
    const durationMs = isTimeout ? this.spec.timeoutMs : this.#begunAtMs === 0 ? 0 : endedAtMs - this.#begunAtMs;
    const coldStart = !this.#hasAnswered;
    const initMs = coldStart ? this.#initMs : 0;
    const figures = { durationMs, initMs, billedMs: Math.ceil(durationMs + initMs), coldStart };
    const memoryUsedMb = this.#memoryNow(endedAtMs);
    this.#hasAnswered = true;
    this.#flushOutput();
    this.#print(endLine(requestId), requestId);
    this.#print(reportLine({ requestId, ...figures, memoryMb: this.spec.memoryMb, memoryUsedMb, error }), requestId);
    const logTail = this.#log.tail();
    this.#log = new InvocationLog();
    const result: InvokeResult = { status: "ran", payload: NOTHING, logTail, memoryUsedMb, ...figures };
    if (error === undefined) return { ...result, payload: answer as Uint8Array };
    return { ...result, payload: error.body, functionError: "Unhandled", errorType: error.errorType };
  }

  /** Asking costs a few system calls, and a peak only grows: now and then is enough. */
  #memoryNow(nowMs: number): number {
    const pid = this.#child?.pid;
    if (pid !== undefined && nowMs - this.#memoryReadAtMs >= MEMORY_READ_EVERY_MS) {
      this.#memoryUsedMb = Math.max(this.#memoryUsedMb, memoryPeakMb(pid));
      this.#memoryReadAtMs = nowMs;
    }
    return this.#memoryUsedMb;
  }

  #print(text: string, requestId = this.#running?.options.requestId): void {
    this.#log.add(text);
    this.#owner.onLine(requestId, text);
  }

  #flushOutput(): void {
    for (const splitter of this.#output) splitter.end();
  }

  #take(which: "waiting" | "running"): Job | undefined {
    const job = which === "waiting" ? this.#waiting : this.#running;
    if (which === "waiting") this.#waiting = undefined;
    else this.#running = undefined;
    return job;
  }

  #setDeadline(inMs: number, run: () => void): void {
    this.#deadline?.cancel();
    this.#deadline = this.#owner.clock.setTimer(this.#owner.clock.nowMs() + inMs, run);
  }

  // Ending the process.

  #end(signal: "SIGTERM" | "SIGKILL"): void {
    const isAlive = this.#child?.exitCode === null && this.#child.signalCode === null;
    if (isAlive && this.pid !== undefined) {
      signalGroup(this.pid, signal);
      if (signal === "SIGTERM") this.#killAfter(TERMINATE_MS);
    }
    this.#leave();
  }

  #killAfter(delayMs: number): void {
    const pid = this.pid as number;
    const patience = setTimeout(() => signalGroup(pid, "SIGKILL"), delayMs);
    void this.ended.then(() => clearTimeout(patience));
  }

  #leave(): void {
    if (this.#mode === "gone") return;
    this.#mode = "gone";
    this.#deadline?.cancel();
    this.#owner.onGone(this, this.#take("waiting"));
  }
}

const NOTHING = new Uint8Array(0);

/** The whole group; it may be gone already. */
function signalGroup(groupId: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-groupId, signal);
  } catch {
    // No such process: that is what was wanted.
  }
}

/** JSON may carry any character, a header only some: escapes say the same. */
function headerSafe(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? " " : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
