// A queue, its workers and what is behind them, on virtual time: a load to size workers for. Deterministic.

import { Random } from "../base/random.ts";
import type { Policy } from "./policy.ts";
import type { Sample } from "./sample.ts";
import { type Decision, Sizing } from "./sizing.ts";

export interface Load {
  /** Messages that arrive in the second that begins here. */
  arrivals: (atMs: number) => number;
  serviceMs: number;
  /** Messages that a worker works on at a time. */
  concurrency?: number;
  startUpMs?: number;
  /** What all workers together can get through what is behind them. */
  downstreamPerSecond?: (atMs: number) => number;
  /** Of the attempts, the share that ends without a delete. */
  failing?: (atMs: number) => number;
  visibilityTimeoutMs?: number;
  /** False: only the counts, as at AWS. */
  hasCounters?: boolean;
  groupCount?: number;
  seed?: number;
}

export interface Told {
  decisions: Decision[];
  visible: number[];
  deleted: number;
  arrived: number;
  oldestAgeMsMax: number;
  /** Changes from growing to shrinking or back. */
  turns: number;
}

interface Hold {
  endsAtMs: number;
  sentAtMs: number;
  takenAtMs: number;
  isPoison: boolean;
}

const TICK_MS = 100;
const SAMPLE_MS = 2000;

export function simulate(policy: Policy, load: Load, forMs: number): Told {
  const random = new Random(load.seed ?? 1);
  const { concurrency = 1, startUpMs = 500, visibilityTimeoutMs = 30_000, hasCounters = true } = load;
  const sizing = new Sizing(policy);
  const told: Told = { decisions: [], visible: [], deleted: 0, arrived: 0, oldestAgeMsMax: 0, turns: 0 };
  const waiting: number[] = [];
  const held: Hold[] = [];
  let workers: { readyAtMs: number }[] = [];
  const traffic = { epoch: 1, arrived: 0, received: 0, deleted: 0, heldMs: 0 };
  let due = 0;
  let downstreamFreeAtMs = 0;
  let direction = 0;
  for (let atMs = 0; atMs <= forMs; atMs += TICK_MS) {
    due += (load.arrivals(atMs) * TICK_MS * (0.5 + random.fraction())) / 1000;
    for (; due >= 1; due--) {
      waiting.push(atMs);
      traffic.arrived += 1;
    }
    for (let index = held.length - 1; index >= 0; index--) {
      const hold = held[index] as Hold;
      const isBack = hold.isPoison && atMs >= hold.takenAtMs + visibilityTimeoutMs;
      if (!isBack && (hold.isPoison || atMs < hold.endsAtMs)) continue;
      held.splice(index, 1);
      if (isBack) waiting.push(hold.sentAtMs);
      else {
        traffic.deleted += 1;
        traffic.heldMs += hold.endsAtMs - hold.takenAtMs;
      }
    }
    // A failed attempt frees its worker at once, although the message stays away for its visibility timeout.
    let busy = 0;
    for (const { isPoison, endsAtMs } of held) if (!isPoison || atMs < endsAtMs) busy += 1;
    const ready = workers.filter(({ readyAtMs }) => readyAtMs <= atMs).length;
    let slots = Math.min(ready * concurrency, load.groupCount ?? Number.POSITIVE_INFINITY) - busy;
    for (; slots > 0 && waiting.length > 0; slots--) {
      const gapMs = 1000 / (load.downstreamPerSecond?.(atMs) ?? Number.POSITIVE_INFINITY);
      downstreamFreeAtMs = Math.max(downstreamFreeAtMs + gapMs, atMs);
      const endsAtMs = Math.max(downstreamFreeAtMs, atMs + load.serviceMs * (0.8 + 0.4 * random.fraction()));
      const isPoison = random.chance(load.failing?.(atMs) ?? 0);
      held.push({ endsAtMs, sentAtMs: waiting.shift() as number, takenAtMs: atMs, isPoison });
      traffic.received += 1;
    }
    if (atMs % SAMPLE_MS !== 0) continue;
    const oldest = Math.min(atMs, waiting[0] ?? atMs, ...held.map(({ sentAtMs }) => sentAtMs));
    const sample: Sample = {
      atMs,
      visible: waiting.length,
      inFlight: held.length,
      delayed: 0,
      workers: workers.length,
      crashed: 0,
      openBreakers: 0,
      ...(load.groupCount === undefined ? {} : { groupCount: load.groupCount }),
      ...(hasCounters ? { traffic: { ...traffic }, oldestAgeMs: atMs - oldest } : {}),
    };
    const decision = sizing.next(sample);
    const change = Math.sign(decision.wanted - decision.before);
    if (change !== 0 && direction !== 0 && change !== direction) told.turns += 1;
    if (change !== 0) direction = change;
    while (workers.length < decision.wanted) workers.push({ readyAtMs: atMs + startUpMs });
    // The newest go first; what they hold is worked off.
    workers = workers.slice(0, decision.wanted);
    told.decisions.push(decision);
    told.visible.push(waiting.length);
    told.oldestAgeMsMax = Math.max(told.oldestAgeMsMax, atMs - oldest);
  }
  return { ...told, deleted: traffic.deleted, arrived: traffic.arrived };
}

export function mostWanted({ decisions }: Told): number {
  return Math.max(...decisions.map(({ wanted }) => wanted));
}
