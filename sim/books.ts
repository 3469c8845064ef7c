// What the clients know of every message and queue, and what follows from it. The server decides most requests in the
// turn in which they arrive, so for those the moment of the decision is known exactly; for a long poll it lies between
// its beginning and its answer, and everything that depends on it is kept as a lower and an upper bound.
//
// What an answer that never came has done is not known. Such doubts last until the next audit, which looks at every
// queue when nothing is under way: what is found then is the truth that the books go on from.

import type { QueueKey } from "../src/engine/command.ts";
import { queueArn } from "../src/engine/index.ts";
import { type CopyBook, TopicBooks } from "./topics/topic-books.ts";
import { Violation } from "./trace.ts";

export const DEDUPLICATION_WINDOW_MS = 300_000;
const KNOWN_ATTRIBUTES = [
  "VisibilityTimeout",
  "DelaySeconds",
  "MessageRetentionPeriod",
  "ReceiveMessageWaitTimeSeconds",
  "FifoQueue",
  "DeduplicationScope",
  "RedrivePolicy",
];
const NEVER_MS = Number.POSITIVE_INFINITY;

/** A queue's attributes as the promises depend on them. */
export interface Shape {
  visibilityMs: number;
  delayMs: number;
  retentionMs: number;
  waitMs: number;
  groupScoped: boolean;
  redrive: { target: string; receivesMax: number } | undefined;
}

export interface Exit {
  by: "redrive" | "task";
  target: string;
  receivesMax: number;
}

/** One existence of a queue: made again under the same name, it is another one. */
export class QueueBook {
  readonly key: QueueKey;
  readonly fifo: boolean;
  readonly arn: string;
  exists: "yes" | "no" | "unclear" = "unclear";
  attributes: Record<string, string>;
  /** All shapes that may be in force; the last was asked for last. */
  shapes: Shape[];
  /** A request that creates, changes, purges or deletes it is under way. */
  isChanging = false;
  readonly openReceives = new Set<object>();
  /** Receives since the last audit of which nobody knows what they took. */
  unclearReceives = 0;
  /** Where its messages may have gone since the last audit. */
  exits: Exit[] = [];
  /** Since the last audit, which requests purged or deleted it, or may have. */
  emptiedBy: number[] = [];
  retentionMsMin: number;
  /** The last request that made or changed it. */
  changeOrder = -1;
  /** When a group last lost a message that was not handed out. */
  readonly groupShrankAtMs = new Map<string | undefined, number>();
  readonly members = new Set<MessageBook>();
  readonly deduplication = new Map<string, { message: MessageBook | undefined; fromMs: number; isUnclear: boolean }>();

  constructor(key: QueueKey, fifo: boolean, attributes: Record<string, string>) {
    this.key = key;
    this.fifo = fifo;
    this.arn = queueArn(key);
    this.attributes = attributes;
    this.shapes = [shapeOf(attributes)];
    this.retentionMsMin = this.shape.retentionMs;
  }

  get name(): string {
    return this.key.name;
  }

  get shape(): Shape {
    return this.shapes.at(-1) as Shape;
  }

  least(of: (shape: Shape) => number): number {
    return Math.min(...this.shapes.map(of));
  }

  most(of: (shape: Shape) => number): number {
    return Math.max(...this.shapes.map(of));
  }

  /** What the server says its attributes are. */
  learn(attributes: Record<string, string>): void {
    for (const name of Object.keys(this.attributes)) delete this.attributes[name];
    for (const name of KNOWN_ATTRIBUTES) if (attributes[name] !== undefined) this.attributes[name] = attributes[name];
    this.shapes = [shapeOf(this.attributes)];
  }

  exitTo(exit: Exit): void {
    const isKnown = this.exits.some(
      ({ by, target, receivesMax }) => by === exit.by && target === exit.target && receivesMax <= exit.receivesMax,
    );
    if (!isKnown) this.exits.push(exit);
  }
}

export function shapeOf(attributes: Record<string, string>): Shape {
  const seconds = (name: string, otherwise: number) => Number(attributes[name] ?? otherwise) * 1000;
  const policy = attributes.RedrivePolicy
    ? (JSON.parse(attributes.RedrivePolicy) as { deadLetterTargetArn: string; maxReceiveCount: number })
    : undefined;
  return {
    visibilityMs: seconds("VisibilityTimeout", 30),
    delayMs: seconds("DelaySeconds", 0),
    retentionMs: seconds("MessageRetentionPeriod", 345_600),
    waitMs: seconds("ReceiveMessageWaitTimeSeconds", 0),
    groupScoped: attributes.DeduplicationScope === "messageGroup",
    redrive:
      policy === undefined
        ? undefined
        : {
            target: policy.deadLetterTargetArn.split(":").at(-1) as string,
            receivesMax: Number(policy.maxReceiveCount),
          },
  };
}

/** A message under one id in one queue; a move to another queue begins the next one. */
export interface Stay {
  queue: QueueBook;
  /** Unknown until an answer or an audit names it. */
  messageId: string | undefined;
}

export interface DeliveryBook {
  message: MessageBook;
  stay: Stay;
  count: number;
  handle: string;
  queue: QueueBook;
}

/**
 * `either`: acknowledged with an id that may be that of a repeat whose own answer never came. `owed`: a topic's copy
 * that must be there, under an id that nobody has seen yet.
 */
export type Fate = "open" | "stored" | "owed" | "unknown" | "either" | "duplicate" | "refused";

export interface MessageBook {
  /** Unique: the body begins with it. */
  label: string;
  body: Buffer;
  groupId: string | undefined;
  deduplicationId: string | undefined;
  sentAtMs: number;
  /** Which of all requests it came with. */
  order: number;
  fate: Fate;
  stay: Stay;
  sentTo: QueueBook;
  sequence: string | undefined;
  /** The number that the send was answered with: repeats get it too, wherever the message is by then. */
  acceptedSequence: string | undefined;
  /** Why it is no more, and since when that is certain. */
  gone: { why: string; atMs: number } | undefined;
  /** Requests under way that may end it, and whether one of them was never answered. */
  openEndings: number;
  mayBeGone: string | undefined;
  retainFromLowMs: number;
  retainFromHighMs: number;
  expiresLowMs: number;
  expiresHighMs: number;
  /** The last change of its queue's retention that mattered to it. */
  expiryOrder: number;
  readyLowMs: number;
  readyHighMs: number;
  /** The highest receive count that an answer or an audit showed. */
  count: number;
  countsSeen: Set<number>;
  firstReceivedAtMs: number | undefined;
  hiddenLowMs: number;
  hiddenHighMs: number;
  /** What set the two: later receives are held against them. */
  hiddenBy: { is: "delivery"; count: number } | { is: "change"; order: number };
  lastChangeOrder: number;
  /** Where it was before it was found elsewhere. */
  left: { stay: Stay; atMs: number } | undefined;
  deliveries: DeliveryBook[];
  /** Grows with each change of what hides it. */
  version: number;
  /** A topic's copy, and the queues that it may have been put into first. */
  copy?: CopyBook;
  starts?: QueueBook[];
}

export class Books {
  readonly queues = new Map<string, QueueBook>();
  readonly messages = new Map<string, MessageBook>();
  readonly byId = new Map<string, MessageBook>();
  /** Deliveries that clients may still use the handle of. */
  handles: DeliveryBook[] = [];
  /** Ids that were acknowledged, and the messages that one of is stored under it. */
  either: { id: string; candidates: MessageBook[] }[] = [];
  readonly topics = new TopicBooks();
  /** Something is not known: time for an audit. */
  hasDoubts = false;
  nowMs: () => number = () => 0;

  queueOf(name: string): QueueBook | undefined {
    return this.queues.get(name);
  }

  newMessage(
    queue: QueueBook,
    label: string,
    body: Buffer,
    order: number,
    delayMs: number | undefined,
    ids: { groupId: string | undefined; deduplicationId: string | undefined },
  ): MessageBook {
    const sentAtMs = this.nowMs();
    const delayLow = queue.fifo
      ? queue.least((shape) => shape.delayMs)
      : (delayMs ?? queue.least((shape) => shape.delayMs));
    const delayHigh = queue.fifo
      ? queue.most((shape) => shape.delayMs)
      : (delayMs ?? queue.most((shape) => shape.delayMs));
    const message: MessageBook = {
      label,
      body,
      ...ids,
      sentAtMs,
      order,
      fate: "open",
      stay: { queue, messageId: undefined },
      sentTo: queue,
      sequence: undefined,
      acceptedSequence: undefined,
      gone: undefined,
      openEndings: 0,
      mayBeGone: undefined,
      retainFromLowMs: sentAtMs,
      retainFromHighMs: sentAtMs,
      expiresLowMs: sentAtMs + queue.least((shape) => shape.retentionMs),
      expiresHighMs: sentAtMs + queue.most((shape) => shape.retentionMs),
      expiryOrder: -1,
      readyLowMs: sentAtMs + delayLow,
      readyHighMs: sentAtMs + delayHigh,
      count: 0,
      countsSeen: new Set(),
      firstReceivedAtMs: undefined,
      hiddenLowMs: 0,
      hiddenHighMs: 0,
      hiddenBy: { is: "delivery", count: 0 },
      lastChangeOrder: -1,
      left: undefined,
      deliveries: [],
      version: 0,
    };
    this.messages.set(label, message);
    queue.members.add(message);
    return message;
  }

  /** It is stored under that id. */
  stored(message: MessageBook, messageId: string): void {
    const other = this.byId.get(messageId);
    if (other !== undefined && other !== message) {
      throw new Violation("one id, one message", `${messageId} stands for ${other.label} and for ${message.label}`);
    }
    this.byId.set(messageId, message);
    message.fate = "stored";
    message.stay.messageId = messageId;
  }

  /** It is not in any queue now and never comes back. */
  end(message: MessageBook, why: string): void {
    if (message.gone !== undefined) return;
    message.gone = { why, atMs: this.nowMs() };
    message.stay.queue.members.delete(message);
    message.stay.queue.groupShrankAtMs.set(message.groupId, this.nowMs());
    if (message.deliveries.length > 0) message.deliveries = [];
  }

  /** The books hold it for present, whatever else is under way. */
  isCertain(message: MessageBook, atMs: number): boolean {
    return (
      message.fate === "stored" &&
      message.gone === undefined &&
      message.openEndings === 0 &&
      message.mayBeGone === undefined &&
      message.expiresLowMs > atMs &&
      message.stay.queue.exists === "yes" &&
      !this.mayHaveMoved(message)
    );
  }

  /** It may have left its queue for another since the last audit. */
  mayHaveMoved(message: MessageBook): boolean {
    return startsOf(message).some((queue) => {
      if (queue.exits.length === 0) return false;
      const countMax = message.count + queue.openReceives.size + queue.unclearReceives;
      return queue.exits.some(({ by, receivesMax }) => by === "task" || countMax >= receivesMax);
    });
  }

  /** Where it may be: its queue, and those that it may have moved on to. */
  reachable(message: MessageBook): Set<QueueBook> {
    const found = new Set(startsOf(message));
    if (!this.mayHaveMoved(message)) return found;
    for (const queue of found) {
      for (const { target } of queue.exits) {
        const next = this.queues.get(target);
        if (next !== undefined) found.add(next);
      }
    }
    return found;
  }

  /** A topic's copy turned up in one of the queues that it may have been put into. */
  began(message: MessageBook, queue: QueueBook, messageId: string): void {
    message.stay.queue.members.delete(message);
    message.stay = { queue, messageId };
    queue.members.add(message);
    this.stored(message, messageId);
  }

  /** It turned up in another queue, or under a new id as redriven messages do. */
  moved(message: MessageBook, queue: QueueBook, messageId: string): void {
    const isReborn = message.stay.messageId !== undefined && message.stay.messageId !== messageId;
    message.stay.queue.members.delete(message);
    message.stay.queue.groupShrankAtMs.set(message.groupId, this.nowMs());
    message.left = { stay: message.stay, atMs: this.nowMs() };
    message.stay = { queue, messageId };
    queue.members.add(message);
    this.byId.set(messageId, message);
    if (queue.emptiedBy.length > 0) message.mayBeGone ??= "gone, perhaps, with the rest of the queue it moved to";
    message.sequence = undefined;
    // A standard queue's dead-letter move keeps the age; every other move may have begun it anew.
    message.retainFromHighMs = this.nowMs();
    message.expiresLowMs =
      message.retainFromLowMs +
      Math.min(
        queue.retentionMsMin,
        queue.least((shape) => shape.retentionMs),
      );
    message.expiresHighMs = message.retainFromHighMs + queue.most((shape) => shape.retentionMs);
    message.readyLowMs = 0;
    message.readyHighMs = NEVER_MS;
    message.hiddenLowMs = 0;
    message.hiddenHighMs = NEVER_MS;
    message.version += 1;
    if (!isReborn) return;
    message.count = 0;
    message.countsSeen = new Set();
    message.firstReceivedAtMs = undefined;
    message.hiddenBy = { is: "delivery", count: 0 };
  }

  /** Retention as it is after a change that was made at `atMs`, when before it the bounds were those given. */
  retain(message: MessageBook, atMs: number, before: { lowMs: number; highMs: number }, retentionMs: number): void {
    const low = Math.max(atMs, message.retainFromLowMs + retentionMs);
    const high = Math.max(atMs, message.retainFromHighMs + retentionMs);
    message.expiresLowMs = before.lowMs > atMs ? low : Math.min(before.lowMs, low);
    message.expiresHighMs = before.highMs > atMs ? high : before.highMs;
    if (message.expiresHighMs < message.expiresLowMs) message.expiresHighMs = message.expiresLowMs;
  }
}

/** Where it is, as far as anybody knows: a copy that nobody has seen yet may be in one of several. */
function startsOf({ fate, stay, starts }: MessageBook): QueueBook[] {
  return fate === "stored" || starts === undefined ? [stay.queue] : starts;
}
