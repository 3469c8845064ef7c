import { readFileSync } from "node:fs";

/** The most memory that the process ever held, in whole MB; 0 where the system has no /proc. */
export function memoryPeakMb(pid: number): number {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"));
    return peak === null ? 0 : Math.ceil(Number(peak[1]) / 1024);
  } catch {
    return 0;
  }
}
