// Many seeds in several processes: each gets a few seeds at a time and sends back what came of them.

import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { plantedFault } from "./faults/index.ts";
import { type Report, simulate } from "./simulate.ts";

const SEEDS_AT_A_TIME = 5;

export interface FleetOptions {
  first: number;
  count: number;
  ticks: number;
  shardCount: number | undefined;
  topics?: boolean | undefined;
  fault: string | undefined;
}

/** Of a run in another process. */
export type Outcome = Pick<Report, "seed" | "operations" | "simulatedMs" | "steps" | "traceHash" | "counts"> & {
  violation: string | undefined;
};

interface Order {
  seeds: number[];
  ticks: number;
  shardCount: number | undefined;
  topics?: boolean | undefined;
  fault: string | undefined;
}

/** Calls `report` for each seed as it is done, in no order. */
export async function runFleet(options: FleetOptions, report: (outcome: Outcome) => void): Promise<void> {
  const { first, count, ticks, shardCount, topics, fault } = options;
  let next = first;
  const nextOrder = (): Order | undefined => {
    if (next >= first + count) return undefined;
    const size = Math.min(SEEDS_AT_A_TIME, first + count - next);
    const seeds = Array.from({ length: size }, (_, index) => next + index);
    next += size;
    return { seeds, ticks, shardCount, topics, fault };
  };
  const workers = Math.min(availableParallelism(), Math.ceil(count / SEEDS_AT_A_TIME));
  await Promise.all(Array.from({ length: workers }, () => work(nextOrder, report)));
}

function work(nextOrder: () => Order | undefined, report: (outcome: Outcome) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(import.meta.url), { execArgv: ["--enable-source-maps"] });
    const feed = () => {
      const order = nextOrder();
      if (order === undefined) worker.disconnect();
      else worker.send(order);
    };
    worker.on("message", (message: Outcome | "done") => {
      if (message === "done") feed();
      else report(message);
    });
    worker.on("error", reject);
    worker.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with code ${code}`))));
    feed();
  });
}

async function serve({ seeds, ticks, shardCount, topics, fault }: Order): Promise<void> {
  for (const seed of seeds) {
    const planted = fault === undefined ? undefined : plantedFault(fault);
    const { trace: _, violation, ...rest } = await simulate({ seed, ticks, shardCount, topics, fault: planted });
    process.send?.({ ...rest, violation: violation?.message } satisfies Outcome);
  }
  process.send?.("done");
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on("message", (order: Order) => void serve(order));
}
