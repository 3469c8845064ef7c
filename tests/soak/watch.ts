// What the server's process takes from the machine, read from outside: memory, open files, room on the disk.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Usage {
  residentBytes: number;
  fileHandles: number;
  diskBytes: number;
}

/** Undefined when there is no such process any more. */
export function usageOf(pid: number, dataFolder: string): Usage | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const residentKib = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]);
    if (!(residentKib > 0)) return undefined;
    const fileHandles = readdirSync(`/proc/${pid}/fd`).length;
    return { residentBytes: residentKib * 1024, fileHandles, diskBytes: bytesIn(dataFolder) };
  } catch {
    return undefined;
  }
}

function bytesIn(folder: string): number {
  let sum = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) sum += bytesOf(join(entry.parentPath, entry.name));
  }
  return sum;
}

/** Files come and go between listing and looking. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
