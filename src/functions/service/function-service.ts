// Functions as the catalog has them, running: one RunningFunction for each version that somebody invokes, and a queue of
// events for each function that is called asynchronously. Event source mappings are passed on to their pollers.

import type { Clock } from "../../base/clock.ts";
import { accept, type Result, refuse } from "../../base/result.ts";
import type { CommandOf, FunctionRecord, InvokeAnswer, MappingRecord } from "../../engine/command.ts";
import { type Refusal, refusal, serviceUnavailable } from "../../engine/refusal.ts";
import {
  type FunctionRunner,
  functionArn,
  type Host,
  type IdSource,
  LATEST,
  mappingArn,
  versionOf,
} from "../../host/index.ts";
import {
  type FunctionLogLine,
  FunctionRuntime,
  type FunctionSpec,
  type InvokeOptions,
  type InvokeOutcome,
  type RunningFunction,
} from "../runtime/index.ts";
import { CodeKeeper } from "./code-keeper.ts";
import { EventQueue, eventQueueName } from "./event-queue.ts";

export interface FunctionServiceOptions {
  host: Host;
  clock: Clock;
  ids: IdSource;
  log: (level: "debug" | "info" | "warn" | "error", text: string, details?: Record<string, unknown>) => void;
  /** Where uploaded code is kept; absent: in a temporary folder. */
  folder?: string;
  /** Where this server is reached, for the functions' own calls. */
  endpoint: () => string;
  /** PATH, HOME and whatever else of the machine programs need. */
  machineEnvironment: Readonly<Record<string, string>>;
  /** Invocations at once, of all functions together. */
  concurrencyMax: number;
  /** Whoever works off event source mappings; absent: nobody does. */
  mappings?: MappingListener;
}

/** For the pollers: `onMappings` is all that there are, at start and after the catalog was read again. */
export interface MappingListener {
  onMappings(mappings: MappingRecord[]): void;
  onMappingChanged(record: MappingRecord): void;
  onMappingRemoved(record: MappingRecord): void;
}

/** Runs the version that the ARN names, or $LATEST. What is not there cannot run. */
export type InvokeFunction = (
  functionArn: string,
  payload: Uint8Array,
  options?: { signal?: AbortSignal },
) => Promise<InvokeOutcome>;

const IDLE_KEEP_MS = 5 * 60_000;
const LOG_LINES_KEPT = 1000;

/** A function as the catalog has it, and what is running of it. */
interface Known {
  record: FunctionRecord;
  /** By version. */
  running: Map<string, Promise<RunningFunction>>;
  events: EventQueue | undefined;
  /** The last lines, oldest first; `logCount` counts all that there were. */
  logLines: FunctionLogLine[];
  logCount: number;
}

export class FunctionService implements FunctionRunner {
  readonly #options: FunctionServiceOptions;
  readonly #runtime: FunctionRuntime;
  readonly #code: CodeKeeper;
  /** By ARN. */
  readonly #functions = new Map<string, Known>();
  #hasSeenCatalog = false;

  constructor(options: FunctionServiceOptions) {
    this.#options = options;
    this.#code = new CodeKeeper(options.folder);
    this.#runtime = new FunctionRuntime({
      clock: options.clock,
      idleKeepMs: IDLE_KEEP_MS,
      concurrencyMax: options.concurrencyMax,
      surroundings: {
        get endpointUrl() {
          return options.endpoint();
        },
        accessKeyId: "test",
        secretAccessKey: "test",
        machineEnvironment: options.machineEnvironment,
      },
    });
  }

  /** From now on commands about functions are carried out. The server answers requests by then. */
  start(): void {
    this.#options.host.runFunctions(this);
  }

  /** Gives what runs `drainMs` to end. Before the host stops. */
  async stop(drainMs: number): Promise<void> {
    await Promise.all([...this.#functions.values()].map(({ events }) => events?.stop()));
    await this.#runtime.stop(drainMs);
    await this.#code.close();
  }

  // What the catalog says.

  onCatalog(functions: FunctionRecord[], mappings: MappingRecord[]): void {
    const known = new Set(functions.map((record) => functionArn(record.function)));
    for (const [arn, gone] of this.#functions) if (!known.has(arn)) this.#forget(arn, gone);
    for (const record of functions) this.onFunctionChanged(record);
    if (!this.#hasSeenCatalog) this.#forgetUnusedCode(functions);
    this.#hasSeenCatalog = true;
    if (this.#options.mappings !== undefined) this.#options.mappings.onMappings(mappings);
    else for (const mapping of mappings) this.#options.host.mappingFollowed(mappingArn(mapping));
  }

  onFunctionChanged(record: FunctionRecord): void {
    const arn = functionArn(record.function);
    let known = this.#functions.get(arn);
    if (known === undefined) {
      known = { record, running: new Map(), events: undefined, logLines: [], logCount: 0 };
      this.#functions.set(arn, known);
      if (this.#options.host.hasWork(eventQueueName(arn))) this.#eventsOf(known);
      return;
    }
    known.record = record;
    for (const [version, running] of known.running) this.#follow(known, version, running);
  }

  onFunctionRemoved(record: FunctionRecord): void {
    const arn = functionArn(record.function);
    const known = this.#functions.get(arn);
    if (known !== undefined) this.#forget(arn, known);
  }

  onMappingChanged(record: MappingRecord): void {
    if (this.#options.mappings !== undefined) this.#options.mappings.onMappingChanged(record);
    else this.#options.host.mappingFollowed(mappingArn(record));
  }

  onMappingRemoved(record: MappingRecord): void {
    this.#options.mappings?.onMappingRemoved(record);
  }

  // What is asked of it.

  keepCode(zip: Uint8Array): Promise<Result<{ sha256: string; bytes: number }, Refusal>> {
    return this.#code.keep(zip);
  }

  async invoke(record: FunctionRecord, command: CommandOf<"invokeFunction">): Promise<Result<InvokeAnswer, Refusal>> {
    const { function: key, qualifier, payload, clientContext, traceHeader, how } = command;
    const known = this.#functions.get(functionArn(key));
    const version = versionOf(record, qualifier)?.version;
    if (known === undefined || version === undefined) return refuse(gone(functionArn(key, qualifier)));
    const requestId = this.#options.ids.uuid();
    const optional = {
      ...(clientContext === undefined ? {} : { clientContext }),
      ...(traceHeader === undefined ? {} : { traceHeader }),
    };
    if (how === "event") {
      const added = await this.#eventsOf(known).add(requestId, payload, {
        ...optional,
        ...(qualifier === undefined ? {} : { qualifier }),
      });
      return added.ok ? accept({ payload: new Uint8Array(), executedVersion: version }) : added;
    }
    const outcome = await this.#run(known, qualifier, payload, { requestId, ...optional });
    return answerOf(outcome, version);
  }

  readonly invokeArn: InvokeFunction = async (arn, payload, options = {}) => {
    const parts = arn.split(":");
    const known = this.#functions.get(parts.slice(0, 7).join(":"));
    if (known === undefined) return { status: "cannotRun", message: gone(arn).message };
    return this.#run(known, parts[7], payload, { requestId: this.#options.ids.uuid(), ...options });
  };

  /** Of the version that the ARN names; undefined when there is none. */
  timeoutMs(arn: string): number | undefined {
    const parts = arn.split(":");
    const known = this.#functions.get(parts.slice(0, 7).join(":"));
    return known === undefined ? undefined : versionOf(known.record, parts[7])?.timeoutMs;
  }

  // For people who look.

  list() {
    return Promise.all(
      [...this.#functions.values()].map(async ({ record, running }) => ({
        record,
        counts: (await running.get(LATEST)?.catch(() => undefined))?.counts(),
      })),
    );
  }

  /** Lines from number `after` on, as far as they are still there, and the number of the next one. */
  logs(arn: string, after: number): { lines: FunctionLogLine[]; next: number } | undefined {
    const known = this.#functions.get(arn);
    if (known === undefined) return undefined;
    const { logLines, logCount } = known;
    const first = logCount - logLines.length;
    return { lines: logLines.slice(Math.max(0, after - first)), next: logCount };
  }

  /** The archive of a version; undefined when there is none. */
  async archive(arn: string, qualifier?: string): Promise<Uint8Array | undefined> {
    const known = this.#functions.get(arn);
    const form = known === undefined ? undefined : versionOf(known.record, qualifier)?.form;
    return form?.is === "zip" ? this.#code.archive(form.sha256) : undefined;
  }

  async #run(
    known: Known,
    qualifier: string | undefined,
    payload: Uint8Array,
    options: InvokeOptions,
  ): Promise<InvokeOutcome> {
    const arn = functionArn(known.record.function, qualifier);
    const version = versionOf(known.record, qualifier)?.version;
    if (version === undefined) return { status: "cannotRun", message: gone(arn).message };
    let running: RunningFunction;
    try {
      running = await this.#runningOf(known, version);
    } catch (error) {
      const { message } = error as Error;
      this.#options.log("error", `The code of ${arn} cannot be read: ${message}`);
      return { status: "cannotRun", message: `The function's code cannot be read: ${message}` };
    }
    return running.invoke(payload, { invokedArn: arn, ...options });
  }

  #runningOf(known: Known, version: string): Promise<RunningFunction> {
    let running = known.running.get(version);
    if (running === undefined) {
      running = this.#startVersion(known, version);
      known.running.set(version, running);
      running.catch(() => known.running.delete(version));
    }
    return running;
  }

  async #startVersion(known: Known, version: string): Promise<RunningFunction> {
    let spec = await this.#specOf(known, version);
    // Unpacking takes time, and the function may be another by now.
    for (let newer = await this.#specOf(known, version); !isSame(spec, newer); ) {
      spec = newer;
      newer = await this.#specOf(known, version);
    }
    const running = this.#runtime.start(spec);
    running.onLog((line) => keepLine(known, line));
    return running;
  }

  #follow(known: Known, version: string, started: Promise<RunningFunction>): void {
    if (versionOf(known.record, version) === undefined) {
      known.running.delete(version);
      void started.then((running) => running.stop(0), ignore);
      return;
    }
    void started
      .then(async (running) => {
        const spec = await this.#specOf(known, version);
        if (!isSame(spec, running.spec)) running.replace(spec);
      })
      .catch((error) => this.#options.log("error", `A function could not be changed: ${(error as Error).message}`));
  }

  async #specOf(known: Known, version: string): Promise<FunctionSpec> {
    const { record } = known;
    const settings = versionOf(record, version);
    if (settings === undefined) throw new Error(`Version ${version} is gone.`);
    const { form, runtime, handler, environment, timeoutMs, memoryMb } = settings;
    const code: FunctionSpec["code"] =
      form.is === "zip"
        ? { form: "folder", folder: await this.#code.unpacked(form.sha256), runtime, handler }
        : form.is === "file"
          ? { form: "file", path: form.path, handler, watch: true }
          : { form: "http", url: form.url };
    const { reservedConcurrency } = known.record;
    return {
      name: record.function.name,
      arn: functionArn(record.function),
      version,
      code,
      timeoutMs,
      memoryMb,
      // An access key that is an account id names the account.
      environment: { AWS_ACCESS_KEY_ID: record.function.account, ...environment },
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrency }),
    };
  }

  #eventsOf(known: Known): EventQueue {
    const { host, clock, log } = this.#options;
    known.events ??= new EventQueue({
      host,
      clock,
      log,
      arn: functionArn(known.record.function),
      concurrencyMax: this.#options.concurrencyMax,
      record: () => known.record,
      run: (qualifier, payload, options) => this.#run(known, qualifier, payload, options),
    });
    return known.events;
  }

  #forget(arn: string, known: Known): void {
    this.#functions.delete(arn);
    known.events?.drop();
    for (const running of known.running.values()) void running.then((one) => one.stop(0), ignore);
  }

  #forgetUnusedCode(functions: FunctionRecord[]): void {
    const used = new Set<string>();
    for (const record of functions) {
      for (const { form } of [record, ...(record.versions ?? [])]) if (form.is === "zip") used.add(form.sha256);
    }
    this.#code
      .forgetAllBut(used)
      .catch((error) => this.#options.log("warn", `Unused code could not be removed: ${(error as Error).message}`));
  }
}

function answerOf(outcome: InvokeOutcome, executedVersion: string): Result<InvokeAnswer, Refusal> {
  switch (outcome.status) {
    case "ran": {
      const { payload, functionError, logTail } = outcome;
      const error = functionError === undefined ? {} : { functionError };
      return accept({ payload, logTail, executedVersion, ...error });
    }
    case "throttled":
      return refuse({ ...refusal("TooManyRequestsException", "Rate Exceeded."), reason: outcome.reason });
    case "cannotRun":
      return refuse(refusal("InvalidRuntimeException", outcome.message));
    case "abandoned":
    case "stopped":
      return refuse(serviceUnavailable("The function was stopped. Try again."));
  }
}

function gone(arn: string): Refusal {
  return refusal("ResourceNotFoundException", `Function not found: ${arn}`);
}

/** Specs are plain data. */
function isSame(one: FunctionSpec, other: FunctionSpec): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function keepLine(known: Known, line: FunctionLogLine): void {
  known.logLines.push(line);
  known.logCount += 1;
  if (known.logLines.length > LOG_LINES_KEPT) known.logLines.shift();
}

function ignore(): void {}
