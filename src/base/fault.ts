// A fault: the world failed (disk full, port taken, damaged file). It carries a stable code, what happened
// to what, and what to do, so that whoever reads it in a terminal needs no source code.

export type FaultCode =
  | "DataFolderInUse"
  | "DataFolderForeign"
  | "DataFolderUnwritable"
  | "DiskFailed"
  | "DiskFull"
  | "LogDamaged"
  | "LogFenced"
  | "PortTaken"
  | "SettingInvalid"
  | "ShardRecovering"
  | "ShardStopped"
  | "FormatTooNew";

export class Fault extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "Fault";
    this.code = code;
  }
}

export function isFault(error: unknown, code?: FaultCode): error is Fault {
  return error instanceof Fault && (code === undefined || error.code === code);
}
