// What a seed will do: the shape of its world (queues, disk, thresholds) and a list of actions, each with its own time
// and its own chance. An action draws from nothing that another one drew from, so that any of them can be left out and
// the others stay what they are: that is what shrinking needs.
//
// Not every seed does everything: each leaves some kinds of action out and does others often, since faults hide where
// rare things meet.

import { Random } from "../src/base/random.ts";
import type { HostThresholds } from "../src/host/index.ts";
import type { DiskDelays } from "./simulated-disk.ts";
import { planTopics, type TopicPlan } from "./topics/topic-plan.ts";

const TOPIC_KINDS = [
  "publish",
  "publishBatch",
  "repeatPublish",
  "subscribe",
  "confirm",
  "unsubscribe",
  "setFilter",
  "createTopic",
  "deleteTopic",
] as const;

export const ACTION_KINDS = [
  "send",
  "sendBatch",
  "repeatSend",
  "receive",
  "poll",
  "delete",
  "changeVisibility",
  "purge",
  "deleteQueue",
  "createQueue",
  "setAttributes",
  "startMoveTask",
  "cancelMoveTask",
  "count",
  ...TOPIC_KINDS,
  "powerCut",
  "powerCutSoon",
  "kill",
  "restart",
  "failWrite",
  "failSync",
  "fillDisk",
  "audit",
] as const;

export type ActionKind = (typeof ACTION_KINDS)[number];

/** How often each kind is meant to come, among a thousand. */
const WEIGHTS: Record<ActionKind, number> = {
  send: 190,
  sendBatch: 60,
  repeatSend: 40,
  receive: 190,
  poll: 90,
  delete: 190,
  changeVisibility: 60,
  purge: 3,
  deleteQueue: 2,
  createQueue: 8,
  setAttributes: 10,
  startMoveTask: 8,
  cancelMoveTask: 3,
  count: 20,
  publish: 60,
  publishBatch: 12,
  repeatPublish: 12,
  subscribe: 14,
  confirm: 10,
  unsubscribe: 4,
  setFilter: 5,
  createTopic: 5,
  deleteTopic: 0.7,
  powerCut: 1.5,
  powerCutSoon: 2,
  kill: 0.7,
  restart: 0.7,
  failWrite: 0.7,
  failSync: 0.7,
  fillDisk: 0.7,
  audit: 1.5,
};

const OF_TOPICS: ReadonlySet<ActionKind> = new Set(TOPIC_KINDS);

/** Kinds without which nothing much happens. */
const ALWAYS = new Set<ActionKind>(["send", "receive", "delete", "createQueue"]);

export interface QueuePlan {
  name: string;
  fifo: boolean;
  attributes: Record<string, string>;
}

export interface Action {
  index: number;
  kind: ActionKind;
  atMs: number;
  seed: number;
}

export interface Plan {
  seed: number;
  shardCount: number;
  segmentBytesMax: number;
  bodyCacheBytesMax: number;
  thresholds: Partial<HostThresholds>;
  delays: DiskDelays;
  bodyBytesMax: number;
  /** Message groups in use. */
  groupCount: number;
  /** In creation order: a dead-letter queue comes before those that name it. */
  queues: QueuePlan[];
  topics: TopicPlan[];
  actions: Action[];
}

/** With topics a seed is another life than without. */
export function makePlan(seed: number, ticks: number, shardCount?: number, topics = false): Plan {
  const random = new Random(seed ^ 0x51ed_270b);
  const plan: Plan = {
    seed,
    shardCount: shardCount ?? random.pick([1, 1, 1, 2, 4]),
    segmentBytesMax: random.pick([2048, 8192, 16 * 1024, 64 * 1024]),
    bodyCacheBytesMax: random.pick([1, 4096, 1024 * 1024]),
    thresholds: {
      snapshotAfterBytesMin: random.pick([1024, 8192, 32 * 1024, 256 * 1024]),
      cleanAboveDeadBytes: random.pick([1, 8192, 32 * 1024]),
      cleanBelowLiveShare: random.pick([0.5, 0.9]),
      roomKeptForConsumersBytes: 1024,
      roomBytesMin: 256,
    },
    delays: random.pick([
      { share: 0, msMax: 1, stallShare: 0, stallMsMax: 1 },
      { share: 0.3, msMax: 5, stallShare: 0, stallMsMax: 1 },
      { share: 0.5, msMax: 20, stallShare: 0.01, stallMsMax: 3000 },
    ]),
    bodyBytesMax: random.pick([64, 64, 512, 4096]),
    groupCount: random.pick([1, 3, 12]),
    queues: planQueues(random.fork()),
    topics: [],
    actions: [],
  };
  if (topics) plan.topics = planTopics(random.fork(), plan.queues);
  plan.actions = planActions(random, ticks, topics);
  return plan;
}

function planQueues(random: Random): QueuePlan[] {
  const queues: QueuePlan[] = [];
  const kinds = random.pick([[false], [true], [false, true], [false, true]]);
  for (const fifo of kinds) {
    const suffix = fifo ? ".fifo" : "";
    const stem = fifo ? "line" : "heap";
    const hasDeadLetters = random.chance(0.6);
    if (hasDeadLetters) queues.push({ name: `${stem}-dead${suffix}`, fifo, attributes: planAttributes(random, fifo) });
    const attributes = planAttributes(random, fifo);
    if (hasDeadLetters) attributes.RedrivePolicy = redrivePolicy(`${stem}-dead${suffix}`, random);
    queues.push({ name: `${stem}${suffix}`, fifo, attributes });
    if (random.chance(0.4)) queues.push({ name: `${stem}-2${suffix}`, fifo, attributes: planAttributes(random, fifo) });
  }
  return queues;
}

export function redrivePolicy(deadLetterQueue: string, random: Random): string {
  return JSON.stringify({
    deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${deadLetterQueue}`,
    maxReceiveCount: random.pick([1, 2, 3, 5]),
  });
}

function planAttributes(random: Random, fifo: boolean): Record<string, string> {
  const attributes: Record<string, string> = {
    VisibilityTimeout: random.pick(["1", "5", "30", "120"]),
    DelaySeconds: random.pick(["0", "0", "0", "3"]),
    MessageRetentionPeriod: random.pick(["60", "300", "1200", "345600", "345600"]),
    ReceiveMessageWaitTimeSeconds: random.pick(["0", "0", "10"]),
  };
  if (!fifo) return attributes;
  const scope = random.pick(["queue", "queue", "messageGroup"]);
  return { ...attributes, FifoQueue: "true", DeduplicationScope: scope };
}

function planActions(random: Random, ticks: number, topics: boolean): Action[] {
  const kinds = topics ? ACTION_KINDS : ACTION_KINDS.filter((kind) => !OF_TOPICS.has(kind));
  const weights = kinds.map((kind) => {
    const factor = random.pick([0, 0.3, 1, 1, 1, 3]);
    return WEIGHTS[kind] * (ALWAYS.has(kind) ? Math.max(0.5, factor) : factor);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const pace = random.pick([20, 200, 1000]);
  const actions: Action[] = [];
  let atMs = 0;
  for (let index = 0; index < ticks; index++) {
    atMs += gapMs(random, pace);
    actions.push({ index, kind: pickKind(kinds, weights, random.fraction() * sum), atMs, seed: random.bits() });
  }
  return actions;
}

/** Mostly short, so that actions overlap; now and then as long as a timeout, a window, a retention. */
function gapMs(random: Random, pace: number): number {
  const kind = random.below(200);
  if (kind === 0) return random.below(400_000);
  if (kind < 4) return random.below(60_000);
  if (kind < 80) return 0;
  return random.below(pace);
}

function pickKind(kinds: readonly ActionKind[], weights: number[], at: number): ActionKind {
  let left = at;
  for (const [index, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return kinds[index] as ActionKind;
  }
  return "send";
}
