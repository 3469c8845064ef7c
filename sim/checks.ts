// The promises, held against each answer as it comes. Each check speaks only where the books leave no doubt.

import type { EntryResult, ReceivedMessage, SentMessage } from "../src/engine/command.ts";
import { type Books, DEDUPLICATION_WINDOW_MS, type DeliveryBook, type MessageBook, type QueueBook } from "./books.ts";
import { checkCopyContent, checkCopyOrder, isCopyText, type SeenContent } from "./topics/topic-checks.ts";
import { Violation } from "./trace.ts";

/** A receive as its client knows it. */
export interface ReceiveBook {
  queue: QueueBook;
  order: number;
  invokedAtMs: number;
  answeredAtMs: number;
  /** It may have waited: decided at some time up to its answer. */
  waits: boolean;
  messagesMax: number;
  /** What it may hide messages for: two values while the queue's own timeout is being changed. */
  visibilityLowMs: number;
  visibilityHighMs: number;
  /** Another receive on the queue was under way during this one. */
  hadCompany: boolean;
}

export function checkSent(books: Books, message: MessageBook, result: EntryResult<SentMessage>): void {
  if (!result.ok) {
    if (message.fate === "stored")
      throw new Violation("nothing is invented", `${message.label} was refused and is there`);
    message.fate = "refused";
    books.end(message, "refused");
    return;
  }
  const { messageId, sequenceNumber } = result.value;
  const { queue } = message.stay;
  if (queue.fifo !== (sequenceNumber !== undefined)) {
    throw new Violation("sequence numbers", `${message.label} was answered with ${sequenceNumber}`);
  }
  const known = books.byId.get(messageId);
  if (known !== undefined && known !== message) return checkDuplicate(books, message, known, sequenceNumber);
  if (known === undefined && message.fate === "stored") {
    throw new Violation("one message, one id", `${message.label} was seen as another message than ${messageId}`);
  }
  if (queue.fifo && known === undefined && !isNew(books, message, messageId)) return;
  books.stored(message, messageId);
  message.sequence ??= sequenceNumber;
  message.acceptedSequence = sequenceNumber;
}

function checkDuplicate(books: Books, message: MessageBook, first: MessageBook, sequence: string | undefined): void {
  const { queue } = message.stay;
  const key = deduplicationKey(message);
  const isRepeat =
    queue.fifo &&
    first.sentTo === queue &&
    first.deduplicationId === message.deduplicationId &&
    deduplicationKey(first) === key;
  if (!isRepeat)
    throw new Violation("one id, one message", `${message.label} was answered with the id of ${first.label}`);
  const held = queue.deduplication.get(key);
  const untilMs = (held?.message === first ? held.fromMs : first.sentAtMs) + DEDUPLICATION_WINDOW_MS;
  if (message.sentAtMs >= untilMs) {
    throw new Violation(
      "deduplication lasts five minutes",
      `${message.label} was taken for a repeat of ${first.label} ${message.sentAtMs - untilMs} ms after that`,
    );
  }
  if (first.acceptedSequence !== undefined && sequence !== first.acceptedSequence) {
    throw new Violation("deduplication", `${message.label} repeats ${first.label} with another sequence number`);
  }
  message.fate = "duplicate";
  books.end(message, "duplicate");
}

/** A send that was answered with an id nobody knows: is it certain that it was stored? */
function isNew(books: Books, message: MessageBook, messageId: string): boolean {
  const { queue } = message.stay;
  const key = deduplicationKey(message);
  const held = queue.deduplication.get(key);
  const isEarlier = held !== undefined && (held.message === undefined || held.message.order < message.order);
  const isHeld = isEarlier && message.sentAtMs < held.fromMs + DEDUPLICATION_WINDOW_MS;
  if (isHeld && !held.isUnclear) {
    throw new Violation(
      "deduplication lasts five minutes",
      `${message.label} was stored although ${held.message?.label} came ${message.sentAtMs - held.fromMs} ms before it`,
    );
  }
  if (isHeld && held.message === undefined) {
    message.fate = "unknown";
    return false;
  }
  const rivals = [...queue.members].filter(
    (other) =>
      other.order < message.order &&
      message.sentAtMs < other.sentAtMs + DEDUPLICATION_WINDOW_MS &&
      (other.fate === "open" || other.fate === "unknown" || other.fate === "either") &&
      deduplicationKey(other) === key,
  );
  if (rivals.length === 0) {
    remember(queue, key, message);
    return true;
  }
  message.fate = "either";
  books.either.push({ id: messageId, candidates: [message, ...rivals] });
  books.hasDoubts = true;
  return false;
}

/** From when it was sent, unless a later one was stored under the key already. */
function remember(queue: QueueBook, key: string, message: MessageBook): void {
  const held = queue.deduplication.get(key);
  if (held?.message !== undefined && held.message.order > message.order) return;
  // A purge that came after it has made the queue forget it.
  const isUnclear = queue.emptiedBy.some((order) => order > message.order);
  queue.deduplication.set(key, { message, fromMs: message.sentAtMs, isUnclear });
}

/** It moved on before anybody saw it: where it was sent to it may be remembered under an id that nobody knows. */
function rememberUnderAnotherId(message: MessageBook): void {
  const { deduplication } = message.sentTo;
  const key = deduplicationKey(message);
  const held = deduplication.get(key);
  if (held?.message !== undefined && held.message.order > message.order) return;
  deduplication.set(key, { message: undefined, fromMs: message.sentAtMs, isUnclear: true });
}

export function deduplicationKey(message: MessageBook): string {
  const { groupScoped } = message.sentTo.shape;
  return groupScoped ? `${message.groupId} ${message.deduplicationId}` : `${message.deduplicationId}`;
}

export function checkReceived(books: Books, receive: ReceiveBook, received: ReceivedMessage[]): DeliveryBook[] {
  if (received.length > receive.messagesMax) {
    throw new Violation("a receive keeps its bound", `${received.length} of at most ${receive.messagesMax}`);
  }
  const ahead = new Set<MessageBook>();
  const deliveries: DeliveryBook[] = [];
  for (const answer of received) {
    const message = checkContent(books, answer);
    if (ahead.has(message)) throw new Violation("a message is handed out once", `${message.label} twice in one answer`);
    const delivery = checkDelivery(books, receive, message, answer, ahead);
    if (delivery !== undefined) deliveries.push(delivery);
    ahead.add(message);
  }
  if (received.length < receive.messagesMax) checkNothingWithheld(books, receive, ahead);
  return deliveries;
}

/** Whose message this is, bytes compared. */
export function checkContent(books: Books, seen: SeenContent): MessageBook {
  const { groupId, deduplicationId } = seen;
  const bytes = Buffer.from(seen.content.body);
  if (isCopyText(bytes)) return checkCopyContent(books, bytes, seen);
  const label = bytes.subarray(0, Math.max(0, bytes.indexOf(" "))).toString();
  const message = books.messages.get(label);
  if (message === undefined)
    throw new Violation("nothing is invented", `nobody sent ${bytes.subarray(0, 40).toString()}`);
  if (!message.body.equals(bytes))
    throw new Violation("a message comes as it was sent", `the body of ${label} differs`);
  if (message.groupId !== groupId || message.deduplicationId !== deduplicationId) {
    throw new Violation("a message comes as it was sent", `the ids of ${label} are ${groupId} and ${deduplicationId}`);
  }
  if (message.fate === "duplicate") throw new Violation("a repeat adds nothing", `${label} is there`);
  if (message.fate === "refused") throw new Violation("what was refused is not there", `${label} is there`);
  return message;
}

/** The message is in that queue under that id: may it be? */
export function checkPlace(books: Books, message: MessageBook, queue: QueueBook, messageId: string): void {
  if (message.copy !== undefined && message.fate !== "stored") {
    if (message.starts?.includes(queue) === true) {
      books.began(message, queue, messageId);
      return;
    }
    books.stored(message, messageId);
  }
  if (message.fate !== "stored") {
    books.stored(message, messageId);
    if (queue.fifo && message.stay.queue === queue) {
      remember(queue, deduplicationKey(message), message);
    } else if (message.sentTo.fifo) rememberUnderAnotherId(message);
    settleEither(books, message);
  }
  if (message.stay.queue === queue && message.stay.messageId === messageId) return;
  if (!books.reachable(message).has(queue)) {
    throw new Violation(
      "messages move only where they are told to",
      `${message.label} was in ${message.stay.queue.name} and is in ${queue.name} as ${messageId}`,
    );
  }
  const isReborn = message.stay.messageId !== messageId;
  const mayBeRedriven = [...books.reachable(message)].some((at) => at.exits.some(({ by }) => by === "task"));
  if (isReborn && !mayBeRedriven) {
    throw new Violation("one message, one id", `${message.label} was ${message.stay.messageId} and is ${messageId}`);
  }
  books.moved(message, queue, messageId);
}

/** One of several that an acknowledged id may have meant turned up: the others were its repeats. */
function settleEither(books: Books, found: MessageBook): void {
  const isMeant = ({ candidates }: { candidates: MessageBook[] }) => candidates.includes(found);
  for (const { candidates } of books.either.filter(isMeant)) {
    for (const other of candidates) {
      if (other === found || other.fate === "stored") continue;
      other.fate = "duplicate";
      books.end(other, "duplicate");
    }
  }
  books.either = books.either.filter((group) => !isMeant(group));
}

function checkDelivery(
  books: Books,
  receive: ReceiveBook,
  message: MessageBook,
  answer: ReceivedMessage,
  ahead: Set<MessageBook>,
): DeliveryBook | undefined {
  const { queue } = receive;
  const { label } = message;
  const atMs = receive.waits ? receive.answeredAtMs : receive.invokedAtMs;
  if (message.gone !== undefined) {
    if (receive.invokedAtMs <= message.gone.atMs) return undefined;
    throw new Violation("what is gone stays gone", `${label} was received although it is ${message.gone.why}`);
  }
  const { left } = message;
  const isLate = left?.stay.queue === queue && left.stay.messageId === answer.messageId && message.stay.queue !== queue;
  // Handed out before it moved on, and answered after somebody got it there.
  if (isLate && receive.invokedAtMs <= left.atMs) return undefined;
  checkPlace(books, message, queue, answer.messageId);
  const count = answer.receiveCount;
  checkCount(message, queue, receive, count);
  // A change that was sent after this receive may have shown the message before it was taken, also when another receive
  // hid it in between: answers do not tell in which order the three happened.
  const isChangedMeanwhile = message.lastChangeOrder > receive.order;
  const wasHidden = !isChangedMeanwhile && (message.hiddenBy.is === "change" || message.hiddenBy.count < count);
  if (wasHidden && atMs < message.hiddenLowMs) {
    throw new Violation(
      "a message in flight is nobody else's",
      `${label} was received ${message.hiddenLowMs - atMs} ms before its visibility timeout ended`,
    );
  }
  if (atMs < message.readyLowMs) throw new Violation("delays last", `${label} was received before its delay ended`);
  if (message.expiryOrder < receive.order && receive.invokedAtMs >= message.expiresHighMs) {
    throw new Violation(
      "retention ends",
      `${label} was received ${receive.invokedAtMs - message.expiresHighMs} ms after it`,
    );
  }
  if (queue.fifo) {
    checkOrder(books, receive, message, answer.sequenceNumber, ahead);
    checkCopyOrder(books, receive, message, ahead);
  }
  checkSpent(books, receive, message, count);
  if (message.firstReceivedAtMs !== undefined && message.firstReceivedAtMs !== answer.firstReceivedAtMs) {
    throw new Violation("the first receive stays the first", `${label} was first received at another time`);
  }
  message.firstReceivedAtMs = answer.firstReceivedAtMs;
  message.countsSeen.add(count);
  if (count > message.count) {
    message.count = count;
    hide(message, receive, count);
  }
  const delivery = { message, stay: message.stay, count, handle: answer.receiptHandle, queue };
  message.deliveries.push(delivery);
  return delivery;
}

function checkCount(message: MessageBook, queue: QueueBook, receive: ReceiveBook, count: number): void {
  const { label } = message;
  if (message.countsSeen.has(count)) {
    throw new Violation("receive counts grow by one", `${label} was received with count ${count} twice`);
  }
  // Receives under way at the same time may be answered in another order than they were decided.
  const before = message.left?.stay.queue;
  const others =
    [...queue.openReceives].filter((other) => other !== receive).length +
    queue.unclearReceives +
    (before === undefined ? 0 : before.openReceives.size + before.unclearReceives);
  if (count > message.count + 1 + others) {
    throw new Violation("receive counts grow by one", `${label} went from ${message.count} to ${count}`);
  }
  if (count <= message.count && !receive.hadCompany) {
    throw new Violation("receive counts never fall", `${label} went from ${message.count} to ${count}`);
  }
}

function hide(message: MessageBook, receive: ReceiveBook, count: number): void {
  const { invokedAtMs, answeredAtMs, waits, visibilityLowMs: low, visibilityHighMs: high } = receive;
  const lowMs = low === 0 ? 0 : invokedAtMs + low;
  const highMs = high === 0 ? 0 : (waits ? answeredAtMs : invokedAtMs) + high;
  // A change by an earlier handle may have come between the decision and the answer.
  const wasChangedSince = message.lastChangeOrder > receive.order;
  message.hiddenLowMs = wasChangedSince ? Math.min(message.hiddenLowMs, lowMs) : lowMs;
  message.hiddenHighMs = wasChangedSince ? Math.max(message.hiddenHighMs, highMs) : highMs;
  message.hiddenBy = { is: "delivery", count };
  message.version += 1;
}

/** Every earlier message of the group must be gone, or come before it in the same answer. */
function checkOrder(
  books: Books,
  receive: ReceiveBook,
  message: MessageBook,
  sequence: string | undefined,
  ahead: Set<MessageBook>,
): void {
  if (sequence === undefined || (message.sequence !== undefined && message.sequence !== sequence)) {
    throw new Violation("sequence numbers", `${message.label} was ${message.sequence} and is ${sequence}`);
  }
  message.sequence = sequence;
  for (const earlier of receive.queue.members) {
    if (earlier.groupId !== message.groupId || earlier === message || ahead.has(earlier)) continue;
    if (earlier.sequence === undefined || earlier.sequence > sequence) continue;
    if (!books.isCertain(earlier, receive.answeredAtMs)) continue;
    throw new Violation(
      "a group is handed out in order",
      `${message.label} was received while ${earlier.label} before it is still there`,
    );
  }
  for (const other of ahead) {
    if (other.groupId !== message.groupId || other.stay.queue !== receive.queue) continue;
    if (other.sequence === undefined || other.sequence < sequence) continue;
    throw new Violation("a group is handed out in order", `${message.label} came behind ${other.label}`);
  }
}

/** With a redrive policy in force the whole time, nobody gets a message more often than it says. */
function checkSpent(books: Books, receive: ReceiveBook, message: MessageBook, count: number): void {
  const { queue } = receive;
  const { redrive } = queue.shape;
  if (queue.changeOrder > receive.order || queue.isChanging || redrive === undefined || count <= redrive.receivesMax)
    return;
  const target = books.queueOf(redrive.target);
  if (
    target === undefined ||
    target.exists !== "yes" ||
    target.changeOrder > receive.order ||
    target.isChanging ||
    receive.waits
  )
    return;
  throw new Violation(
    "spent messages move to the dead-letter queue",
    `${message.label} was received ${count} times in ${queue.name}, which allows ${redrive.receivesMax}`,
  );
}

/** What was there for certain, and for nobody else, is in the answer if there was room for it. */
function checkNothingWithheld(books: Books, receive: ReceiveBook, got: Set<MessageBook>): void {
  const { queue } = receive;
  if (receive.hadCompany || queue.unclearReceives > 0 || queue.exists !== "yes" || queue.isChanging) return;
  // At the very end of a poll it may not have come to it.
  const atMs = receive.waits ? receive.answeredAtMs - 1 : receive.invokedAtMs;
  if (receive.waits && got.size > 0) return;
  for (const message of firstOfEach(queue)) {
    if (got.has(message) || !isAvailable(books, message, receive, atMs)) continue;
    const others = [...got].map(({ label }) => label).join(" ");
    throw new Violation(
      "what is there is handed out",
      `${message.label} was in ${queue.name}; received were ${others === "" ? "none" : others}`,
    );
  }
}

/** On FIFO queues only a group's first message counts, and only if all of them are known. */
function firstOfEach(queue: QueueBook): Iterable<MessageBook> {
  if (!queue.fifo) return queue.members;
  const firsts = new Map<string, MessageBook | undefined>();
  for (const message of queue.members) {
    const groupId = message.groupId as string;
    const first = firsts.get(groupId);
    const isUnclear = message.sequence === undefined || message.fate !== "stored";
    if (isUnclear) firsts.set(groupId, undefined);
    else if (!firsts.has(groupId)) firsts.set(groupId, message);
    else if (first !== undefined && (message.sequence as string) < (first.sequence as string))
      firsts.set(groupId, message);
  }
  return [...firsts.values()].filter((message) => message !== undefined);
}

function isAvailable(books: Books, message: MessageBook, receive: ReceiveBook, atMs: number): boolean {
  const receivesMax = message.stay.queue.shape.redrive?.receivesMax ?? Number.POSITIVE_INFINITY;
  const { queue } = message.stay;
  // What was before it in its group may have been there still.
  const wasFirst = !queue.fifo || (queue.groupShrankAtMs.get(message.groupId) ?? 0) < receive.invokedAtMs;
  return (
    wasFirst &&
    queue.changeOrder < receive.order &&
    books.isCertain(message, receive.answeredAtMs) &&
    message.order < receive.order &&
    message.readyHighMs <= atMs &&
    message.hiddenHighMs <= atMs &&
    message.count < receivesMax &&
    (message.hiddenBy.is === "delivery" || message.hiddenBy.order < receive.order)
  );
}

/** What is known of a handle when a request with it goes out. */
export interface HandleUse {
  delivery: DeliveryBook;
  queue: QueueBook;
  order: number;
  atMs: number;
  /** The message is there for certain, and the handle is its newest and in its time; or certainly not. */
  standing: "current" | "stale" | "unclear";
  version: number;
  /** Where the bounds stood before this change. */
  hiddenBefore: { lowMs: number; highMs: number };
}

export function useHandle(books: Books, delivery: DeliveryBook, queue: QueueBook, order: number): HandleUse {
  const { message } = delivery;
  const atMs = books.nowMs();
  const use: HandleUse = {
    delivery,
    queue,
    order,
    atMs,
    standing: "unclear",
    version: message.version,
    hiddenBefore: { lowMs: message.hiddenLowMs, highMs: message.hiddenHighMs },
  };
  const isSettled = queue.openReceives.size === 0 && queue.unclearReceives === 0 && delivery.stay === message.stay;
  if (!isSettled || !books.isCertain(message, atMs) || message.hiddenBy.is === "change") return use;
  if (delivery.count < message.count || message.hiddenHighMs <= atMs) use.standing = "stale";
  else if (message.hiddenLowMs > atMs) use.standing = "current";
  return use;
}

export function checkDeleted(books: Books, use: HandleUse, result: EntryResult<null>): void {
  const { delivery, queue } = use;
  const { message } = delivery;
  if (!result.ok) return checkHandleRefused(use, result.refusal.code);
  if (delivery.queue !== queue) {
    throw new Violation("a handle is for its own queue", `${message.label}'s was taken by ${queue.name}`);
  }
  if (queue.fifo && use.standing === "stale") {
    throw new Violation("an expired FIFO handle deletes nothing", `${message.label} was deleted with one`);
  }
  if (message.gone !== undefined) return;
  if (delivery.stay === message.stay && !books.mayHaveMoved(message)) books.end(message, "deleted");
  else message.mayBeGone = "deleted, perhaps, by a handle of another queue";
}

export function checkVisibilityChanged(
  books: Books,
  use: HandleUse,
  timeoutMs: number,
  result: EntryResult<null>,
): void {
  const { delivery, queue } = use;
  const { message } = delivery;
  const isUndisturbed = message.version === use.version + 1 && delivery.stay === message.stay;
  if (!result.ok) {
    checkHandleRefused(use, result.refusal.code);
    if (isUndisturbed) {
      message.hiddenLowMs = use.hiddenBefore.lowMs;
      message.hiddenHighMs = use.hiddenBefore.highMs;
    }
    return;
  }
  if (queue.fifo && use.standing === "stale") {
    throw new Violation("an expired FIFO handle changes nothing", `${message.label} was changed with one`);
  }
  if (!isUndisturbed || books.mayHaveMoved(message)) return;
  const visibleAtMs = timeoutMs === 0 ? 0 : use.atMs + timeoutMs;
  message.hiddenLowMs = visibleAtMs;
  message.hiddenHighMs = visibleAtMs;
}

function checkHandleRefused({ delivery, queue, standing }: HandleUse, code: string): void {
  if (delivery.queue !== queue || code === "ServiceUnavailable") return;
  const isValid = standing === "current" || (!queue.fifo && standing === "stale" && code === "ReceiptHandleIsInvalid");
  if (isValid) throw new Violation("a good handle is taken", `${delivery.message.label}'s was refused: ${code}`);
}
