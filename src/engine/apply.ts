// The one place where state changes: a fact is applied, on the live path and at recovery alike. Applying never
// refuses and never asks anybody; what a fact says has happened.

import { assert, unreachable } from "../base/assert.ts";
import { applyQueueForgotten, applyQueueRecorded } from "./catalog/catalog.ts";
import type { BodyRef, Fact } from "./fact.ts";
import { applyPartitionClosed, applyPartitionConfigured, applyPurged, applyShardReset } from "./queue/lifecycle.ts";
import { applyMoveTaskEnded, applyMoveTaskStarted, applyMoveTaskStepped } from "./queue/move-task.ts";
import { applyReceiveAttempted, applyReceived, applyReceiveRepeated } from "./queue/receive.ts";
import { applySent } from "./queue/send.ts";
import { applyTimeAdvanced, applyTimeStepped } from "./queue/time.ts";
import {
  applyTransferAccepted,
  applyTransferDone,
  applyTransferReturned,
  applyTransferStarted,
} from "./queue/transfer.ts";
import { applyDeleted, applyVisibilityChanged } from "./queue/visibility.ts";
import type { ShardState } from "./state.ts";
import { applyPublished } from "./topic/fan-out.ts";

/** `body` says where the fact's envelope stands in the log; given exactly for facts that have one. */
export function apply(state: ShardState, fact: Fact, body: BodyRef | undefined): void {
  switch (fact.kind) {
    case "TimeAdvanced":
      return applyTimeAdvanced(state, fact);
    case "TimeStepped":
      return applyTimeStepped(state, fact);
    case "MessageSent":
      applySent(state, fact);
      return placeBody(state, fact.slot, body);
    case "MessageReceived":
      assertSame(state, fact);
      return applyReceived(state, fact);
    case "VisibilityChanged":
      assertSame(state, fact);
      return applyVisibilityChanged(state, fact);
    case "MessageDeleted":
      assertSame(state, fact);
      return applyDeleted(state, fact);
    case "ReceiveAttempted":
      return applyReceiveAttempted(state, fact);
    case "ReceiveRepeated":
      return applyReceiveRepeated(state, fact);
    case "TransferStarted":
      assertSame(state, fact);
      return applyTransferStarted(state, fact);
    case "TransferAccepted":
      applyTransferAccepted(state, fact);
      return placeBody(state, fact.slot, body);
    case "TransferDropped":
      state.acceptedUpTo.set(fact.sourceShard, fact.transferId);
      return;
    case "MessagePublished":
      return applyPublished(state, fact);
    case "ContentRecorded":
      return;
    case "TransferDone":
      return applyTransferDone(state, fact);
    case "TransferReturned":
      return applyTransferReturned(state, fact);
    case "MoveTaskStarted":
      return applyMoveTaskStarted(state, state.partition(fact.partition), fact.task);
    case "MoveTaskStepped":
      return applyMoveTaskStepped(state, fact.taskId, fact.nextStepAtMs);
    case "MoveTaskEnded":
      return applyMoveTaskEnded(state, state.partition(fact.partition), fact.taskId, fact.status, fact.failureReason);
    case "BodyMoved":
      assertSame(state, fact);
      return placeBody(state, fact.slot, body);
    case "PartitionConfigured":
      return applyPartitionConfigured(state, fact);
    case "PartitionClosed":
      return applyPartitionClosed(state, fact);
    case "QueuePurged":
      return applyPurged(state, fact);
    case "QueueRecorded":
      return applyQueueRecorded(state.catalog, fact.record);
    case "QueueForgotten":
      return applyQueueForgotten(state.catalog, fact.queue, state.nowMs);
    case "ResourceRecorded":
      return state.catalog.resources.put(fact.entry);
    case "ResourceForgotten":
      return state.catalog.resources.remove(fact.type, fact.key);
    case "ShardReset":
      return applyShardReset(state);
    default:
      return unreachable(fact);
  }
}

function placeBody(state: ShardState, slot: number, body: BodyRef | undefined): void {
  assert(body !== undefined, "a fact with an envelope has a place in the log");
  const { table } = state;
  table.bodyEntry.set(slot, body.entrySeq);
  table.bodyOffset.set(slot, body.offset);
  table.bodyBytes.set(slot, body.bytes);
}

/** A fact about another message than the row holds means that log and state have come apart. */
function assertSame(state: ShardState, fact: { kind: string; slot: number; seq: number }): void {
  assert(
    state.table.holds(fact.slot, fact.seq),
    () => `${fact.kind} names message ${fact.seq} in slot ${fact.slot}, which holds ${state.table.seq.get(fact.slot)}`,
  );
}
