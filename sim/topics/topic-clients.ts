// Those who publish and subscribe. Requests about one subscription go out one after the other; publishes do not wait
// for anything.

import type { Random } from "../../src/base/random.ts";
import type { PublishEntry } from "../../src/engine/command.ts";
import type { TopicCommand } from "../../src/engine/index.ts";
import type { Books, QueueBook } from "../books.ts";
import type { ActionKind } from "../plan.ts";
import type { Requests } from "../requests.ts";
import { Violation } from "../trace.ts";
import type { World } from "../world.ts";
import type { Endpoints } from "./endpoints.ts";
import {
  type CopyBook,
  type DeliveryState,
  destinationOf,
  newDelivery,
  type PublicationBook,
  type SlotBook,
  TopicBook,
} from "./topic-books.ts";
import { checkPublished, WINDOW_MS } from "./topic-checks.ts";
import { isWantedBy, KINDS, planFilter, type TopicPlan } from "./topic-plan.ts";

const SCOPE = { account: "000000000000", region: "us-east-1" };
const REPEATABLE_KEPT = 20;
/** A copy that travels to another shard may be under way for long when the server is down. */
const TRAVEL_WINDOWS = 4;

type Control = Exclude<TopicCommand["kind"], `list${string}` | `get${string}`>;

interface Text {
  topicName: string;
  kind: string | undefined;
  groupId: string | undefined;
  deduplicationId: string | undefined;
}

export class TopicClients {
  readonly #world: World;
  readonly #books: Books;
  readonly #endpoints: Endpoints;
  readonly #requests: Requests;
  readonly #retries: Text[] = [];
  readonly #repeatable: Text[] = [];
  #number = 0;

  constructor(world: World, books: Books, endpoints: Endpoints, requests: Requests) {
    this.#world = world;
    this.#books = books;
    this.#endpoints = endpoints;
    this.#requests = requests;
  }

  perform(kind: ActionKind, random: Random): void {
    const { topics } = this.#world.plan;
    if (topics.length === 0) return;
    const plan = random.pick(topics);
    if (kind === "createTopic") return this.createTopic(plan);
    const topic = this.#books.topics.byName.get(plan.name);
    if (topic === undefined || topic.exists !== "yes" || topic.isChanging) return;
    if (kind === "publish") return this.#publish(topic, random, 1);
    if (kind === "publishBatch") return this.#publish(topic, random, 2 + random.below(9));
    if (kind === "repeatPublish") return this.#repeat(random);
    if (kind === "deleteTopic") return this.#deleteTopic(topic);
    if (topic.slots.length === 0) return;
    const slot = random.pick(topic.slots);
    if (slot.isChanging) return;
    if (kind === "subscribe") return this.#subscribe(slot);
    if (kind === "confirm") return this.#confirm(random.pick(topic.slots.filter(isHttp)), random);
    if (kind === "unsubscribe") return this.#unsubscribe(slot, random);
    return this.#setFilter(slot, random);
  }

  /** Retries wait until the books know what came of the first try. */
  retry(): void {
    for (const text of this.#retries.splice(0)) this.#again(text);
  }

  /** All endpoints are well from now on. */
  heal(): void {
    this.#endpoints.heal();
  }

  createTopic(plan: TopicPlan): void {
    const { topics } = this.#books;
    const existing = topics.byName.get(plan.name);
    if (existing !== undefined && (existing.exists !== "no" || existing.isChanging)) return;
    const topic = new TopicBook({ ...SCOPE, name: plan.name }, plan);
    topics.byName.set(plan.name, topic);
    for (const slot of topic.slots) if (isHttp(slot)) topics.slotByUrl.set(slot.plan.endpoint, slot);
    topic.isChanging = true;
    const { key, plan: planned } = topic;
    const command = { kind: "createTopic", topic: key, attributes: planned.attributes, tags: {} } as const;
    this.#requests.call<"createTopic">(command, plan.name, (outcome) => {
      topic.isChanging = false;
      if (outcome === undefined) this.#doubt();
      else topic.exists = outcome.ok ? "yes" : "no";
      if (!outcome?.ok) return outcome?.refusal.code;
      // Nothing is subscribed to a new topic: its first subscribers come at once.
      for (const slot of topic.slots) this.#subscribe(slot);
      return "ok";
    });
  }

  #deleteTopic(topic: TopicBook): void {
    if (topic.slots.some(({ isChanging }) => isChanging)) return;
    topic.isChanging = true;
    topic.exists = "unclear";
    const before = topic.slots.map((slot) => ({ slot, state: slot.state, ending: this.#mayEnd(slot) }));
    for (const { slot } of before) if (slot.state !== "no") slot.state = "unclear";
    const command = { kind: "deleteTopic", topic: topic.key } as const;
    this.#requests.call<"deleteTopic">(command, topic.key.name, (outcome) => {
      topic.isChanging = false;
      if (outcome === undefined) {
        for (const remembered of topic.deduplication.values()) remembered.isUnclear = true;
        return this.#doubt();
      }
      topic.exists = outcome.ok ? "no" : "yes";
      for (const { slot, state, ending } of before) {
        slot.state = outcome.ok ? "no" : state;
        if (outcome.ok) for (const copy of [...slot.waiting]) this.#books.topics.close(copy);
        else this.#staysThere(ending);
      }
      const isArchived = topic.plan.attributes.ArchivePolicy !== undefined;
      if (outcome.ok && isArchived) throw new Violation("an archive is kept", `${topic.key.name} was deleted`);
      return outcome.ok ? "ok" : outcome.refusal.code;
    });
  }

  #subscribe(slot: SlotBook): void {
    const { topic, plan } = slot;
    const before = slot.state;
    const pendingBefore = slot.pending;
    const hadUnnamed = slot.hasUnnamed;
    const filter = before === "yes" ? slot.filters.at(-1) : plan.filter;
    slot.hasUnnamed = true;
    if (before !== "yes") {
      slot.state = "unclear";
      slot.filters = [filter];
      slot.pending = isHttp(slot) ? "yes" : "no";
      slot.askedCount = 0;
      slot.isAcknowledged = false;
    }
    const endpoint = plan.protocol === "sqs" ? `arn:aws:sqs:us-east-1:000000000000:${plan.endpoint}` : plan.endpoint;
    const attributes = { ...plan.attributes, ...(filter === undefined ? {} : { FilterPolicy: filter }) };
    this.#control<"subscribe">(
      slot,
      {
        kind: "subscribe",
        topic: topic.key,
        protocol: plan.protocol,
        endpoint,
        attributes,
        owner: SCOPE.account,
        principal: `arn:aws:iam::${SCOPE.account}:root`,
      },
      `${topic.key.name} ${plan.endpoint} ${filter ?? ""}`,
      (value) => {
        slot.hasUnnamed = hadUnnamed;
        if (value === undefined) {
          slot.state = before;
          slot.pending = pendingBefore;
          return;
        }
        if (before === "yes" && slot.arn !== undefined && value.subscriptionArn !== slot.arn) {
          throw new Violation("one subscription for a subscriber", `${plan.endpoint} has two`);
        }
        slot.state = "yes";
        slot.pending = value.pending ? "yes" : "no";
        slot.isAcknowledged = true;
        if (value.pending && !isHttp(slot)) throw new Violation("queues need no confirmation", plan.endpoint);
        this.#books.topics.named(slot, value.subscriptionArn);
      },
    );
  }

  #confirm(slot: SlotBook | undefined, random: Random): void {
    if (slot?.token === undefined || slot.isChanging || slot.topic.isChanging) return;
    const before = slot.pending;
    if (before === "yes") slot.pending = "unclear";
    const { token } = slot;
    this.#control<"confirmSubscription">(
      slot,
      {
        kind: "confirmSubscription",
        scope: SCOPE,
        token,
        authenticateOnUnsubscribe: random.chance(0.2),
        authenticated: random.chance(0.5),
      },
      slot.plan.endpoint,
      (value) => {
        slot.pending = value === undefined ? before : "no";
        if (value === undefined) return;
        this.#world.counts.confirmations += 1;
        if (slot.state === "no") throw new Violation("what is unsubscribed stays so", `${slot.plan.endpoint} confirms`);
        this.#books.topics.named(slot, value.subscriptionArn);
      },
    );
  }

  #unsubscribe(slot: SlotBook, random: Random): void {
    const id = slot.arn?.split(":").at(-1);
    if (id === undefined || slot.state === "no") return;
    const before = slot.state;
    slot.state = "unclear";
    const ending = this.#mayEnd(slot);
    const subscription = { topic: slot.topic.key, id };
    const authenticated = random.chance(0.5);
    this.#control<"unsubscribe">(
      slot,
      { kind: "unsubscribe", subscription, authenticated },
      slot.plan.endpoint,
      (value) => {
        slot.state = value === undefined ? before : "no";
        if (value === undefined) this.#staysThere(ending);
      },
    );
  }

  #setFilter(slot: SlotBook, random: Random): void {
    const id = slot.arn?.split(":").at(-1);
    if (id === undefined || slot.state !== "yes") return;
    const before = slot.filters;
    const filter = planFilter(random);
    slot.filters = [...before, filter];
    const subscription = { topic: slot.topic.key, id };
    const value = filter ?? random.pick(["", "{}"]);
    this.#control<"setSubscriptionAttribute">(
      slot,
      { kind: "setSubscriptionAttribute", subscription, name: "FilterPolicy", value },
      `${slot.plan.endpoint} ${filter ?? "none"}`,
      (done) => {
        slot.filters = done === undefined ? before : [filter];
      },
    );
  }

  /** `settle` gets the answer's value, undefined when it was refused; without an answer all stays in doubt. */
  #control<Kind extends Control>(
    slot: SlotBook,
    command: Parameters<typeof this.call<Kind>>[0],
    what: string,
    settle: (value: { subscriptionArn: string; pending: boolean } | undefined) => void,
  ): void {
    slot.isChanging = true;
    this.call<Kind>(command, what, (outcome) => {
      slot.isChanging = false;
      if (outcome === undefined) return this.#doubt();
      const nothing = { subscriptionArn: "", pending: false };
      settle(outcome.ok ? { ...nothing, ...(outcome.value as object | null) } : undefined);
      return outcome.ok ? "ok" : outcome.refusal.code;
    });
  }

  call: Requests["call"] = (command, what, done, signal) => this.#requests.call(command, what, done, signal);

  #doubt(): undefined {
    this.#books.hasDoubts = true;
    return undefined;
  }

  /**
   * With the subscription goes what was to be delivered to it. The answer says of what that was in no doubt before: a
   * request that is refused changes nothing for the rest.
   */
  #mayEnd(slot: SlotBook): DeliveryState[] {
    const found: DeliveryState[] = [];
    for (const { delivery } of slot.waiting) if (delivery?.mayBeGone === false) found.push(delivery);
    for (const delivery of found) delivery.mayBeGone = true;
    return found;
  }

  #staysThere(deliveries: DeliveryState[]): void {
    for (const delivery of deliveries) delivery.mayBeGone = false;
  }

  #publish(topic: TopicBook, random: Random, count: number): void {
    const texts: Text[] = [];
    for (let index = 0; index < count; index++) {
      const { fifo } = topic.plan;
      texts.push({
        topicName: topic.key.name,
        kind: random.pick(KINDS),
        groupId: fifo || random.chance(0.2) ? `g${random.below(this.#world.plan.groupCount)}` : undefined,
        deduplicationId: fifo ? `t${this.#requests.order}-${index}` : undefined,
      });
    }
    this.#publishTexts(topic, texts, random.chance(0.8));
  }

  #repeat(random: Random): void {
    if (this.#repeatable.length > 0) this.#again(random.pick(this.#repeatable));
  }

  #again(text: Text): void {
    const topic = this.#books.topics.byName.get(text.topicName);
    if (topic?.exists === "yes" && !topic.isChanging) this.#publishTexts(topic, [text], true);
  }

  #publishTexts(topic: TopicBook, texts: Text[], triesAgain: boolean): void {
    const { order } = this.#requests;
    const publications = texts.map((text, index) => this.#newPublication(topic, text, `p${order}-${index}`, order));
    const entries = publications.map(entryOf);
    const what = `${topic.key.name} ${publications.map(described).join(" ")}`;
    this.#world.counts.publications += publications.length;
    this.#requests.call<"publish">({ kind: "publish", topic: topic.key, entries }, what, (outcome) => {
      if (outcome === undefined) {
        for (const publication of publications) checkPublished(this.#books, publication, undefined);
        if (triesAgain) this.#retries.push(...texts);
        return this.#doubt();
      }
      for (const [index, publication] of publications.entries()) {
        const result = outcome.ok ? outcome.value.entries[index] : outcome;
        if (result === undefined) throw new Violation("a batch is answered whole", `entry ${index} is missing`);
        checkPublished(this.#books, publication, result);
      }
      if (topic.plan.fifo) this.#keepRepeatable(texts);
      return outcome.ok ? publications.map(({ fate }) => fate).join(" ") : outcome.refusal.code;
    });
  }

  #keepRepeatable(texts: Text[]): void {
    this.#repeatable.push(...texts);
    if (this.#repeatable.length > REPEATABLE_KEPT) this.#repeatable.splice(0, texts.length);
  }

  #newPublication(topic: TopicBook, { kind, groupId, deduplicationId }: Text, label: string, order: number) {
    const length = (order * 7919) % this.#world.plan.bodyBytesMax;
    const publication: PublicationBook = {
      label,
      text: `${label} ${"-".repeat(length)}`,
      kind,
      topic,
      groupId,
      deduplicationId,
      number: this.#number++,
      atMs: this.#world.nowMs,
      fate: "open",
      messageId: undefined,
      sequence: undefined,
      copies: [],
      withheld: new Map(),
    };
    this.#books.topics.publications.set(label, publication);
    if (deduplicationId !== undefined) this.#books.topics.remember(publication, deduplicationId);
    for (const slot of topic.slots) this.#copyFor(publication, slot, order);
    return publication;
  }

  /** What the subscriber is to get, as things are now. */
  #copyFor(publication: PublicationBook, slot: SlotBook, order: number): void {
    const { kind, label, withheld } = publication;
    const because = (why: string) => void withheld.set(slot, why);
    if (slot.state === "no") return because("only subscribers get copies");
    if (slot.pending === "yes") return because("nothing reaches an unconfirmed subscription");
    if (!slot.filters.some((filter) => isWantedBy(filter, kind))) return because("filters are respected");
    const isWanted =
      slot.state === "yes" && slot.pending === "no" && slot.filters.every((filter) => isWantedBy(filter, kind));
    const copy: CopyBook = {
      label: `${label}>${slot.plan.endpoint}`,
      publication,
      slot,
      isCertain: isWanted,
      message: undefined,
      sequence: undefined,
      delivery: undefined,
    };
    if (isHttp(slot)) {
      copy.delivery = newDelivery(this.#world.disturbances);
      slot.waiting.add(copy);
      this.#books.topics.waiting.add(copy);
    } else if (!this.#queueCopy(copy, order)) return because("a copy goes to its subscriber");
    publication.copies.push(copy);
  }

  #queueCopy(copy: CopyBook, order: number): boolean {
    const { queueOf } = this.#books;
    const find = (name: string | undefined) => (name === undefined ? undefined : queueOf.call(this.#books, name));
    const { endpoint, deadLetters } = copy.slot.plan;
    const { queues, isCertain } = destinationOf(find(endpoint), find(deadLetters));
    const [first] = queues;
    if (first === undefined) return false;
    copy.isCertain &&= isCertain && !this.#mayBeRepeat(copy.publication, first);
    newCopyMessage(this.#books, copy, queues, copy.label, order, this.#world.plan.shardCount > 1);
    return true;
  }

  /**
   * FIFO queues know the ids themselves: they remember those that came from a topic that is no more, and others from
   * when a copy arrived, which may be after the topic did.
   */
  #mayBeRepeat({ topic, deduplicationId, atMs, number }: PublicationBook, queue: QueueBook): boolean {
    if (deduplicationId === undefined || !queue.fifo) return false;
    const others = this.#books.topics.byDeduplicationId.get(deduplicationId) ?? [];
    return others.some((other) => {
      const mayTravel = this.#world.plan.shardCount > 1;
      if (other.number >= number || (other.topic === topic && !mayTravel)) return false;
      return other.atMs + (mayTravel ? TRAVEL_WINDOWS : 1) * WINDOW_MS > atMs;
    });
  }
}

/** `travels`: it may arrive later than now. */
export function newCopyMessage(
  books: Books,
  copy: CopyBook,
  queues: QueueBook[],
  label: string,
  order: number,
  travels: boolean,
): void {
  const { topic, text, groupId, deduplicationId } = copy.publication;
  const first = queues[0] as QueueBook;
  const ids = {
    groupId: first.fifo || !topic.plan.fifo ? groupId : undefined,
    deduplicationId: first.fifo ? deduplicationId : undefined,
  };
  const message = books.newMessage(first, label, Buffer.from(text), order, undefined, ids);
  message.copy = copy;
  message.starts = queues;
  if (travels || queues.length > 1) {
    const retentionMs = Math.min(...queues.map((queue) => queue.least((shape) => shape.retentionMs)));
    message.retainFromHighMs = Number.POSITIVE_INFINITY;
    message.expiresLowMs = message.retainFromLowMs + retentionMs;
    message.expiresHighMs = Number.POSITIVE_INFINITY;
    message.readyLowMs = 0;
    message.readyHighMs = Number.POSITIVE_INFINITY;
  }
  copy.message = message;
}

function entryOf({ text, kind, groupId, deduplicationId }: PublicationBook): PublishEntry {
  return {
    messages: { default: text },
    attributes: kind === undefined ? [] : [{ name: "kind", dataType: "String", value: kind }],
    ...(groupId === undefined ? {} : { groupId }),
    ...(deduplicationId === undefined ? {} : { deduplicationId }),
  };
}

function described({ label, kind, groupId, deduplicationId }: PublicationBook): string {
  return [label, kind, groupId, deduplicationId].filter(Boolean).join("/");
}

function isHttp({ plan }: SlotBook): boolean {
  return plan.protocol === "http";
}
