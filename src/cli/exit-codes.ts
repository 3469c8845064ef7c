// What the process's exit code says, stable for scripts. docs/cli.md and --help list the same.

import type { FaultCode } from "../base/fault.ts";
import { isFault } from "../base/fault.ts";

export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  dataFolder: 3,
  portTaken: 4,
  unreachable: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODE_HELP: readonly (readonly [ExitCode, string])[] = [
  [EXIT.ok, "done"],
  [EXIT.refused, "the server refused the request, or something failed on the way"],
  [EXIT.usage, "wrong use: an unknown command or flag, or a value that is not allowed"],
  [
    EXIT.dataFolder,
    "the data folder is in use, foreign, unwritable, damaged, full or too new, or its key for signing cannot be used",
  ],
  [EXIT.portTaken, "the port is taken"],
  [EXIT.unreachable, "no server answers at the endpoint"],
  [EXIT.interrupted, "interrupted before it was done"],
];

/** A failure that the command line itself reports; the message is all that the user sees. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** For --json: a name that does not change. */
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message);
    this.name = "CliError";
    this.exitCode = exitCode;
    this.code = code;
  }
}

export function interruptedError(): CliError {
  return new CliError(EXIT.interrupted, "Interrupted", "Interrupted.");
}

export function usageError(message: string): CliError {
  return new CliError(EXIT.usage, "Usage", message);
}

const CODE_OF_FAULT: Record<FaultCode, ExitCode> = {
  DataFolderInUse: EXIT.dataFolder,
  DataFolderForeign: EXIT.dataFolder,
  DataFolderUnwritable: EXIT.dataFolder,
  DiskFailed: EXIT.dataFolder,
  DiskFull: EXIT.dataFolder,
  LogDamaged: EXIT.dataFolder,
  FormatTooNew: EXIT.dataFolder,
  PortTaken: EXIT.portTaken,
  SettingInvalid: EXIT.usage,
  ShardRecovering: EXIT.refused,
  ShardStopped: EXIT.refused,
  LogFenced: EXIT.refused,
};

/** How an error ends the process: what to say, and with which code. A bug keeps its stack. */
export function describeError(error: unknown): { exitCode: ExitCode; code: string; message: string; stack?: string } {
  if (error instanceof CliError) return { exitCode: error.exitCode, code: error.code, message: error.message };
  if (isFault(error)) return { exitCode: CODE_OF_FAULT[error.code], code: error.code, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? error.stack : undefined;
  return { exitCode: EXIT.refused, code: "Bug", message, ...(stack === undefined ? {} : { stack }) };
}
