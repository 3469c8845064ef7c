// npm run bench -- deep [--messages N] [--only standard|fifo]
//
// Deep queues on disk, in this process and without HTTP: what receiving costs deep down beside a shallow queue on the
// same host, what a message takes of memory, how long the event loop and the collector pause meanwhile, and how long
// a start takes. README.md says how to read it.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { median } from "../report/statistics.ts";
import { Backlog } from "./backlog.ts";
import { PauseMeter } from "./pauses.ts";

const DEPTHS = [1000, 10_000, 100_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000];
const SHALLOW = 1000;
/** A shallow queue can give no more at a time, so there are many rounds. */
const RECEIVED = SHALLOW / 2;
const ROUNDS = 40;
const SETTLE_MS = 200;
const WARM_UP_ROUNDS = 60;
const COLUMNS = [10, 12, 12, 7, 12, 12, 14, 12, 14, 12];

const fullCollection = collector();

export async function deep(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { messages: { type: "string", default: "2000000" }, only: { type: "string" } },
  });
  const depths = DEPTHS.filter((depth) => depth <= Number(values.messages));
  for (const kind of ["standard", "fifo"]) {
    if (values.only !== undefined && values.only !== kind) continue;
    const path = mkdtempSync(join(tmpdir(), "millpond-deep-"));
    try {
      console.log(`\n${kind}, messages of 256 bytes`);
      await measure(path, depths, kind === "fifo");
    } finally {
      rmSync(path, { recursive: true });
    }
  }
  return 0;
}

async function measure(path: string, depths: number[], isFifo: boolean): Promise<void> {
  printRow([
    "depth",
    "shallow µs",
    "deep µs",
    "×",
    "state B",
    "resident B",
    "resident MB",
    "turn ms",
    "own turn ms",
    "GC ms",
    "start ms",
  ]);
  let backlog = await Backlog.open(path, isFifo);
  await backlog.create("shallow");
  await backlog.create("deep");
  await backlog.send("shallow", SHALLOW);
  await backlog.send("deep", SHALLOW);
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await compare(backlog);
  const emptyResidentBytes = residentBytes();
  await backlog.close();
  backlog = await Backlog.open(path, isFifo);
  const emptyStateBytes = stateBytes();
  for (const depth of depths) {
    const meter = new PauseMeter();
    await backlog.send("deep", depth + SHALLOW - backlog.messageCount);
    const rounds: { shallow: number; deep: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await compare(backlog));
    const { turnMs, ownTurnMs, collectionMs } = meter.stop();
    const resident = residentBytes();
    await backlog.close();
    const sinceMs = performance.now();
    backlog = await Backlog.open(path, isFifo);
    const startMs = performance.now() - sinceMs;
    // What was closed is let go of a little later.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const state = stateBytes();
    const shallowUs = median(rounds.map((round) => round.shallow)) as number;
    const deepUs = median(rounds.map((round) => round.deep)) as number;
    printRow([
      depth.toLocaleString("en"),
      shallowUs.toFixed(1),
      deepUs.toFixed(1),
      (deepUs / shallowUs).toFixed(2),
      ((state - emptyStateBytes) / depth).toFixed(0),
      ((resident - emptyResidentBytes) / depth).toFixed(0),
      (resident / 1e6).toFixed(0),
      turnMs.toFixed(1),
      ownTurnMs.toFixed(1),
      collectionMs.toFixed(1),
      startMs.toFixed(0),
    ]);
  }
  await backlog.close();
}

/** Receives from both in turn, and fills them up again. */
async function compare(backlog: Backlog): Promise<{ shallow: number; deep: number }> {
  const shallow = await backlog.receive("shallow", RECEIVED);
  const deep = await backlog.receive("deep", RECEIVED);
  const before = backlog.messageCount;
  await backlog.send("shallow", RECEIVED);
  await backlog.send("deep", RECEIVED);
  if (backlog.messageCount <= before) throw new Error("Messages that were sent are not there.");
  return { shallow, deep };
}

/** What is alive, on the heap and in buffers. Asked after a start, when no body is cached. */
function stateBytes(): number {
  fullCollection();
  fullCollection();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** NaN where the system does not tell. */
function residentBytes(): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

function printRow(cells: string[]): void {
  console.log(cells.map((cell, column) => cell.padStart(COLUMNS[column] ?? 10)).join(""));
}
