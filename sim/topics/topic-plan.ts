// The topics of one seed and who may subscribe to them. Each subscriber is a place that can be taken or free: a queue
// (now and then one that is never made) or an endpoint, with attributes that stay the same apart from its filter.

import type { Random } from "../../src/base/random.ts";
import type { QueuePlan } from "../plan.ts";

export interface SubscriberPlan {
  protocol: "sqs" | "http";
  /** Name of a queue, or URL. */
  endpoint: string;
  /**
   * Message text alone. One subscriber of a topic at most, so that what is found in a queue says by its bytes whose
   * copy it is.
   */
  raw: boolean;
  /** Name of the dead-letter queue. */
  deadLetters: string | undefined;
  /** Endpoints: after the first attempt. */
  retriesMax: number;
  filter: string | undefined;
  attributes: Record<string, string>;
}

export interface TopicPlan {
  name: string;
  fifo: boolean;
  attributes: Record<string, string>;
  subscribers: SubscriberPlan[];
}

/** What messages say of their kind, or nothing. */
export const KINDS = ["a", "b", "c", undefined] as const;

const FILTERS: readonly { text: string; passes: readonly (string | undefined)[] }[] = [
  { text: '{"kind":["a"]}', passes: ["a"] },
  { text: '{"kind":["a","b"]}', passes: ["a", "b"] },
  { text: '{"kind":[{"anything-but":"a"}]}', passes: ["b", "c"] },
  { text: '{"kind":[{"exists":false}]}', passes: [undefined] },
  { text: '{"kind":[{"prefix":"c"}]}', passes: ["c"] },
];
const NOWHERE = "nowhere";

export function planFilter(random: Random): string | undefined {
  return random.chance(0.5) ? undefined : random.pick(FILTERS).text;
}

/** By the table above, not by the matcher that is being tested. */
export function isWantedBy(filter: string | undefined, kind: string | undefined): boolean {
  if (filter === undefined) return true;
  const known = FILTERS.find(({ text }) => text === filter);
  if (known === undefined) throw new Error(`nobody set the filter ${filter}`);
  return known.passes.includes(kind);
}

export function planTopics(random: Random, queues: QueuePlan[]): TopicPlan[] {
  const topics: TopicPlan[] = [];
  for (const kind of random.pick([["standard"], ["fifo"], ["standard", "fifo"], ["standard", "standard", "fifo"]])) {
    const fifo = kind === "fifo";
    const name = `news-${topics.length}${fifo ? ".fifo" : ""}`;
    const attributes: Record<string, string> = fifo ? { FifoTopic: "true" } : {};
    if (fifo && random.chance(0.5)) attributes.FifoThroughputScope = random.pick(["Topic", "MessageGroup"]);
    if (fifo && random.chance(0.3)) attributes.ArchivePolicy = '{"MessageRetentionPeriod":"30"}';
    topics.push({ name, fifo, attributes, subscribers: planSubscribers(random, name, fifo, queues) });
  }
  return topics;
}

function planSubscribers(random: Random, topic: string, fifo: boolean, queues: QueuePlan[]): SubscriberPlan[] {
  const subscribers: SubscriberPlan[] = [];
  for (const queue of queues) {
    if ((queue.fifo && !fifo) || random.chance(0.3)) continue;
    const others = queues.filter((other) => other.fifo === queue.fifo && other !== queue);
    subscribers.push(planSubscriber(random, "sqs", queue.name, others));
  }
  if (random.chance(0.2)) subscribers.push(planSubscriber(random, "sqs", fifo ? `${NOWHERE}.fifo` : NOWHERE, []));
  const standard = queues.filter((queue) => !queue.fifo);
  const endpoints = fifo ? 0 : random.below(3);
  for (let index = 0; index < endpoints; index++) {
    subscribers.push(planSubscriber(random, "http", `http://${topic}.test/${index}`, standard));
  }
  const rawAt = random.below(subscribers.length + 1);
  for (const [index, subscriber] of subscribers.entries()) {
    subscriber.raw = index === rawAt;
    if (subscriber.raw) subscriber.attributes.RawMessageDelivery = "true";
  }
  return subscribers;
}

function planSubscriber(
  random: Random,
  protocol: SubscriberPlan["protocol"],
  endpoint: string,
  mayBeDeadLetters: QueuePlan[],
): SubscriberPlan {
  const attributes: Record<string, string> = {};
  const deadLetters =
    mayBeDeadLetters.length > 0 && random.chance(0.5) ? random.pick(mayBeDeadLetters).name : undefined;
  if (deadLetters !== undefined) {
    const deadLetterTargetArn = `arn:aws:sqs:us-east-1:000000000000:${deadLetters}`;
    attributes.RedrivePolicy = JSON.stringify({ deadLetterTargetArn });
  }
  let retriesMax = 3;
  if (protocol === "http" && random.chance(0.5)) {
    retriesMax = random.below(6);
    const healthyRetryPolicy = { minDelayTarget: 1, maxDelayTarget: 10, numRetries: retriesMax };
    attributes.DeliveryPolicy = JSON.stringify({ healthyRetryPolicy });
  }
  return { protocol, endpoint, raw: false, deadLetters, retriesMax, filter: planFilter(random), attributes };
}
