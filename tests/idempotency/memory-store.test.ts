// The contract over this process's memory: the store that the others are compared with.

import type { Clock } from "../../src/base/clock.ts";
import type { MemoryTransaction } from "../../src/consumer/index.ts";
import { memoryStore } from "../../src/consumer/index.ts";
import { storeContract } from "./contract.ts";
import { guardedContract } from "./guarded-contract.ts";
import { newestContract } from "./newest-contract.ts";
import { cuttable } from "./support/cuttable-store.ts";

const counters = new Map<string, number>();
const line = { isCut: false };

const harness = {
  open: (clock?: Clock) => cuttable(memoryStore(clock === undefined ? {} : { clock }), line),
  add: (tx: MemoryTransaction, counter: string) =>
    tx.write(() => counters.set(counter, (counters.get(counter) ?? 0) + 1)),
  count: async (counter: string) => counters.get(counter) ?? 0,
  crash: async () => {},
  cut: () => {
    line.isCut = true;
  },
  mend: async () => {
    line.isCut = false;
  },
  isLeased: true,
  time: "process" as const,
  sweeps: true,
  graceMs: 0,
};

storeContract("Memory", harness);
guardedContract("Memory", harness);
newestContract("Memory", harness);
