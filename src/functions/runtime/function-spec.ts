// What a function is, as far as running it goes, and what comes of one invocation. The names are Lambda's.

export interface FunctionSpec {
  name: string;
  /** Without a version; the unqualified ARN. */
  arn: string;
  version: string;
  code: FunctionCode;
  /** Whole milliseconds that one invocation may take; the cold start does not count. */
  timeoutMs: number;
  memoryMb: number;
  /** The function's own variables. They win over the machine's, never over those that Lambda reserves. */
  environment: Readonly<Record<string, string>>;
  /** At most this many invocations at once. 0 throttles all; left out, only the limit of the whole runtime holds. */
  reservedConcurrency?: number;
}

export type FunctionCode =
  /** A file on disk, .js .mjs .cjs .ts .mts .cts or .py, and the name it exports. */
  | { form: "file"; path: string; handler: string; watch: boolean }
  /** An unpacked zip. `runtime` and `handler` as CreateFunction has them: nodejs20.x, index.handler. */
  | { form: "folder"; folder: string; runtime: string; handler: string }
  /** Something that answers POST `/2015-03-31/functions/function/invocations`; a path in the URL replaces that one. */
  | { form: "http"; url: string };

export interface InvokeOptions {
  requestId: string;
  /** The ARN as the caller put it, with its version or alias; left out, the function's own. */
  invokedArn?: string;
  /** JSON text, no longer in base64. */
  clientContext?: string;
  traceHeader?: string;
  /**
   * The caller is gone: the answer is `abandoned` at once. A run that has begun goes on to its end, as in Lambda; one
   * that still waits for its process does not begin.
   */
  signal?: AbortSignal;
}

export type InvokeOutcome =
  | InvokeResult
  /** Nothing ran. The reason is what TooManyRequestsException carries. */
  | { status: "throttled"; reason: ThrottleReason }
  /** Nothing ran. The message is for whoever looks after the function: what is missing, and what to do about it. */
  | { status: "cannotRun"; message: string }
  /** The caller gave up; see `signal`. */
  | { status: "abandoned" }
  /** Nothing ran, or it was cut off: the function is being stopped. */
  | { status: "stopped" };

export type ThrottleReason = "ReservedFunctionConcurrentInvocationLimitExceeded" | "ConcurrentInvocationLimitExceeded";

/** The function ran, well or not: both are status 200 to the caller of Invoke. */
export interface InvokeResult {
  status: "ran";
  payload: Uint8Array;
  /** Set when the payload is an error: `{errorMessage, errorType, ...}`. */
  functionError?: "Unhandled" | "Handled";
  errorType?: string;
  /** START to REPORT, its last 4 KiB in base64. */
  logTail: string;
  durationMs: number;
  billedMs: number;
  /** Of this invocation's own cold start; 0 when the process was warm. */
  initMs: number;
  coldStart: boolean;
  memoryUsedMb: number;
}

export interface FunctionLogLine {
  functionName: string;
  /** Undefined while a process starts. */
  requestId: string | undefined;
  atMs: number;
  /** Without its line end. */
  text: string;
}

/** Counts since the start, and what is there now. */
export interface FunctionCounts {
  invocations: number;
  errors: number;
  throttles: number;
  coldStarts: number;
  reloads: number;
  running: number;
  idleProcesses: number;
}

export interface RunningFunction {
  readonly spec: FunctionSpec;
  /** Never rejects for what a function does; the outcome says it. Calls run at once, up to the concurrency. */
  invoke(payload: Uint8Array, options: InvokeOptions): Promise<InvokeOutcome>;
  /** New code or configuration: what runs ends on the old, everything from now on begins on the new. */
  replace(spec: FunctionSpec): void;
  counts(): FunctionCounts;
  /** Every line as it is printed. Returns how to leave. A listener must not throw. */
  onLog(listener: (line: FunctionLogLine) => void): () => void;
  /** After a file of the function changed and the processes were told to go. */
  onReload(listener: () => void): () => void;
  /** Takes nothing new, gives what runs `drainMs`, then ends all processes. Resolves when none is left. */
  stop(drainMs: number): Promise<void>;
}
