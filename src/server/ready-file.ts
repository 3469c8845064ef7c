// The ready file: one JSON line that says where the server answers. It appears whole or not at all (written aside,
// then renamed), and a leftover of an earlier run is removed first, so that a waiting script cannot be fooled by it.

import { renameSync, rmSync, writeFileSync } from "node:fs";
import { Fault } from "../base/fault.ts";

export function removeReadyFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unusable(path, error);
  }
}

export function writeReadyFile(path: string, ready: { endpoint: string; pid: number }): void {
  const aside = `${path}.${ready.pid}.tmp`;
  try {
    writeFileSync(aside, `${JSON.stringify(ready)}\n`);
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): Fault {
  return new Fault("SettingInvalid", `The ready file ${path} cannot be written: ${(error as Error).message}.`, error);
}
