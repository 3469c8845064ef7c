// Processor time, memory and placement of processes, as Linux tells them. Elsewhere the columns that need them stay empty.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks a second in /proc: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time that the processes have used together. */
export function cpuSecondsOf(pids: readonly number[]): number | undefined {
  let ticks = 0;
  for (const pid of pids) {
    const fields = statOf(pid);
    if (fields === undefined) return undefined;
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / TICKS_PER_SECOND;
}

/** Seconds of processor time that the whole machine was busy, stolen time included. */
export function machineBusySeconds(): number | undefined {
  const fields = read("/proc/stat")?.split("\n")[0]?.trim().split(/\s+/).slice(1).map(Number);
  if (fields === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** Resident memory of the processes together; pages that they share count for each. */
export function residentBytesOf(pids: readonly number[]): number | undefined {
  let bytes = 0;
  for (const pid of pids) {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1];
    if (kilobytes === undefined) return undefined;
    bytes += Number(kilobytes) * 1024;
  }
  return bytes;
}

/** The process and all that it started, as far as it is still theirs. */
export function familyOf(pid: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const name of listProcesses()) {
    const parent = Number(statOf(name)?.[1]);
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), name]);
  }
  const family = [pid];
  for (const member of family) family.push(...(childrenOf.get(member) ?? []));
  return family;
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

function listProcesses(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Fields of /proc/PID/stat behind the name: state, parent, … */
function statOf(pid: number): string[] | undefined {
  return read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, "")
    .split(" ");
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
