// What a reader of the figures must know of the machine: cores, Node, and what one synced write costs here.

import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { median } from "../report/statistics.ts";

export interface Machine {
  cores: number;
  processor: string;
  memoryGb: number;
  node: string;
  platform: string;
  /** Median of writing 512 bytes to a growing file and syncing it, where the data folders are. */
  syncedWriteMs: number;
}

const SYNCS = 200;

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: process.platform,
    syncedWriteMs: measureSyncedWrite(),
  };
}

/** Over the last minute. */
export function loadAverage(): number {
  return loadavg()[0] as number;
}

function measureSyncedWrite(): number {
  const folder = mkdtempSync(join(tmpdir(), "millpond-bench-sync-"));
  const file = openSync(join(folder, "file"), "w");
  const record = Buffer.alloc(512, 1);
  const timesMs: number[] = [];
  for (let sync = 0; sync < SYNCS; sync++) {
    const fromMs = performance.now();
    writeSync(file, record);
    fdatasyncSync(file);
    timesMs.push(performance.now() - fromMs);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
  return median(timesMs) as number;
}
