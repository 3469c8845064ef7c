// What the engine records, in past tense. Facts alone change state (apply.ts), on the live path and at recovery
// alike, so a fact carries everything that applying it needs. Their bytes are fact-codec.ts's.

import type { QueueRecord } from "./catalog/queue-record.ts";
import type { ResourceEntry, ResourceType } from "./catalog/resources.ts";
import type { MoveTaskStatus, QueueKey } from "./command.ts";
import type { MoveTask } from "./queue/move-task.ts";
import type { PartitionConfig } from "./queue/partition.ts";

/** Where a transfer goes: a partition and the shard that owns it. */
export interface TransferTarget {
  shard: number;
  partition: number;
}

/** `forward`: a new message for another queue, such as a published copy or a delivery that was given up. */
export type TransferPurpose = "deadLetter" | "redrive" | "forward";

export type Fact =
  /** The owner's clock moved on: delays, visibility timeouts and retention up to `nowMs` take effect. */
  | { kind: "TimeAdvanced"; nowMs: number }
  /** The same, but at most so many changes: what is left waits for the next step. */
  | { kind: "TimeStepped"; nowMs: number; changesMax: number }
  | { kind: "PartitionConfigured"; partition: number; config: PartitionConfig }
  | { kind: "PartitionClosed"; partition: number }
  | {
      kind: "MessageSent";
      partition: number;
      slot: number;
      seq: number;
      readyAtMs: number;
      groupId: string | undefined;
      /** FIFO: what a repeat within the window is recognised by. */
      deduplicationKey: string | undefined;
      envelope: Uint8Array;
    }
  /** `visibleAtMs` at or before the present: handed out and still visible (visibility timeout 0). */
  | { kind: "MessageReceived"; slot: number; seq: number; visibleAtMs: number }
  /** A FIFO receive with an attempt id handed out these slots. */
  | { kind: "ReceiveAttempted"; partition: number; attemptId: string; visibleAtMs: number; slots: number[] }
  /** The same attempt again: the same messages, their visibility timeout begun anew. */
  | { kind: "ReceiveRepeated"; partition: number; attemptId: string; visibleAtMs: number }
  | { kind: "VisibilityChanged"; slot: number; seq: number; visibleAtMs: number }
  | { kind: "MessageDeleted"; slot: number; seq: number }
  | { kind: "QueuePurged"; partition: number }
  /** The message left its queue for another; it stays in the outbox until the target has it. */
  | {
      kind: "TransferStarted";
      slot: number;
      seq: number;
      transferId: number;
      target: TransferTarget;
      purpose: TransferPurpose;
      taskId: string | undefined;
    }
  | {
      kind: "TransferAccepted";
      sourceShard: number;
      transferId: number;
      partition: number;
      slot: number;
      seq: number;
      retainFromMs: number;
      readyAtMs: number;
      firstReceivedAtMs: number;
      receiveCount: number;
      /** ARN of the queue that dead-lettered it; empty when none did. */
      originArn: string;
      groupId: string | undefined;
      deduplicationKey: string | undefined;
      envelope: Uint8Array;
    }
  /** The target had the message already (its deduplication id): the transfer has ended all the same. */
  | { kind: "TransferDropped"; sourceShard: number; transferId: number }
  | { kind: "TransferDone"; transferId: number }
  /** The target was gone: the message is back in its queue. */
  | { kind: "TransferReturned"; transferId: number }
  | { kind: "MoveTaskStarted"; partition: number; task: MoveTask }
  | { kind: "MoveTaskStepped"; partition: number; taskId: string; nextStepAtMs: number }
  | {
      kind: "MoveTaskEnded";
      partition: number;
      taskId: string;
      status: MoveTaskStatus;
      failureReason?: string;
    }
  /** A topic took a message; what it was follows as ContentRecorded, when anybody gets it. */
  | {
      kind: "MessagePublished";
      partition: number;
      seq: number;
      messageId: string;
      deduplicationKey: string | undefined;
    }
  /** Bytes that envelopes after it in the same entry refer to (copy-envelope.ts). Changes nothing by itself. */
  | { kind: "ContentRecorded"; content: Uint8Array }
  /** The cleaner wrote a live message's envelope again, so that its old segment can go. */
  | { kind: "BodyMoved"; slot: number; seq: number; envelope: Uint8Array }
  | { kind: "QueueRecorded"; record: QueueRecord }
  | { kind: "QueueForgotten"; queue: QueueKey }
  | { kind: "ResourceRecorded"; entry: ResourceEntry }
  | { kind: "ResourceForgotten"; type: ResourceType; key: string }
  | { kind: "ShardReset" };

export type FactKind = Fact["kind"];
export type FactOf<Kind extends FactKind> = Extract<Fact, { kind: Kind }>;

/** Facts that follow from the clock alone: a replay that lacks the last of them finds the same due again. */
export function isOfTime(fact: Fact): fact is FactOf<"TimeAdvanced" | "TimeStepped"> {
  return fact.kind === "TimeAdvanced" || fact.kind === "TimeStepped";
}

/** Where an envelope stands in the log. */
export interface BodyRef {
  entrySeq: number;
  /** Byte in the entry's payload. */
  offset: number;
  bytes: number;
}
