// The state of one shard: an index over its log, rebuilt from facts alone. Also the commands that a shard takes
// from the host, which has already found the partition, stamped the time and brought fresh ids.

import { assert } from "../base/assert.ts";
import { IndexedHeap } from "../base/indexed-heap.ts";
import type { CatalogState } from "./catalog/catalog.ts";
import { newCatalog } from "./catalog/catalog.ts";
import type { SendEntry } from "./command.ts";
import type { Fact, TransferPurpose, TransferTarget } from "./fact.ts";
import { MessageTable } from "./queue/message-table.ts";
import type { MoveTask } from "./queue/move-task.ts";
import type { Partition, PartitionConfig } from "./queue/partition.ts";
import type { CopyRequest } from "./topic/fan-out.ts";
import type { Publication } from "./topic/publication.ts";

export type { TransferTarget } from "./fact.ts";

/** Writes a fact into the batch and applies it at once: decisions read the state, only facts change it. */
export type Recorder = (fact: Fact) => void;

export interface OutboxEntry {
  transferId: number;
  slot: number;
  target: TransferTarget;
  purpose: TransferPurpose;
  taskId: string | undefined;
  /** The partition that the message left. */
  source: number;
  /** What the target must know of the queue that it left, which may be deleted meanwhile. */
  sourceArn: string;
  groupId: string | undefined;
}

/** A receipt handle, decoded by the host. */
export interface Receipt {
  partition: number;
  slot: number;
  seq: number;
  receiveSeq: number;
  /** As the client sent it, for error texts. */
  text: string;
}

/** A message on its way from another partition; what the source's row and envelope said. */
export interface IncomingTransfer {
  transferId: number;
  partition: number;
  purpose: TransferPurpose;
  envelope: Uint8Array;
  sentAtMs: number;
  firstReceivedAtMs: number;
  receiveCount: number;
  originArn: string;
  groupId: string | undefined;
  /**
   * What FIFO targets remember: the message's id, so that unrelated messages cannot collide; of a published copy the
   * deduplication id that it was published with.
   */
  deduplicationId: string;
}

export type ShardCommand =
  | { kind: "configurePartition"; partition: number; config: PartitionConfig }
  | { kind: "closePartition"; partition: number }
  | {
      kind: "sendMessages";
      partition: number;
      senderId: string;
      batch: boolean;
      entries: SendEntry[];
      /** A fresh UUID for each entry. */
      messageIds: string[];
    }
  | {
      kind: "receiveMessages";
      partition: number;
      messagesMax: number;
      visibilityTimeoutMs: number | undefined;
      attemptId: string | undefined;
      /** The caller will wait: too much in flight is then no error, just nothing. */
      waits: boolean;
      /** Absent: no dead-letter queue, or it is gone, and spent messages are handed out. */
      deadLetterTarget: TransferTarget | undefined;
    }
  | { kind: "deleteMessages"; partition: number; receipts: (Receipt | string)[] }
  | {
      kind: "changeVisibility";
      partition: number;
      entries: { receipt: Receipt | string; visibilityTimeoutMs: number }[];
    }
  | { kind: "purgeQueue"; partition: number }
  | { kind: "acceptTransfers"; sourceShard: number; transfers: IncomingTransfer[] }
  | { kind: "settleTransfer"; transferId: number; accepted: boolean; failureReason: string | undefined }
  | {
      kind: "startMoveTask";
      partition: number;
      taskId: string;
      sourceArn: string;
      destinationArn: string | undefined;
      messagesPerSecondMax: number | undefined;
    }
  | {
      kind: "stepMoveTask";
      partition: number;
      taskId: string;
      /** undefined: back to each message's origin; null: the chosen destination is gone. */
      destination: TransferTarget | null | undefined;
      /** Where each origin's ARN leads. */
      origins: Record<string, TransferTarget>;
    }
  | { kind: "cancelMoveTask"; partition: number; taskId: string }
  | {
      kind: "publish";
      /** The topic's own. */
      partition: number;
      fifo: boolean;
      publication: Omit<Publication, "publishedAtMs" | "sequenceNumber">;
      copies: CopyRequest[];
    }
  | { kind: "republish"; partition: number; publication: Uint8Array; copies: CopyRequest[] }
  /** In-flight messages leave for another queue as new messages; undefined: they are dropped. */
  | { kind: "forwardMessages"; partition: number; receipts: Receipt[]; target: TransferTarget | undefined }
  /** Live rows of one entry whose envelopes, and the content that they refer to, are written again. */
  | {
      kind: "moveBodies";
      content: Uint8Array | undefined;
      rows: { slot: number; seq: number; envelope: Uint8Array }[];
    };

export type ShardCommandKind = ShardCommand["kind"];
export type ShardCommandOf<Kind extends ShardCommandKind> = Extract<ShardCommand, { kind: Kind }>;

/** What must be the same for every owner of the shard, now and later. */
export interface EngineSettings {
  shard: number;
  awsDelays: boolean;
}

export class ShardState {
  readonly settings: EngineSettings;
  /** Never runs backwards, whatever the owner's clock does. */
  nowMs = 0;
  nextSeq = 1;
  nextTransferId = 1;
  table = new MessageTable();
  partitions = new Map<number, Partition>();
  wakes = new WakeHeap(this.partitions);
  /** Queue ARNs that dead-lettered something here; index 0 is "none". */
  origins: string[] = [""];
  originIndexes = new Map<string, number>([["", 0]]);
  /** In order of transfer id. */
  outbox = new Map<number, OutboxEntry>();
  /** Per source shard: the last transfer that was taken in. A source sends them in order, one outcome at a time. */
  acceptedUpTo = new Map<number, number>();
  runningTasks = new Map<string, { partition: Partition; task: MoveTask }>();
  /** Shard 0 keeps the catalog of all queues. */
  catalog: CatalogState = newCatalog();
  /** Partitions that got something to hand out since the host last looked: a hint for waiting receives. */
  readied = new Set<number>();

  constructor(settings: EngineSettings) {
    this.settings = settings;
  }

  partition(id: number): Partition {
    const partition = this.partitions.get(id);
    assert(partition !== undefined, () => `partition ${id} is not on shard ${this.settings.shard}`);
    return partition;
  }

  originIndex(arn: string): number {
    let index = this.originIndexes.get(arn);
    if (index === undefined) {
      index = this.origins.push(arn) - 1;
      assert(index < 65_536, "a shard knows at most 65,535 dead-letter sources");
      this.originIndexes.set(arn, index);
    }
    return index;
  }

  /** Recomputes when the partition next changes by time alone; call after every change of it. */
  rewake(partition: Partition): void {
    const { table } = this;
    const timer = partition.timers.top;
    const oldest = partition.ages.top;
    const timerAtMs = timer < 0 ? Number.POSITIVE_INFINITY : table.deadlineMs.get(timer);
    const expiryAtMs =
      oldest < 0 ? Number.POSITIVE_INFINITY : table.retainFromMs.get(oldest) + partition.config.retentionMs;
    const wakeAtMs = Math.min(timerAtMs, expiryAtMs);
    if (wakeAtMs === partition.wakeAtMs) return;
    partition.wakeAtMs = wakeAtMs;
    const isIn = partition.wakeIndex >= 0;
    if (wakeAtMs === Number.POSITIVE_INFINITY) {
      if (isIn) this.wakes.remove(partition.id);
    } else if (isIn) this.wakes.update(partition.id);
    else this.wakes.push(partition.id);
  }
}

/** Partitions by when they next change by time alone. */
export class WakeHeap extends IndexedHeap {
  readonly #partitions: Map<number, Partition>;

  constructor(partitions: Map<number, Partition>) {
    super();
    this.#partitions = partitions;
  }

  protected override before(a: number, b: number): boolean {
    const left = this.#at(a).wakeAtMs;
    const right = this.#at(b).wakeAtMs;
    return left < right || (left === right && a < b);
  }

  protected override positionOf(member: number): number {
    return this.#at(member).wakeIndex;
  }

  protected override setPosition(member: number, position: number): void {
    this.#at(member).wakeIndex = position;
  }

  #at(member: number): Partition {
    return this.#partitions.get(member) as Partition;
  }
}
