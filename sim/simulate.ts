// One seed from beginning to end: the plan's actions in their time, restarts where the server died, audits where the
// books are in doubt; then everything is drained, the power fails once more, and nothing may come back.

import { Random } from "../src/base/random.ts";
import { audit } from "./audit.ts";
import { Books } from "./books.ts";
import { Clients } from "./clients.ts";
import type { PlantedFault } from "./faults/planted-fault.ts";
import { makePlan, type Plan } from "./plan.ts";
import { Endpoints } from "./topics/endpoints.ts";
import { Violation } from "./trace.ts";
import { World } from "./world.ts";

const DRAIN_ROUNDS_MAX = 400;
const DRAIN_PAUSE_MS = 31_000;

export interface SimulationOptions {
  seed: number;
  /** How many actions. */
  ticks: number;
  shardCount?: number | undefined;
  /** Topics and their subscribers too; when absent, if the fault needs them. */
  topics?: boolean | undefined;
  fault?: PlantedFault | undefined;
  /** Only these actions; all when absent. */
  only?: ReadonlySet<number> | undefined;
  keepsTrace?: boolean;
}

export interface Report {
  seed: number;
  operations: number;
  simulatedMs: number;
  steps: number;
  /** The same for the same seed, options and code. */
  traceHash: string;
  trace: string[];
  violation: Violation | undefined;
  counts: World["counts"];
}

export async function simulate(options: SimulationOptions): Promise<Report> {
  const plan = makePlan(options.seed, options.ticks, options.shardCount, options.topics ?? options.fault?.needsTopics);
  const world = new World(plan, options.keepsTrace === true, options.fault);
  const books = new Books();
  books.nowMs = () => world.nowMs;
  const endpoints = new Endpoints(world, books);
  world.outboundOf = (life) => endpoints.outboundOf(life);
  const clients = new Clients(world, books, endpoints);
  const uninstall = options.fault?.install?.();
  const onRejection = (error: unknown) =>
    world.violated(
      new Violation("no rejection is left alone", error instanceof Error ? (error.stack ?? "") : String(error)),
    );
  process.on("unhandledRejection", onRejection);
  try {
    await run(plan, world, books, clients, options.only);
  } catch (error) {
    world.violated(error);
  } finally {
    if (world.isUp) world.kill();
    process.off("unhandledRejection", onRejection);
    uninstall?.();
  }
  if (world.violation !== undefined) world.note(`VIOLATED ${world.violation.message}`);
  return {
    seed: options.seed,
    operations: clients.operationCount,
    simulatedMs: world.nowMs - world.time.startedAtMs,
    steps: world.time.stepCount,
    traceHash: world.trace.digest(),
    trace: world.trace.lines,
    violation: world.violation,
    counts: world.counts,
  };
}

async function run(
  plan: Plan,
  world: World,
  books: Books,
  clients: Clients,
  only: ReadonlySet<number> | undefined,
): Promise<void> {
  await world.start();
  for (const queue of plan.queues) {
    await world.advanceTo(world.nowMs + 50);
    clients.createQueue(queue);
  }
  for (const topic of plan.topics) {
    await world.advanceTo(world.nowMs + 50);
    clients.topics.createTopic(topic);
  }
  const random = new Random(plan.seed ^ 0x1b87_3593);
  // Time that restarts and audits took is time that the plan did not have: what follows keeps its pace.
  let shiftMs = 1000;
  for (const action of plan.actions) {
    if (only !== undefined && !only.has(action.index)) continue;
    const atMs = world.time.startedAtMs + shiftMs + action.atMs;
    if (atMs > world.nowMs) await world.advanceTo(atMs);
    shiftMs += world.nowMs - Math.min(atMs, world.nowMs);
    await makeSure(world, books, clients, random);
    await clients.perform(action);
    if (world.violation !== undefined) throw world.violation;
  }
  await finish(world, books, clients, random);
}

/** The server is up and the books are in no doubt. */
async function makeSure(world: World, books: Books, clients: Clients, random: Random): Promise<void> {
  while (!world.isUp || books.hasDoubts) {
    if (!world.isUp) {
      // It may be down for longer than any window.
      await world.advanceTo(world.nowMs + random.below(random.pick([100, 100, 5000, 400_000])));
      // Misfortunes do not come alone: the power may fail again while the log is being read.
      if (random.chance(0.2)) world.disk.stopAfter(1 + random.below(20));
      await world.start();
    }
    if (await audit(world, books, clients)) clients.retry();
  }
}

async function finish(world: World, books: Books, clients: Clients, random: Random): Promise<void> {
  books.hasDoubts = true;
  clients.topics.heal();
  await makeSure(world, books, clients, random);
  await drain(world, books, clients, random);
  world.powerCut("power cut at the end");
  await makeSure(world, books, clients, random);
  const left = [...books.messages.values()].filter((message) => message.gone === undefined);
  if (left.length > 0)
    throw new Violation("what is gone stays gone", `${left.map(({ label }) => label).join(" ")} left`);
  if (books.topics.waiting.size > 0) throw new Violation("what is gone stays gone", "deliveries are left");
}

/** Every message can be received and deleted, however the run went. */
async function drain(world: World, books: Books, clients: Clients, random: Random): Promise<void> {
  const live = () => [...books.messages.values()].filter((message) => message.gone === undefined);
  const { waiting } = books.topics;
  for (let round = 0; live().length > 0 || waiting.size > 0; round++) {
    if (round === DRAIN_ROUNDS_MAX) {
      const labels = [...live(), ...waiting].map(({ label }) => label);
      throw new Violation("everything can be drained", `${labels.join(" ")} cannot`);
    }
    books.handles = [];
    for (const queue of books.queues.values()) if (queue.exists === "yes") clients.receive(queue, random, 0, 10);
    await world.until(() => world.openCallCount === 0, "every request is answered");
    await makeSure(world, books, clients, random);
    const received = books.handles;
    for (const queue of books.queues.values()) {
      const deliveries = received.filter((delivery) => delivery.queue === queue && queue.exists === "yes");
      if (deliveries.length > 0) clients.delete(queue, deliveries, random);
    }
    await world.until(() => world.openCallCount === 0, "every request is answered");
    if (received.length === 0) {
      await world.advanceTo(world.nowMs + DRAIN_PAUSE_MS);
      books.hasDoubts = true;
    }
    await makeSure(world, books, clients, random);
  }
}
