// The host's door: what the server, the test kit and later the function runner may ask of it. Inside, the host
// gives the pure engine its time, ids and disk, groups commits, and lets no answer out before the log has it.

import type { Clock } from "../base/clock.ts";
import type {
  AnswerOf,
  Command,
  CommandKind,
  CommandOf,
  MessageContent,
  Outcome,
  QueueKey,
} from "../engine/command.ts";
import type { TopicKey } from "../engine/index.ts";
import type { ShardStorage } from "../log/log.ts";
import type { AccessMode } from "./access.ts";
import type { FunctionRunner } from "./function-runner.ts";
import type { NotificationSettings } from "./open-envelope.ts";
import type { Outbound } from "./outbound.ts";
import type { SubscriptionReport } from "./subscription-report.ts";
import type { WorkQueue, WorkQueueOptions } from "./work-queue.ts";

export interface HostOptions {
  /** Opens (or creates) the storage of one shard. Called once for each shard at start and after a shard fault. */
  openStorage: (shard: number) => Promise<ShardStorage>;
  /** How many shards to run, 1 or more. New queues spread over them; existing ones stay where they are. */
  shardCount: number;
  clock: Clock;
  ids: IdSource;
  /** Hold callers to the 60 s that AWS asks for after DeleteQueue and PurgeQueue. */
  awsDelays: boolean;
  /** Recent message bodies kept in memory, for all shards together. */
  bodyCacheBytesMax: number;
  /** How notifications of topics look; absent: unsigned, from `http://localhost:4566`. */
  notifications?: NotificationSettings;
  /** Delivers to endpoints outside; absent: their messages wait. */
  outbound?: Outbound;
  /** How far queue policies bind services that deliver to queues; absent: `warn`. */
  accessMode?: AccessMode;
  /** Where to depart from `THRESHOLDS`: a simulation makes them small, so that everything happens in a short life. */
  thresholds?: Partial<HostThresholds>;
  /** Told about what an operator should see; never throws. */
  log: (level: "debug" | "info" | "warn" | "error", text: string, details?: Record<string, unknown>) => void;
}

/** When the host works for itself, and when it spares a full disk. */
export interface HostThresholds {
  /** A snapshot is due after this much log, or twice the size of the last one if that is more. */
  snapshotAfterBytesMin: number;
  /** A sealed segment is worth cleaning when less than this share of it is alive ... */
  cleanBelowLiveShare: number;
  /** ... and the log as a whole holds more dead bytes than live ones, and this much of them. */
  cleanAboveDeadBytes: number;
  /** Room that is kept for receives and deletes when the disk is full, so that consumers can go on. */
  roomKeptForConsumersBytes: number;
  /** Room below which nothing more can be recorded on a full disk. */
  roomBytesMin: number;
}

const KiB = 1024;
const MiB = 1024 * KiB;

export const THRESHOLDS: HostThresholds = {
  snapshotAfterBytesMin: 64 * MiB,
  cleanBelowLiveShare: 0.5,
  cleanAboveDeadBytes: 128 * MiB,
  roomKeptForConsumersBytes: MiB,
  roomBytesMin: 64 * KiB,
};

/** Chance as a port: the same seed gives the same ids in tests. */
export interface IdSource {
  /** A random UUID (version 4 form). */
  uuid(): string;
}

export type MessageState = "visible" | "delayed" | "inFlight";

/** One stored message as an operator sees it; looking consumes nothing and counts nothing. */
export interface InspectedMessage {
  messageId: string;
  state: MessageState;
  /** When a delayed or in-flight message becomes visible. */
  visibleAtMs?: number;
  content: MessageContent;
  senderId: string;
  sentAtMs: number;
  firstReceivedAtMs?: number;
  receiveCount: number;
  groupId?: string;
  deduplicationId?: string;
  sequenceNumber?: string;
  deadLetterSourceArn?: string;
}

/** How busy a queue is. The counters are since its shard was read: compare readings of one epoch only. */
export interface QueueLoad {
  atMs: number;
  visibleCount: number;
  inFlightCount: number;
  delayedCount: number;
  /** Of the oldest message in any state; 0 when there is none. */
  oldestAgeMs: number;
  /** FIFO only: message groups that have messages. */
  groupCount?: number;
  /** Grows with every restart and recovery of the shard. */
  epoch: number;
  arrivedCount: number;
  receivedCount: number;
  deletedCount: number;
  /** Milliseconds between receive and delete, summed over what was deleted while in flight. */
  heldMs: number;
}

export interface ShardStatus {
  shard: number;
  /** `recovering` after a disk fault: its queues answer ServiceUnavailable until the log has been read again. */
  state: "serving" | "recovering" | "stopped";
  epoch: number;
  /** Last durable entry and the entry that the newest snapshot covers. */
  tailSeq: number;
  snapshotSeq: number;
  messageCount: number;
  logBytes: number;
  /** Long polls that wait for a message. */
  waitingReceives: number;
  /** Why sends are refused at the moment, in words; absent when they are not. */
  refusingSends?: string;
}

export interface HostStatus {
  shards: ShardStatus[];
  queueCount: number;
  messageCount: number;
}

export interface ExecuteOptions {
  /** The caller went away: a waiting receive is cancelled and nothing is counted. */
  signal?: AbortSignal;
}

export interface Host {
  /**
   * Resolves when the answer may leave: everything it depends on is durable. Refusals are values; rejects only with
   * a Fault (the disk failed, the host stopped), which a server answers as a retryable 503.
   */
  execute<Kind extends CommandKind>(command: CommandOf<Kind>, options?: ExecuteOptions): Promise<Outcome<Kind>>;
  /** Messages of a queue in every state, oldest first, at most `limit`; undefined when there is no such queue. */
  inspect(queue: QueueKey, limit?: number): Promise<InspectedMessage[] | undefined>;
  /** How busy the queue is; undefined when there is no such queue. Answers from memory, durable or not yet. */
  load(queue: QueueKey): QueueLoad | undefined;
  /** Every queue of every account and region, in lexical order. */
  queues(): QueueKey[];
  /** A topic's subscriptions and what became of their deliveries; undefined when there is no such topic. */
  subscriptions(topic: TopicKey): SubscriptionReport[] | undefined;
  /** Deletes every queue and message of every account: for tests. */
  reset(): Promise<void>;
  /** Resolves when nothing is left to do now: appends durable, transfers delivered, due timers run. */
  settle(): Promise<void>;
  status(): HostStatus;
  /** What waits for subscribers that are not queues is delivered from now on: their messages say where this server is. */
  startDeliveries(): void;
  /** Has functions run from now on: tells `runner` of all that there are, and of every change. Once. */
  runFunctions(runner: FunctionRunner): void;
  /** An event source mapping is worked off as its record says: its transitional state is over. */
  mappingFollowed(arn: string): void;
  /** One at a time of each name. What is in it from earlier is attempted at once. */
  workQueue(options: WorkQueueOptions): WorkQueue;
  /** Whether there is a queue of that name from earlier. */
  hasWork(name: string): boolean;
  /** Answers waiting long polls with nothing, makes everything durable, closes the storage. */
  stop(): Promise<void>;
}

export type { AnswerOf, Command, Outcome };
