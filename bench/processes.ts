// Processor time and placement, as Linux tells them. Elsewhere the columns that need them stay empty.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Clock ticks a second in /proc: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time that a process has used. */
export function cpuSeconds(pid: number): number | undefined {
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /, "")
    .split(" ");
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Seconds of processor time that the whole machine was busy, stolen time included. */
export function machineBusySeconds(): number | undefined {
  const fields = read("/proc/stat")?.split("\n")[0]?.trim().split(/\s+/).slice(1).map(Number);
  if (fields === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** Keeps a process and its threads on one core; false where that cannot be done. */
export function pin(pid: number, core: number): boolean {
  try {
    execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
