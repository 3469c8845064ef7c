// What the clients were told, message by message, and what follows from it. Every rule holds an answer of the server
// against earlier answers; a request whose answer was lost in a crash proves nothing either way and is booked so.
//
// Times are the test's own clock. "Before" is only concluded from requests that do not overlap: one was answered before
// the other was sent.

import { createHash } from "node:crypto";

/** Slack for two clocks that are read in two processes. */
const CLOCK_SLACK_MS = 50;
const FINDINGS_KEPT = 20;

export interface QueueRules {
  name: string;
  fifo: boolean;
  /** Receives after which a message moves to `deadLetterQueue`. */
  receivesMax: number;
  deadLetterQueue: string | undefined;
}

export interface BookedMessage {
  key: string;
  queue: QueueRules;
  bodyMd5: string;
  attributes: Record<string, unknown> | undefined;
  /** Never deleted by consumers, so that it ends in the dead-letter queue. */
  poison: boolean;
  group: string | undefined;
  /** Place in its group, from 0. */
  place: number;
  isAcknowledged: boolean;
  messageId: string | undefined;
  sequenceNumber: bigint | undefined;
  sentAtMs: number;
  /** Receive counts that answers told us. */
  counts: { answeredAtMs: number; count: number }[];
  /** Lost receives of the queue when the message was sent: later ones may have counted it. */
  lostReceivesBefore: number;
  hold: { sinceMs: number; untilMs: number } | undefined;
  /** A delete was acknowledged or lost. */
  mayBeDeleted: boolean;
  deletedAtMs: number | undefined;
  isInDeadLetter: boolean;
  mayBeDeletedInDeadLetter: boolean;
  deletedInDeadLetterAtMs: number | undefined;
}

export interface Asked {
  sentAtMs: number;
  answeredAtMs: number;
}

export interface ReceivedMessage {
  MessageId: string;
  ReceiptHandle: string;
  Body: string;
  MD5OfBody: string;
  Attributes: Record<string, string>;
  MessageAttributes?: Record<string, unknown>;
}

export class Books {
  readonly messages = new Map<string, BookedMessage>();
  readonly findings: string[] = [];
  readonly tally = {
    sends: 0,
    lostSends: 0,
    receives: 0,
    lostReceives: 0,
    deletes: 0,
    lostDeletes: 0,
    visibility: 0,
    deadLetters: 0,
    repeatedSends: 0,
  };
  readonly #lostReceives = new Map<string, number>();
  readonly #groups = new Map<string, BookedMessage[]>();
  #sequenceNumberMax = 0n;

  finding(text: string): void {
    if (this.findings.length < FINDINGS_KEPT) this.findings.push(text);
    else if (this.findings.length === FINDINGS_KEPT) this.findings.push("(and more)");
  }

  /** To be called before the request leaves: from then on the message may exist. */
  sending(queue: QueueRules, key: string, body: string, more: Partial<BookedMessage> = {}): BookedMessage {
    const message: BookedMessage = {
      key,
      queue,
      bodyMd5: md5(body),
      attributes: undefined,
      poison: false,
      group: undefined,
      place: 0,
      isAcknowledged: false,
      messageId: undefined,
      sequenceNumber: undefined,
      sentAtMs: performance.now(),
      counts: [],
      lostReceivesBefore: this.#lostReceives.get(queue.name) ?? 0,
      hold: undefined,
      mayBeDeleted: false,
      deletedAtMs: undefined,
      isInDeadLetter: false,
      mayBeDeletedInDeadLetter: false,
      deletedInDeadLetterAtMs: undefined,
      ...more,
    };
    this.messages.set(key, message);
    if (message.group !== undefined) {
      const group = this.#groups.get(message.group) ?? [];
      this.#groups.set(message.group, group);
      group.push(message);
    }
    return message;
  }

  /** The highest sequence number that was acknowledged: what is sent from now on must be above it. */
  get sequenceNumberMax(): bigint {
    return this.#sequenceNumberMax;
  }

  sent(
    message: BookedMessage,
    answer: { MessageId: string; MD5OfMessageBody: string; SequenceNumber?: string },
    sequenceAbove = -1n,
  ): void {
    this.tally.sends += 1;
    message.isAcknowledged = true;
    if (answer.MD5OfMessageBody !== message.bodyMd5)
      this.finding(`${message.key}: the send was answered with a wrong body MD5`);
    this.#identify(message, answer.MessageId);
    if (!message.queue.fifo) return;
    const sequenceNumber = BigInt(answer.SequenceNumber ?? "-1");
    if (message.sequenceNumber !== undefined && message.sequenceNumber !== sequenceNumber) {
      this.finding(`${message.key}: its sequence number was ${message.sequenceNumber} and is now ${sequenceNumber}`);
    }
    message.sequenceNumber = sequenceNumber;
    if (sequenceNumber <= sequenceAbove) {
      this.finding(
        `${message.key}: sequence number ${sequenceNumber} is not above ${sequenceAbove}, which was acknowledged before`,
      );
    }
    if (sequenceNumber > this.#sequenceNumberMax) this.#sequenceNumberMax = sequenceNumber;
  }

  lostReceive(queue: QueueRules): void {
    this.tally.lostReceives += 1;
    this.#lostReceives.set(queue.name, (this.#lostReceives.get(queue.name) ?? 0) + 1);
  }

  /** Undefined when the message is none of ours, which is a finding. `isRetry`: asked again with one attempt id. */
  received(
    queue: QueueRules,
    raw: ReceivedMessage,
    asked: Asked,
    visibilityMs: number,
    isRetry = false,
  ): BookedMessage | undefined {
    this.tally.receives += 1;
    const message = this.#recognise(queue.name, raw);
    if (message === undefined) return undefined;
    const count = Number(raw.Attributes["ApproximateReceiveCount"]);
    if (message.queue !== queue)
      this.finding(`${message.key}: sent to ${message.queue.name}, received from ${queue.name}`);
    if (message.deletedAtMs !== undefined && asked.sentAtMs > message.deletedAtMs) {
      this.finding(`${message.key}: received (count ${count}) although its delete was acknowledged before`);
    }
    if (count > queue.receivesMax)
      this.finding(`${message.key}: received ${count} times, it should be in the dead-letter queue`);
    const countBefore = Math.max(
      0,
      ...message.counts.filter(({ answeredAtMs }) => answeredAtMs < asked.sentAtMs).map((each) => each.count),
    );
    if (isRetry ? count < countBefore : count <= countBefore) {
      this.finding(`${message.key}: receive count ${count} after ${countBefore} was acknowledged`);
    }
    message.counts.push({ answeredAtMs: asked.answeredAtMs, count });
    const { hold } = message;
    if (
      hold !== undefined &&
      !isRetry &&
      asked.sentAtMs > hold.sinceMs &&
      asked.answeredAtMs < hold.untilMs - CLOCK_SLACK_MS
    ) {
      this.finding(
        `${message.key}: received ${Math.round(hold.untilMs - asked.answeredAtMs)} ms before its visibility timeout or delay was over`,
      );
    }
    message.hold = { sinceMs: asked.answeredAtMs, untilMs: asked.sentAtMs + visibilityMs };
    if (
      queue.fifo &&
      BigInt(raw.Attributes["SequenceNumber"] ?? "-2") !==
        (message.sequenceNumber ?? BigInt(raw.Attributes["SequenceNumber"] ?? "-2"))
    ) {
      this.finding(`${message.key}: received with another sequence number than it was sent with`);
    }
    return message;
  }

  /** One answer of a FIFO queue: nothing may be handed out while something before it in its group is there. */
  checkOrder(answer: BookedMessage[]): void {
    const handedOut = new Set<BookedMessage>();
    for (const message of answer) {
      for (const earlier of this.#groups.get(message.group as string) ?? []) {
        if (earlier.place >= message.place) break;
        const isGone = earlier.mayBeDeleted || earlier.isInDeadLetter || this.#mayHaveMoved(earlier);
        if (!isGone && earlier.isAcknowledged && !handedOut.has(earlier)) {
          this.finding(`${message.key} was handed out while ${earlier.key} before it was still there`);
        }
      }
      handedOut.add(message);
    }
  }

  receivedFromDeadLetter(queue: QueueRules, raw: ReceivedMessage, asked: Asked): BookedMessage | undefined {
    const message = this.#recognise(`${queue.deadLetterQueue}`, raw);
    if (message === undefined) return undefined;
    if (!message.isInDeadLetter) this.tally.deadLetters += 1;
    const count = Number(raw.Attributes["ApproximateReceiveCount"]);
    if (count <= queue.receivesMax)
      this.finding(`${message.key}: in the dead-letter queue with a receive count of only ${count}`);
    if (!raw.Attributes["DeadLetterQueueSourceArn"]?.endsWith(`:${queue.name}`)) {
      this.finding(`${message.key}: came to the dead-letter queue from ${raw.Attributes["DeadLetterQueueSourceArn"]}`);
    }
    if (!this.#mayHaveMoved(message)) {
      this.finding(
        `${message.key}: in the dead-letter queue after ${Math.max(0, ...message.counts.map((each) => each.count))} receives`,
      );
    }
    if (message.deletedInDeadLetterAtMs !== undefined && asked.sentAtMs > message.deletedInDeadLetterAtMs) {
      this.finding(`${message.key}: still in the dead-letter queue although its delete was acknowledged`);
    }
    message.isInDeadLetter = true;
    return message;
  }

  /** The hold no longer stands for certain; called before a change leaves. */
  changingVisibility(message: BookedMessage): void {
    message.hold = undefined;
  }

  changedVisibility(message: BookedMessage, asked: Asked, visibilityMs: number): void {
    this.tally.visibility += 1;
    message.hold = { sinceMs: asked.answeredAtMs, untilMs: asked.sentAtMs + visibilityMs };
  }

  deleted(message: BookedMessage): void {
    this.tally.deletes += 1;
    message.mayBeDeleted = true;
    // A message that had moved by then is not deleted by its old handle.
    if (!this.#mayHaveMoved(message)) message.deletedAtMs ??= performance.now();
  }

  /** Acknowledged, and no client ever had a delete of it acknowledged or lost. */
  missing(): BookedMessage[] {
    return [...this.messages.values()].filter((message) => {
      if (!message.isAcknowledged) return false;
      if (message.isInDeadLetter) return !message.mayBeDeletedInDeadLetter;
      return !message.mayBeDeleted;
    });
  }

  #recognise(queueName: string, raw: ReceivedMessage): BookedMessage | undefined {
    const key = raw.Body.slice(0, raw.Body.indexOf(" "));
    const message = this.messages.get(key);
    if (message === undefined) {
      this.finding(`${queueName} handed out a message that nobody sent: ${raw.Body.slice(0, 80)}`);
      return undefined;
    }
    if (raw.MD5OfBody !== message.bodyMd5 || md5(raw.Body) !== message.bodyMd5)
      this.finding(`${key}: its body is not what was sent`);
    if (!isSame(raw.MessageAttributes, message.attributes))
      this.finding(`${key}: its attributes are not what was sent`);
    this.#identify(message, raw.MessageId);
    return message;
  }

  #identify(message: BookedMessage, messageId: string): void {
    if (message.messageId !== undefined && message.messageId !== messageId) {
      this.finding(`${message.key}: exists twice, as ${message.messageId} and as ${messageId}`);
    }
    message.messageId = messageId;
  }

  #mayHaveMoved(message: BookedMessage): boolean {
    const countMax = Math.max(0, ...message.counts.map((each) => each.count));
    const lost = (this.#lostReceives.get(message.queue.name) ?? 0) - message.lostReceivesBefore;
    return countMax + lost >= message.queue.receivesMax;
  }
}

export function md5(text: string): string {
  return createHash("md5").update(text, "utf8").digest("hex");
}

function isSame(found: Record<string, unknown> | undefined, sent: Record<string, unknown> | undefined): boolean {
  const sorted = (value: Record<string, unknown> = {}) =>
    JSON.stringify(
      Object.keys(value)
        .sort()
        .map((name) => [name, Object.entries(value[name] as object).sort()]),
    );
  return sorted(found) === sorted(sent);
}
