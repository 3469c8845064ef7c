// A function's error in words: what its payload says, short enough to keep by the thousand.

const CHARACTERS_MAX = 300;

export interface FunctionError {
  /** `TypeError`, `Sandbox.Timedout`; `Unhandled` when the payload does not say. */
  type: string;
  /** Type and message. */
  text: string;
}

export function readFunctionError(payload: Uint8Array, functionError: string): FunctionError {
  const { errorType, errorMessage } = parse(payload);
  const type = typeof errorType === "string" && errorType !== "" ? errorType : functionError;
  const message = typeof errorMessage === "string" ? errorMessage : "";
  return { type: shortened(type), text: shortened(message === "" ? type : `${type}: ${message}`) };
}

export function shortened(text: string): string {
  return text.length <= CHARACTERS_MAX ? text : `${text.slice(0, CHARACTERS_MAX - 1)}…`;
}

function parse(payload: Uint8Array): { errorType?: unknown; errorMessage?: unknown } {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(payload).toString("utf8"));
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
