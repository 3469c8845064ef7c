// What the clients know of topics: which exist, who is subscribed to them, what was published, and the copy of it that
// each subscriber is to get. A publish is decided in the turn in which it arrives, so who gets it is what the books
// say of subscriptions at that moment; where a request about one is under way, or was never answered, a copy may come
// or not.
//
// A copy for a queue is a message in the books like those that are sent (MessageBook). A copy for an endpoint is held
// here, and becomes a message when it is given up and there is a dead-letter queue.

import type { TopicKey } from "../../src/engine/command.ts";
import { topicArn } from "../../src/engine/index.ts";
import type { MessageBook, QueueBook } from "../books.ts";
import type { SubscriberPlan, TopicPlan } from "./topic-plan.ts";

export type Known = "yes" | "no" | "unclear";

/** One existence of a topic. */
export class TopicBook {
  readonly key: TopicKey;
  readonly plan: TopicPlan;
  readonly arn: string;
  exists: Known = "unclear";
  /** A request that creates or deletes it is under way. */
  isChanging = false;
  readonly slots: SlotBook[];
  /** By deduplication id: the publication that it stands for. */
  readonly deduplication = new Map<string, Remembered>();
  /** FIFO topics: every publication with a deduplication id, for those who may have seen it. */
  readonly publications: PublicationBook[] = [];

  constructor(key: TopicKey, plan: TopicPlan) {
    this.key = key;
    this.plan = plan;
    this.arn = topicArn(key);
    this.slots = plan.subscribers.map((subscriber) => new SlotBook(this, subscriber));
  }
}

export interface Remembered {
  publication: PublicationBook;
  isUnclear: boolean;
}

/** One place for a subscriber, taken or free. */
export class SlotBook {
  readonly topic: TopicBook;
  readonly plan: SubscriberPlan;
  state: Known = "no";
  /** Waits to be confirmed. */
  pending: Known = "no";
  /** The subscription that is there, or was last. */
  arn: string | undefined;
  /** A Subscribe has not been answered: nobody knows the name of what it made. */
  hasUnnamed = false;
  /** All that may be in force; the last was asked for last. */
  filters: (string | undefined)[];
  /** A request about it is under way. */
  isChanging = false;
  /** From the last request to confirm that reached the endpoint. */
  token: string | undefined;
  /** Its Subscribe was answered. */
  isAcknowledged = false;
  /** Requests to confirm that the endpoint got. */
  askedCount = 0;
  /** Every copy of a publication that may be there to be delivered: endpoints only. */
  readonly waiting = new Set<CopyBook>();

  constructor(topic: TopicBook, plan: SubscriberPlan) {
    this.topic = topic;
    this.plan = plan;
    this.filters = [plan.filter];
  }
}

export type PublicationFate = "open" | "accepted" | "unknown" | "either" | "duplicate" | "refused";

export interface PublicationBook {
  /** Unique: the text begins with it. */
  label: string;
  text: string;
  kind: string | undefined;
  topic: TopicBook;
  groupId: string | undefined;
  deduplicationId: string | undefined;
  /** Grows from one to the next in the order in which they were decided. */
  number: number;
  atMs: number;
  fate: PublicationFate;
  messageId: string | undefined;
  sequence: string | undefined;
  copies: CopyBook[];
  /** Why some got none. */
  withheld: Map<SlotBook, string>;
}

export interface CopyBook {
  label: string;
  publication: PublicationBook;
  slot: SlotBook;
  /** It must be there if the publication is. */
  isCertain: boolean;
  /** In a queue. */
  message: MessageBook | undefined;
  /** What the queue that it was put into first numbered it with. */
  sequence: string | undefined;
  delivery: DeliveryState | undefined;
}

/** Of a copy for an endpoint. */
export interface DeliveryState {
  postCount: number;
  isDelivered: boolean;
  /** What the server heard last, and how often its decisions may have been undone by then. */
  heard: { is: "delivered" | "retry" | "giveUp"; disturbances: number } | undefined;
  /** How often they may have been undone when it was published. */
  disturbancesBefore: number;
  /** Its subscription may have ended. */
  mayBeGone: boolean;
  /** Nothing may come of it any more. */
  isOver: boolean;
  /** The books found it missing although it was certain. */
  isMissing: boolean;
  /** How often it was given up, for the label of what the dead-letter queue gets. */
  giveUpCount: number;
  /** The dead-letter queue was there when it was given up. */
  isDeadLetterCertain: boolean;
}

export class TopicBooks {
  readonly byName = new Map<string, TopicBook>();
  readonly publications = new Map<string, PublicationBook>();
  readonly byMessageId = new Map<string, PublicationBook>();
  readonly byDeduplicationId = new Map<string, PublicationBook[]>();
  readonly slotByArn = new Map<string, SlotBook>();
  readonly slotByUrl = new Map<string, SlotBook>();
  /** Copies that endpoints may still get. */
  readonly waiting = new Set<CopyBook>();
  /** Of each group one was stored, and nobody knows which. */
  eithers: PublicationBook[][] = [];

  remember(publication: PublicationBook, deduplicationId: string): void {
    publication.topic.publications.push(publication);
    const others = this.byDeduplicationId.get(deduplicationId);
    if (others === undefined) this.byDeduplicationId.set(deduplicationId, [publication]);
    else others.push(publication);
  }

  named(slot: SlotBook, arn: string): void {
    slot.arn = arn;
    this.slotByArn.set(arn, slot);
  }

  /** Nothing of it may come any more. */
  close(copy: CopyBook): void {
    if (copy.delivery !== undefined) copy.delivery.isOver = true;
    copy.slot.waiting.delete(copy);
    this.waiting.delete(copy);
  }
}

export function newDelivery(disturbances: number): DeliveryState {
  return {
    postCount: 0,
    isDelivered: false,
    heard: undefined,
    disturbancesBefore: disturbances,
    mayBeGone: false,
    isOver: false,
    isMissing: false,
    giveUpCount: 0,
    isDeadLetterCertain: false,
  };
}

/** Where a queue's copy goes: `queues` are those that it may be put into, none when it is dropped. */
export interface Destination {
  queues: QueueBook[];
  isCertain: boolean;
}

export function destinationOf(queue: QueueBook | undefined, deadLetters: QueueBook | undefined): Destination {
  const there = queue?.exists ?? "no";
  if (queue !== undefined && there === "yes") return { queues: [queue], isCertain: true };
  const instead = deadLetters?.exists ?? "no";
  const queues: QueueBook[] = [];
  if (queue !== undefined && there === "unclear") queues.push(queue);
  if (deadLetters !== undefined && instead !== "no") queues.push(deadLetters);
  return { queues, isCertain: there === "no" && instead === "yes" };
}
