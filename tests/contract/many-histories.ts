// Random histories of a log, in a thread of their own: node:test follows every promise of a test, and these have so
// many that it would take five times as long.

import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { isFault } from "../../src/base/fault.ts";
import { Random } from "../../src/base/random.ts";
import { LogHistory } from "./log-history.ts";

const LIVES = 5;

interface Task {
  durability: "fsync" | "os";
  firstSeed: number;
  seedCount: number;
}

/** Rejects with what went wrong and the seed that shows it again. */
export function liveManyHistories(task: Task): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: task });
    worker.once("message", (problem: string) => (problem === "" ? resolve() : reject(new Error(problem))));
    worker.once("error", reject);
  });
}

if (!isMainThread && (workerData as Partial<Task> | undefined)?.firstSeed !== undefined) {
  parentPort?.postMessage(await problemIn(workerData as Task));
}

async function problemIn({ durability, firstSeed, seedCount }: Task): Promise<string> {
  for (let seed = firstSeed; seed < firstSeed + seedCount; seed++) {
    try {
      await liveHistory(durability, new Random(seed));
    } catch (error) {
      return `with MILLPOND_TEST_SEED=${seed}: ${error instanceof Error ? error.stack : error}`;
    }
  }
  return "";
}

async function liveHistory(durability: Task["durability"], random: Random): Promise<void> {
  const freshWriters = random.chance(0.6);
  const segmentBytesMax = random.pick([1024, 2048, 8192]);
  const history = new LogHistory(random, { durability, segmentBytesMax, freshWriters });
  for (let life = 0; life < LIVES; life++) await liveOnce(history, random, freshWriters);
  await history.open();
  await history.check();
}

/** One opening of the log, with work until it ends in one of the ways it can. */
async function liveOnce(history: LogHistory, random: Random, maySyncFail: boolean): Promise<void> {
  if (random.chance(0.8)) history.disk.stopAfter(random.below(120));
  const failing = maySyncFail ? random.pick(["write", "sync"] as const) : "write";
  if (random.chance(0.3)) history.disk.failNth(failing, 1 + random.below(30));
  try {
    await history.open();
    await history.check();
    for (let step = random.below(30); step >= 0; step--) await actOnce(history, random);
    await history.close();
    history.end("closed");
  } catch (error) {
    if (!isFault(error, "DiskFailed") && !isFault(error, "ShardStopped")) throw error;
    if (random.chance(0.3)) await history.storage?.log.close().catch(() => undefined);
    history.end(random.chance(0.7) ? "powerCut" : "killed");
  }
}

async function actOnce(history: LogHistory, random: Random): Promise<void> {
  const choice = random.below(10);
  if (choice === 0) return history.trim();
  if (choice === 1) return history.putSnapshot();
  if (choice === 2) {
    // What follows meets the trim half done.
    for (const done of await Promise.allSettled([history.trim(), history.append([random.below(900)])])) {
      if (done.status === "rejected") throw done.reason;
    }
    return;
  }
  const sizes = Array.from({ length: 1 + random.below(6) }, () => random.below(random.chance(0.05) ? 5000 : 300));
  await history.append(sizes);
}
