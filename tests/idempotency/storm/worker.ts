// A worker of the storm, a process of its own so that it can be killed anywhere. Takes deliveries over IPC, handles them
// all at once, and answers what became of each.

import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../../src/base/random.ts";
import { idempotent } from "../../../src/consumer/index.ts";
import { type Kind, openBackEnd, STORM_LEASE_MS } from "./back-end.ts";
import type { Answer, Delivery } from "./storm.ts";

const [kind, port, seed, fault] = process.argv.slice(2);
const random = new Random(Number(seed));
const backEnd = await openBackEnd(kind as Kind, Number(port));
const PAUSE_MS_MAX = 10;

/** Deliveries that were answered with a saved result. */
const replayed = new WeakSet<Delivery>();
const handle = idempotent(
  async (payment: Delivery, _, { tx }) => {
    await mishap(0.1);
    await (fault === "outside" ? backEnd.addOutside(payment.key) : backEnd.add(tx, payment.key));
    await mishap(0.05);
    return `charged ${payment.key}`;
  },
  {
    key: ({ key }: Delivery) => key,
    store: backEnd.store,
    scope: "storm",
    leaseMs: STORM_LEASE_MS,
    fingerprint: ({ key }) => key,
    onReplay: (_, delivery) => void replayed.add(delivery),
  },
);

async function mishap(chance: number): Promise<void> {
  await sleep(random.below(PAUSE_MS_MAX));
  if (random.chance(chance)) throw new Error("a mishap");
}

process.on("message", async (delivery: Delivery) => {
  let answer: Answer;
  try {
    const result = await handle(delivery);
    answer = { number: delivery.number, is: replayed.has(delivery) ? "replayed" : "done", result };
  } catch (error) {
    answer = { number: delivery.number, is: "failed", why: (error as { code?: string }).code ?? "Mishap" };
  }
  process.send?.(answer);
});
// The parent is gone: so is the storm.
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
