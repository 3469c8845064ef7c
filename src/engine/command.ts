// What a caller may ask of the server, and what it gets back, as plain serialisable values. The wire makes
// commands and reads answers; the host stamps time and ids, finds the shard and lets the engine decide.
// Checks that need no state are done before a command exists; checks that need state are the engine's.

import type { Result } from "../base/result.ts";
import type { FunctionAnswers, FunctionCommand } from "./function/function-command.ts";
import type { Refusal } from "./refusal.ts";
import type { TopicAnswers, TopicCommand } from "./topic/topic-command.ts";
import type { TopicKey } from "./topic/topic-record.ts";

/** Queues of different accounts and regions never meet. `account` is 12 digits. */
export interface Scope {
  account: string;
  region: string;
}

export interface QueueKey extends Scope {
  name: string;
}

/** One message attribute as it came: numbers travel as strings, binary as bytes. */
export interface MessageAttribute {
  name: string;
  /** With its suffix, as sent: `Number.int`, `String`, `Binary.png`. */
  dataType: string;
  /** Text for String and Number, bytes for Binary. */
  value: string | Uint8Array;
}

/** What a producer hands over; the engine never looks inside `body`. */
export interface MessageContent {
  /** UTF-8. */
  body: Uint8Array;
  /** Raw 16 bytes: computed once at the wire, needed again at every receive. */
  bodyMd5: Uint8Array;
  /** In the order sent. */
  attributes: MessageAttribute[];
  /** The AWSTraceHeader system attribute. */
  traceHeader?: string;
}

export interface SendEntry {
  content: MessageContent;
  /** Body and message attributes, as SQS counts a message's size (developer guide, "message quotas"). */
  sizeBytes: number;
  /** Absent: the queue's own delay. */
  delayMs?: number;
  groupId?: string;
  deduplicationId?: string;
  /**
   * SHA-256 hex of the body, given when there is a group id and no explicit deduplication id: the engine uses it
   * when the queue deduplicates by content.
   */
  contentDeduplicationId?: string;
}

export interface SentMessage {
  messageId: string;
  /** 20 digits; FIFO queues only. */
  sequenceNumber?: string;
}

/** One message to a topic. The wire has checked what needs no state. */
export interface PublishEntry {
  /** What each protocol gets: `default`, and others only with MessageStructure=json. */
  messages: { default: string } & Record<string, string>;
  subject?: string;
  /** In the order sent. */
  attributes: MessageAttribute[];
  groupId?: string;
  deduplicationId?: string;
  /** SHA-256 hex of the message as sent, given when there is a group id and no explicit deduplication id. */
  contentDeduplicationId?: string;
  /** The X-Ray header of the call. */
  traceHeader?: string;
}

export interface PublishedMessage {
  messageId: string;
  /** 20 digits; FIFO topics only. */
  sequenceNumber?: string;
}

export interface ReceivedMessage {
  messageId: string;
  receiptHandle: string;
  content: MessageContent;
  senderId: string;
  sentAtMs: number;
  firstReceivedAtMs: number;
  receiveCount: number;
  groupId?: string;
  deduplicationId?: string;
  sequenceNumber?: string;
  /** ARN; only after an automatic move to a dead-letter queue. */
  deadLetterSourceArn?: string;
}

export type MoveTaskStatus = "RUNNING" | "COMPLETED" | "CANCELLING" | "CANCELLED" | "FAILED";

export interface MoveTaskSummary {
  taskId: string;
  status: MoveTaskStatus;
  sourceArn: string;
  destinationArn?: string;
  messagesPerSecondMax?: number;
  movedCount: number;
  toMoveCount: number;
  startedAtMs: number;
  failureReason?: string;
}

/** One queue as `getQueueAttributes` sees it: every attribute that is set, spelled as AWS spells it. */
export type QueueAttributes = Record<string, string>;

export type Command =
  | { kind: "createQueue"; queue: QueueKey; attributes: QueueAttributes; tags: Record<string, string> }
  | { kind: "deleteQueue"; queue: QueueKey }
  | { kind: "getQueue"; queue: QueueKey }
  | { kind: "listQueues"; scope: Scope; prefix?: string; resultsMax?: number; nextToken?: string }
  | { kind: "getQueueAttributes"; queue: QueueKey }
  | { kind: "setQueueAttributes"; queue: QueueKey; attributes: QueueAttributes }
  | { kind: "listDeadLetterSourceQueues"; queue: QueueKey; resultsMax?: number; nextToken?: string }
  | { kind: "purgeQueue"; queue: QueueKey }
  | { kind: "tagQueue"; queue: QueueKey; tags: Record<string, string> }
  | { kind: "untagQueue"; queue: QueueKey; tagKeys: string[] }
  | { kind: "listQueueTags"; queue: QueueKey }
  | { kind: "addPermission"; queue: QueueKey; label: string; accountIds: string[]; actions: string[] }
  | { kind: "removePermission"; queue: QueueKey; label: string }
  | { kind: "sendMessages"; queue: QueueKey; senderId: string; batch: boolean; entries: SendEntry[] }
  | {
      kind: "receiveMessages";
      queue: QueueKey;
      messagesMax: number;
      /** Absent: the queue's own. */
      visibilityTimeoutMs?: number;
      /** Absent: the queue's own. 0 is a short poll. */
      waitMs?: number;
      attemptId?: string;
    }
  | { kind: "deleteMessages"; queue: QueueKey; receiptHandles: string[] }
  | { kind: "changeVisibility"; queue: QueueKey; entries: { receiptHandle: string; visibilityTimeoutMs: number }[] }
  | {
      kind: "startMoveTask";
      scope: Scope;
      sourceArn: string;
      destinationArn?: string;
      messagesPerSecondMax?: number;
    }
  | { kind: "listMoveTasks"; scope: Scope; sourceArn: string; resultsMax: number }
  /** An entry that a FIFO topic's rules refuse refuses the whole request (fanout.md A6). */
  | { kind: "publish"; topic: TopicKey; entries: PublishEntry[] }
  | { kind: "cancelMoveTask"; scope: Scope; sourceArn: string; taskId: string }
  | TopicCommand
  | FunctionCommand;

export type { DescribedFunction, GivenMapping, GivenSettings, InvokeAnswer } from "./function/function-command.ts";
export type {
  EventInvokeConfig,
  FunctionAlias,
  FunctionKey,
  FunctionRecord,
  FunctionVersion,
} from "./function/function-record.ts";
export type { MappingRecord } from "./function/mapping-record.ts";
export type { SubscriptionKey, SubscriptionProtocol } from "./topic/subscription-record.ts";
export type { SubscriptionSummary } from "./topic/topic-command.ts";
export type { TopicKey } from "./topic/topic-record.ts";

export type CommandKind = Command["kind"];
export type CommandOf<Kind extends CommandKind> = Extract<Command, { kind: Kind }>;

/** An entry of a batch succeeds or is refused alone, in request order. */
export type EntryResult<Value> = Result<Value, Refusal>;

export interface Answers extends TopicAnswers, FunctionAnswers {
  createQueue: { queue: QueueKey };
  deleteQueue: null;
  getQueue: { queue: QueueKey };
  listQueues: { queues: QueueKey[]; nextToken?: string };
  getQueueAttributes: { attributes: QueueAttributes };
  setQueueAttributes: null;
  listDeadLetterSourceQueues: { queues: QueueKey[]; nextToken?: string };
  purgeQueue: null;
  tagQueue: null;
  untagQueue: null;
  listQueueTags: { tags: Record<string, string> };
  addPermission: null;
  removePermission: null;
  sendMessages: { entries: EntryResult<SentMessage>[] };
  receiveMessages: { messages: ReceivedMessage[] };
  deleteMessages: { entries: EntryResult<null>[] };
  changeVisibility: { entries: EntryResult<null>[] };
  startMoveTask: { taskId: string; sourceArn: string };
  listMoveTasks: { tasks: MoveTaskSummary[] };
  publish: { entries: EntryResult<PublishedMessage>[] };
  cancelMoveTask: { movedCount: number };
}

export type AnswerOf<Kind extends CommandKind> = Answers[Kind];
/** What `host.execute` resolves to. A refusal is of the whole request; refused batch entries are inside the answer. */
export type Outcome<Kind extends CommandKind = CommandKind> = Result<AnswerOf<Kind>, Refusal>;
