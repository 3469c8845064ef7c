// The promises of topics, held against what publishes are answered with and what queues and endpoints get.

import type { EntryResult, MessageContent, PublishedMessage } from "../../src/engine/command.ts";
import { type Books, DEDUPLICATION_WINDOW_MS, type MessageBook } from "../books.ts";
import type { ReceiveBook } from "../checks.ts";
import { Violation } from "../trace.ts";
import type { CopyBook, PublicationBook, TopicBook } from "./topic-books.ts";

export const WINDOW_MS = DEDUPLICATION_WINDOW_MS;
const OPENING_BRACE = 0x7b;
const LETTER_P = 0x70;

export interface SeenContent {
  content: MessageContent;
  groupId?: string;
  deduplicationId?: string;
}

/** What a publish came to; undefined when there was no answer. */
export function checkPublished(
  books: Books,
  publication: PublicationBook,
  result: EntryResult<PublishedMessage> | undefined,
): void {
  const { label, topic } = publication;
  if (result === undefined) return settle(books, publication, "unknown");
  if (!result.ok) return settle(books, publication, "refused");
  const { messageId, sequenceNumber } = result.value;
  if (topic.plan.fifo !== (sequenceNumber !== undefined)) {
    throw new Violation("sequence numbers", `${label} was answered with ${sequenceNumber}`);
  }
  const known = books.topics.byMessageId.get(messageId);
  const isOneOf = (group: PublicationBook[]) =>
    known !== undefined && group.includes(known) && group.includes(publication);
  // Answered after its repeat was: which of them is there, a copy will tell.
  if (known !== publication && books.topics.eithers.some(isOneOf)) return settle(books, publication, "either");
  if (known !== undefined && known !== publication) return checkRepeat(books, publication, known, sequenceNumber);
  const rivals = rivalsOf(publication);
  publication.messageId ??= messageId;
  publication.sequence ??= sequenceNumber;
  books.topics.byMessageId.set(messageId, publication);
  if (publication.messageId !== messageId || publication.sequence !== sequenceNumber) {
    throw new Violation("a message comes as it was published", `${label} has two ids`);
  }
  const { deduplicationId } = publication;
  if (deduplicationId === undefined) return settle(books, publication, "accepted");
  const held = topic.deduplication.get(deduplicationId);
  const isHeld = held !== undefined && publication.atMs < held.publication.atMs + WINDOW_MS;
  if (isHeld && !held.isUnclear && held.publication.number < publication.number) {
    throw new Violation(
      "a topic's deduplication lasts five minutes",
      `${label} was published although ${held.publication.label} came before it`,
    );
  }
  if (rivals.length === 0) {
    topic.deduplication.set(deduplicationId, { publication, isUnclear: false });
    return settle(books, publication, "accepted");
  }
  // One of them was stored. A copy that somebody sees will tell which.
  topic.deduplication.set(deduplicationId, { publication, isUnclear: true });
  settle(books, publication, "either");
  books.topics.eithers.push([publication, ...rivals]);
  books.hasDoubts = true;
}

function checkRepeat(
  books: Books,
  publication: PublicationBook,
  first: PublicationBook,
  sequence: string | undefined,
): void {
  const { label, topic, deduplicationId, groupId } = publication;
  const isRepeat =
    deduplicationId !== undefined &&
    first.topic === topic &&
    first.deduplicationId === deduplicationId &&
    first.groupId === groupId;
  if (!isRepeat) throw new Violation("one id, one message", `${label} was answered with the id of ${first.label}`);
  if (publication.atMs >= first.atMs + WINDOW_MS) {
    throw new Violation("a topic's deduplication lasts five minutes", `${label} was taken for ${first.label}`);
  }
  if (first.sequence !== undefined && first.sequence !== sequence) {
    throw new Violation("sequence numbers", `${label} repeats ${first.label} with another`);
  }
  settle(books, publication, "duplicate");
}

/** Those without an answer that this one may be a repeat of. */
function rivalsOf({ topic, deduplicationId, number, atMs }: PublicationBook): PublicationBook[] {
  if (deduplicationId === undefined) return [];
  return topic.publications.filter(
    (other) =>
      other.deduplicationId === deduplicationId &&
      other.number < number &&
      atMs < other.atMs + WINDOW_MS &&
      (other.fate === "open" || other.fate === "unknown" || other.fate === "either"),
  );
}

/** What that means for its copies. */
function settle(books: Books, publication: PublicationBook, fate: PublicationBook["fate"]): void {
  // Somebody has got it already.
  if (fate === "either" && publication.fate === "accepted") return;
  if (fate === "unknown" && publication.fate === "accepted") return;
  publication.fate = fate;
  const isNothing = fate === "duplicate" || fate === "refused";
  for (const copy of publication.copies) {
    const { message, delivery } = copy;
    const isSeen = message?.fate === "stored" || (delivery !== undefined && delivery.postCount > 0);
    if (isNothing && isSeen) throw unwanted(publication);
    if (delivery !== undefined && isNothing) books.topics.close(copy);
    if (message === undefined || message.fate === "stored" || message.gone !== undefined) continue;
    if (isNothing) {
      message.fate = fate;
      books.end(message, fate);
    } else message.fate = fate === "accepted" && copy.isCertain && delivery === undefined ? "owed" : "unknown";
  }
}

function unwanted({ fate, label }: PublicationBook): Violation {
  const promise = fate === "refused" ? "what was refused is not there" : "a topic's repeat adds nothing";
  return new Violation(promise, `${label} is there`);
}

export function isCopyText(bytes: Uint8Array): boolean {
  return bytes[0] === OPENING_BRACE || bytes[0] === LETTER_P;
}

/** Whose copy this is, held against what was published. */
export function copyOf(books: Books, bytes: Buffer, attributes: MessageContent["attributes"] | undefined): CopyBook {
  const isRaw = bytes[0] === LETTER_P;
  const document = isRaw ? undefined : readNotification(bytes);
  const text = document?.Message ?? bytes.toString();
  const label = text.slice(0, Math.max(0, text.indexOf(" ")));
  const publication = books.topics.publications.get(label);
  if (publication === undefined) throw new Violation("nothing is invented", `nobody published ${text.slice(0, 40)}`);
  if (publication.text !== text) throw new Violation("a message comes as it was published", `${label}'s text differs`);
  const { fate } = publication;
  if (fate === "duplicate" || fate === "refused") throw unwanted(publication);
  const kind = document === undefined ? kindIn(attributes) : document.MessageAttributes?.kind?.Value;
  const isKindUnknown = isRaw && attributes === undefined;
  if (!isKindUnknown && kind !== publication.kind) {
    throw new Violation("a message comes as it was published", `${label}'s kind is ${kind}`);
  }
  if (document !== undefined) checkDocument(books, publication, document);
  const copy = publication.copies.find((candidate) => isMeant(books, candidate, document));
  if (copy === undefined) throw withheld(books, publication, document);
  isThere(books, publication);
  return copy;
}

interface Notification {
  Message: string;
  MessageId: string;
  SequenceNumber?: string;
  TopicArn: string;
  UnsubscribeURL: string;
  MessageAttributes?: { kind?: { Value?: string } };
}

function readNotification(bytes: Buffer): Notification {
  const document = JSON.parse(bytes.toString()) as Notification & { Type: string };
  if (document.Type !== "Notification") throw new Violation("nothing is invented", `a ${document.Type} in a queue`);
  return document;
}

function checkDocument(books: Books, publication: PublicationBook, document: Notification): void {
  const { label, topic } = publication;
  const { MessageId: messageId, SequenceNumber: sequence } = document;
  publication.messageId ??= messageId;
  publication.sequence ??= sequence;
  const known = books.topics.byMessageId.get(messageId);
  const isSame =
    publication.messageId === messageId &&
    publication.sequence === sequence &&
    document.TopicArn === topic.arn &&
    (known === undefined || known === publication || known.fate === "either");
  if (!isSame) throw new Violation("a message comes as it was published", `${label} has another id or topic`);
  books.topics.byMessageId.set(messageId, publication);
}

function isMeant(books: Books, { slot, publication }: CopyBook, document: Notification | undefined): boolean {
  if (document === undefined) return slot.plan.raw;
  if (slot.plan.raw) return false;
  const known = books.topics.slotByArn.get(arnIn(document));
  if (known !== undefined) return known === slot;
  return slot.hasUnnamed || publication.copies.filter((copy) => !copy.slot.plan.raw).length === 1;
}

function arnIn({ UnsubscribeURL: url }: Notification): string {
  return url.slice(url.indexOf("SubscriptionArn=") + "SubscriptionArn=".length);
}

function withheld(books: Books, publication: PublicationBook, document: Notification | undefined): Violation {
  const slot =
    document === undefined
      ? publication.topic.slots.find(({ plan }) => plan.raw)
      : books.topics.slotByArn.get(arnIn(document));
  const why = slot === undefined ? undefined : publication.withheld.get(slot);
  return new Violation(
    why ?? "only subscribers get copies",
    `${publication.label} (kind ${publication.kind ?? "none"}) is at ${slot?.plan.endpoint ?? "somebody"}`,
  );
}

function kindIn(attributes: MessageContent["attributes"] | undefined): string | undefined {
  const value = attributes?.find(({ name }) => name === "kind")?.value;
  return typeof value === "string" ? value : undefined;
}

/** One of several that an acknowledged id may have meant turned up: the others were its repeats. */
function isThere(books: Books, publication: PublicationBook): void {
  if (publication.fate !== "either" && publication.fate !== "unknown") return;
  const groups = books.topics.eithers.filter((group) => group.includes(publication));
  if (groups.length === 0) return;
  settle(books, publication, "accepted");
  for (const other of groups.flat()) {
    if (other === publication || other.fate === "accepted") continue;
    // The id was answered to the repeat and is the first one's.
    if (other.messageId !== undefined) books.topics.byMessageId.set(other.messageId, publication);
    publication.messageId ??= other.messageId;
    settle(books, other, "duplicate");
  }
  books.topics.eithers = books.topics.eithers.filter((group) => !groups.includes(group));
}

/** The message in the books that a queue's bytes are. */
export function checkCopyContent(books: Books, bytes: Buffer, seen: SeenContent): MessageBook {
  const copy = copyOf(books, bytes, seen.content.attributes);
  const { message, label } = copy;
  if (message === undefined) throw new Violation("a copy goes to its subscriber", `${label} is in a queue`);
  if (message.groupId !== seen.groupId || message.deduplicationId !== seen.deduplicationId) {
    const ids = `${seen.groupId} and ${seen.deduplicationId}`;
    throw new Violation("a message comes as it was published", `the ids of ${label} are ${ids}`);
  }
  return message;
}

/** A topic's messages of one group reach each FIFO queue in the order in which they were published. */
export function checkCopyOrder(
  books: Books,
  receive: ReceiveBook,
  message: MessageBook,
  ahead: ReadonlySet<MessageBook>,
): void {
  const { copy } = message;
  const { queue } = receive;
  if (copy === undefined || message.starts?.[0] !== queue || message.left !== undefined) return;
  const { publication, slot } = copy;
  copy.sequence ??= message.sequence;
  for (const other of othersOf(publication.topic, publication.groupId)) {
    const theirs = other.copies.find((candidate) => candidate.slot === slot);
    if (theirs === undefined || theirs === copy || theirs.message?.starts?.[0] !== queue) continue;
    const isEarlier = other.number < publication.number;
    const { sequence } = theirs;
    if (sequence !== undefined && copy.sequence !== undefined && isEarlier !== sequence < copy.sequence) {
      throw new Violation("a topic keeps the order of a group", `${copy.label} and ${theirs.label} came the other way`);
    }
    if (!isEarlier || ahead.has(theirs.message) || !isOwedStill(books, theirs.message, receive)) continue;
    throw new Violation("a topic keeps the order of a group", `${copy.label} was received before ${theirs.label}`);
  }
}

function othersOf(topic: TopicBook, groupId: string | undefined): PublicationBook[] {
  return topic.publications.filter((other) => other.groupId === groupId);
}

/** It must be there, and nobody has seen it yet. */
function isOwedStill(books: Books, message: MessageBook, receive: ReceiveBook): boolean {
  return (
    message.fate === "owed" &&
    message.gone === undefined &&
    message.openEndings === 0 &&
    message.mayBeGone === undefined &&
    message.expiresLowMs > receive.answeredAtMs &&
    receive.queue.exists === "yes" &&
    receive.queue.unclearReceives === 0 &&
    !receive.hadCompany &&
    !books.mayHaveMoved(message)
  );
}

/** Of those that an acknowledged id may have meant, one must have reached everybody that it had to. */
export function checkEithers(books: Books, mayBeMissing: (message: MessageBook) => boolean): void {
  const reachedAll = ({ copies }: PublicationBook) =>
    copies.every(({ isCertain, message, delivery }) => {
      if (!isCertain) return true;
      if (delivery !== undefined) return !delivery.isMissing;
      return message === undefined || message.gone !== undefined || mayBeMissing(message);
    });
  for (const group of books.topics.eithers) {
    if (group.some(reachedAll)) continue;
    const labels = group.map(({ label }) => label).join(" ");
    throw new Violation("every subscriber gets what was published", `none of ${labels} did`);
  }
  for (const publication of books.topics.eithers.flat()) publication.fate = "unknown";
  books.topics.eithers = [];
}
