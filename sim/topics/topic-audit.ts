// The topics' part of an audit: which topics and subscriptions there are, and what waits to be delivered to
// endpoints. What the books were certain of must be so; where they were in doubt, what is found is the truth.

import type { SubscriptionRecord } from "../../src/engine/index.ts";
import { internalQueueKey, subscriptionArn } from "../../src/engine/index.ts";
import type { InspectedMessage } from "../../src/host/index.ts";
import { deliveryQueueOf } from "../../src/host/topic-routes.ts";
import type { Books, MessageBook } from "../books.ts";
import { Violation } from "../trace.ts";
import type { World } from "../world.ts";
import type { CopyBook, DeliveryState, SlotBook, TopicBook } from "./topic-books.ts";
import { copyOf } from "./topic-checks.ts";

interface LookedSlot {
  record: SubscriptionRecord;
  /** Endpoints: what waits for it. */
  waiting: InspectedMessage[];
}

type SlotStates = Map<CopyBook, DeliveryState>;

interface LookedTopic {
  topic: TopicBook;
  /** As listed and counted; undefined when there is no such topic. */
  found: { arns: string[]; confirmed: number; pending: number } | undefined;
  slots: Map<SlotBook, LookedSlot>;
  /** How far deliveries were: they go on while what waits is being read. */
  states: Map<SlotBook, SlotStates>;
}

/** All in one turn, the one in which the queues are looked at. */
export async function lookAtTopics(world: World, books: Books): Promise<LookedTopic[]> {
  const { host } = world;
  if (host === undefined) return [];
  const records = [...host.catalog.resources.values("subscription")];
  return Promise.all(
    [...books.topics.byName.values()].map(async (topic) => {
      const asking = host.execute<"getTopicAttributes">({ kind: "getTopicAttributes", topic: topic.key });
      const listing = host.execute<"listSubscriptionsOfTopic">({ kind: "listSubscriptionsOfTopic", topic: topic.key });
      const states = new Map(topic.slots.map((slot) => [slot, statesOf(slot)]));
      const looking = topic.slots.map(async (slot) => {
        const record = records.find((candidate) => isOf(candidate, slot));
        if (record === undefined) return undefined;
        const name = deliveryQueueOf(subscriptionArn(record.subscription)).name;
        const waiting = slot.plan.protocol === "sqs" ? [] : await host.inspect(internalQueueKey(name), 1_000_000);
        return [slot, { record, waiting: waiting ?? [] }] as const;
      });
      const [asked, listed] = [await asking, await listing];
      const slots = new Map((await Promise.all(looking)).filter((found) => found !== undefined));
      if (!asked.ok || !listed.ok) return { topic, found: undefined, slots, states };
      const { SubscriptionsConfirmed, SubscriptionsPending } = asked.value.attributes;
      const arns = listed.value.subscriptions.map(({ arn }) => arn);
      const found = { arns, confirmed: Number(SubscriptionsConfirmed), pending: Number(SubscriptionsPending) };
      return { topic, found, slots, states };
    }),
  );
}

function statesOf(slot: SlotBook): SlotStates {
  const states: SlotStates = new Map();
  for (const copy of slot.waiting) if (copy.delivery !== undefined) states.set(copy, { ...copy.delivery });
  return states;
}

function isOf({ subscription, endpoint }: SubscriptionRecord, { topic, plan }: SlotBook): boolean {
  const isSame = plan.protocol === "http" ? endpoint === plan.endpoint : endpoint.endsWith(`:${plan.endpoint}`);
  return subscription.topic.name === topic.key.name && isSame;
}

export function compareTopics(world: World, books: Books, looked: LookedTopic[]): void {
  for (const { topic, found, slots, states } of looked) {
    const exists = found === undefined ? "no" : "yes";
    if (topic.exists !== "unclear" && topic.exists !== exists) {
      throw new Violation("a topic stays what it is", `${topic.key.name} is there: ${exists}`);
    }
    topic.exists = exists;
    if (found !== undefined) checkCounts(topic, found, slots);
    for (const slot of topic.slots) compareSlot(world, books, slot, slots.get(slot), states.get(slot) ?? new Map());
  }
}

function checkCounts(
  topic: TopicBook,
  { arns, confirmed, pending }: NonNullable<LookedTopic["found"]>,
  slots: LookedTopic["slots"],
): void {
  const known = [...slots.values()].map(({ record }) => subscriptionArn(record.subscription));
  const isListed = arns.length === known.length && known.every((arn) => arns.includes(arn));
  if (isListed && arns.length === confirmed + pending) return;
  throw new Violation(
    "counts add up",
    `${topic.key.name} lists ${arns.length} subscriptions and says ${confirmed} + ${pending}; there are ${known.length}`,
  );
}

function compareSlot(
  world: World,
  books: Books,
  slot: SlotBook,
  looked: LookedSlot | undefined,
  states: SlotStates,
): void {
  const { endpoint } = slot.plan;
  const state = looked === undefined ? "no" : "yes";
  if (slot.state !== "unclear" && slot.state !== state) {
    throw new Violation("a subscription stays what it is", `${endpoint} is subscribed: ${state}`);
  }
  slot.state = state;
  if (looked !== undefined) learnSlot(books, slot, looked.record);
  compareWaiting(world, books, slot, looked, states);
}

function learnSlot(books: Books, slot: SlotBook, record: SubscriptionRecord): void {
  const { endpoint } = slot.plan;
  const pending = record.pending ? "yes" : "no";
  // A new subscription may have taken the place of one that was confirmed.
  if (slot.pending !== "unclear" && slot.pending !== pending) {
    throw new Violation("a subscription stays what it is", `${endpoint} is pending: ${pending}`);
  }
  slot.pending = pending;
  const filter = record.attributes.FilterPolicy;
  if (!slot.filters.includes(filter)) throw new Violation("attributes are as they were set", `${endpoint}'s filter`);
  slot.filters = [filter];
  books.topics.named(slot, subscriptionArn(record.subscription));
}

function compareWaiting(
  world: World,
  books: Books,
  slot: SlotBook,
  looked: LookedSlot | undefined,
  states: SlotStates,
): void {
  const found = new Set<CopyBook>();
  let asksCount = 0;
  for (const { content } of looked?.waiting ?? []) {
    const bytes = Buffer.from(content.body);
    if (bytes.includes('"Type" : "SubscriptionConfirmation"') || bytes.includes('"type":"SubscriptionConfirmation"')) {
      asksCount += 1;
      continue;
    }
    const copy = copyOf(books, bytes, content.attributes);
    if (copy.slot !== slot || copy.delivery === undefined) {
      throw new Violation("a copy goes to its subscriber", `${copy.label} waits for ${slot.plan.endpoint}`);
    }
    if (found.has(copy)) throw new Violation("a message is never in two places", `${copy.label} waits twice`);
    if (copy.delivery.isOver) throw new Violation("what is gone stays gone", `${copy.label} waits`);
    found.add(copy);
  }
  const isWaiting = slot.state === "yes" && slot.pending === "yes" && slot.isAcknowledged;
  if (isWaiting && asksCount === 0 && slot.askedCount === 0) {
    throw new Violation("an endpoint is asked to confirm", `${slot.plan.endpoint} is not`);
  }
  for (const [copy, state] of states) {
    if (found.has(copy)) stillWaits(world, copy, state);
    else isOver(books, copy, state);
  }
}

function stillWaits(world: World, copy: CopyBook, { heard }: DeliveryState): void {
  if (copy.delivery !== undefined) copy.delivery.mayBeGone = false;
  if (heard === undefined || heard.is === "retry" || heard.disturbances !== world.disturbances) return;
  throw new Violation("what was delivered or given up does not wait", `${copy.label} does`);
}

/** As far as things were then: delivered, given up, gone with its subscription; or lost. */
function isOver(books: Books, copy: CopyBook, delivery: DeliveryState): void {
  const { slot, isCertain, publication, message } = copy;
  const isGone = delivery.mayBeGone || slot.state === "no";
  const isGivenUp = delivery.giveUpCount > 0;
  const isMissing = !isGone && !delivery.isDelivered && !isGivenUp;
  if (copy.delivery !== undefined) copy.delivery.isMissing = isMissing;
  if (isMissing && isCertain && publication.fate === "accepted") {
    throw new Violation("every subscriber gets what was published", `${copy.label} does not`);
  }
  const isOwed = !isGone && !delivery.isDelivered && isGivenUp && delivery.isDeadLetterCertain;
  if (isOwed && message?.gone === undefined && message?.fate === "unknown") message.fate = "owed";
  books.topics.close(copy);
}

/** A copy was found: now its times are known. */
export function learnCopy(message: MessageBook, seen: InspectedMessage, atMs: number): void {
  if (message.retainFromHighMs !== Number.POSITIVE_INFINITY) return;
  message.retainFromLowMs = Math.max(message.retainFromLowMs, Math.min(seen.sentAtMs, atMs));
  message.retainFromHighMs = atMs;
}
