// The errors that Lambda itself reports for a function, as opposed to those the function's code throws. Texts are AWS's.

export interface FunctionError {
  errorType: string;
  body: Uint8Array;
  /** What the log shows, where Lambda shows something. */
  logText?: string;
  /** What REPORT says; nothing for an error of the handler's own. */
  reportStatus?: "error" | "timeout";
}

export function timedOut(requestId: string, timeoutMs: number): FunctionError {
  const text = `Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`;
  return {
    errorType: "Sandbox.Timedout",
    body: encode({ errorType: "Sandbox.Timedout", errorMessage: `RequestId: ${requestId} Error: ${text}` }),
    logText: `${new Date().toISOString()} ${requestId} ${text}`,
    reportStatus: "timeout",
  };
}

/** `code` and `signal` as node reports the end of a process. */
export function exited(requestId: string, code: number | null, signal: string | null): FunctionError {
  const how = signal !== null ? `signal: ${SIGNAL_WORDS[signal] ?? signal}` : `exit status ${code}`;
  const reason = code === 0 ? "exited without providing a reason" : `exited with error: ${how}`;
  const errorMessage = `RequestId: ${requestId} Error: Runtime ${reason}`;
  return {
    errorType: "Runtime.ExitError",
    body: encode({ errorType: "Runtime.ExitError", errorMessage }),
    logText: `${errorMessage}\nRuntime.ExitError`,
    reportStatus: "error",
  };
}

const SIGNAL_WORDS: Readonly<Record<string, string>> = {
  SIGKILL: "killed",
  SIGTERM: "terminated",
  SIGSEGV: "segmentation fault",
  SIGABRT: "aborted",
  SIGINT: "interrupt",
};

export function responseTooLarge(bytesMax: number): FunctionError {
  return {
    errorType: "Function.ResponseSizeTooLarge",
    body: encode({
      errorType: "Function.ResponseSizeTooLarge",
      errorMessage: `Response payload size exceeded maximum allowed payload size (${bytesMax} bytes).`,
    }),
    reportStatus: "error",
  };
}

export function invalidEntrypoint(requestId: string, path: string): FunctionError {
  const errorMessage = `RequestId: ${requestId} Error: Couldn't find valid bootstrap(s): [${path}]`;
  return {
    errorType: "Runtime.InvalidEntrypoint",
    body: encode({ errorType: "Runtime.InvalidEntrypoint", errorMessage }),
    logText: `${errorMessage}\nRuntime.InvalidEntrypoint`,
    reportStatus: "error",
  };
}

/** For an error that the runtime posted. One whose body is no JSON object is passed on as Lambda would, as it came. */
export function posted(body: Uint8Array, typeHeader: string | undefined): FunctionError {
  return { errorType: typeHeader ?? errorTypeOf(body) ?? "Unhandled", body };
}

/** The `errorType` of a body that is shaped like a function error, else undefined. */
export function errorTypeOf(body: Uint8Array): string | undefined {
  // Answers are up to 6 MB and nearly never errors: look before parsing.
  if (body[0] !== OPENING_BRACE || body.length > ERROR_BYTES_MAX) return undefined;
  try {
    const parsed = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as {
      errorType?: unknown;
      errorMessage?: unknown;
    };
    return typeof parsed.errorType === "string" && typeof parsed.errorMessage === "string"
      ? parsed.errorType
      : undefined;
  } catch {
    return undefined;
  }
}

const OPENING_BRACE = 0x7b;
const ERROR_BYTES_MAX = 256 * 1024;

function encode(error: { errorType: string; errorMessage: string }): Uint8Array {
  return Buffer.from(JSON.stringify(error));
}
