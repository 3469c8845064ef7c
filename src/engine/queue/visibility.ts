// DeleteMessage and ChangeMessageVisibility by receipt handle. On a standard queue any handle that the message was
// ever received with acts on it; on FIFO only the latest, and only while its visibility timeout lasts (sqs.md §5.4).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { EntryResult } from "../command.ts";
import type { FactOf } from "../fact.ts";
import { VISIBILITY_MS_MAX } from "../limits.ts";
import { invalidValue, type Refusal, receiptHandleInvalid, receiptHandleOfAnotherQueue } from "../refusal.ts";
import type { Receipt, Recorder, ShardCommandOf, ShardState } from "../state.ts";
import { DELAYED, IN_FLIGHT, READY, TRANSFERRING } from "./message-table.ts";
import type { Partition } from "./partition.ts";

export function decideDelete(
  state: ShardState,
  command: ShardCommandOf<"deleteMessages">,
  record: Recorder,
): Result<{ entries: EntryResult<null>[] }, Refusal> {
  const partition = state.partition(command.partition);
  const entries = command.receipts.map((receipt): EntryResult<null> => {
    if (typeof receipt === "string") return refuse(receiptHandleInvalid(receipt));
    const problem = refuseReceipt(state, partition, receipt);
    if (problem !== undefined) return refuse(problem);
    // Deleting what is gone succeeds: a retried delete must not fail.
    if (isPresent(state, receipt)) record({ kind: "MessageDeleted", slot: receipt.slot, seq: receipt.seq });
    return accept(null);
  });
  return accept({ entries });
}

export function decideChangeVisibility(
  state: ShardState,
  command: ShardCommandOf<"changeVisibility">,
  record: Recorder,
): Result<{ entries: EntryResult<null>[] }, Refusal> {
  const partition = state.partition(command.partition);
  const entries = command.entries.map(({ receipt, visibilityTimeoutMs }): EntryResult<null> => {
    if (typeof receipt === "string") return refuse(receiptHandleInvalid(receipt));
    const problem = refuseReceipt(state, partition, receipt) ?? refuseVisibility(state, receipt, visibilityTimeoutMs);
    if (problem !== undefined) return refuse(problem);
    record({
      kind: "VisibilityChanged",
      slot: receipt.slot,
      seq: receipt.seq,
      visibleAtMs: state.nowMs + visibilityTimeoutMs,
    });
    return accept(null);
  });
  return accept({ entries });
}

function isPresent(state: ShardState, receipt: Receipt): boolean {
  return state.table.holds(receipt.slot, receipt.seq) && state.table.status.get(receipt.slot) !== TRANSFERRING;
}

function refuseReceipt(state: ShardState, partition: Partition, receipt: Receipt): Refusal | undefined {
  if (receipt.partition !== partition.id) return receiptHandleOfAnotherQueue(receipt.text);
  if (!partition.config.fifo || !isPresent(state, receipt)) return undefined;
  const { status, receiveSeq } = state.table;
  const isHeld = status.get(receipt.slot) === IN_FLIGHT && receiveSeq.get(receipt.slot) === receipt.receiveSeq;
  return isHeld ? undefined : invalidValue(receipt.text, "ReceiptHandle", "The receipt handle has expired.");
}

function refuseVisibility(state: ShardState, receipt: Receipt, visibilityTimeoutMs: number): Refusal | undefined {
  const { table, nowMs } = state;
  if (!isPresent(state, receipt) || table.status.get(receipt.slot) === DELAYED) {
    return invalidValue(
      receipt.text,
      "ReceiptHandle",
      "Message does not exist or is not available for visibility timeout change.",
    );
  }
  const heldMs = table.status.get(receipt.slot) === IN_FLIGHT ? nowMs - table.receivedAtMs.get(receipt.slot) : 0;
  if (heldMs + visibilityTimeoutMs <= VISIBILITY_MS_MAX) return undefined;
  return invalidValue(
    visibilityTimeoutMs / 1000,
    "VisibilityTimeout",
    "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]",
  );
}

export function applyVisibilityChanged(state: ShardState, fact: FactOf<"VisibilityChanged">): void {
  const { table, nowMs } = state;
  const { slot } = fact;
  const partition = state.partition(table.partition.get(slot));
  if (fact.visibleAtMs > nowMs) {
    // A hold that starts anew on a visible message is a new 12 hours.
    if (table.status.get(slot) === READY) table.receivedAtMs.set(slot, nowMs);
    partition.hold(slot, fact.visibleAtMs, nowMs);
  } else if (table.status.get(slot) === IN_FLIGHT) {
    partition.release(slot);
    state.readied.add(partition.id);
  }
  state.rewake(partition);
}

export function applyDeleted(state: ShardState, fact: FactOf<"MessageDeleted">): void {
  const { table, nowMs } = state;
  const { slot } = fact;
  const { traffic } = state.partition(table.partition.get(slot));
  traffic.deletedCount += 1;
  if (table.status.get(slot) === IN_FLIGHT) traffic.heldMs += nowMs - table.receivedAtMs.get(slot);
  remove(state, slot);
}

/** The message and its row go. */
export function remove(state: ShardState, slot: number): void {
  const { table } = state;
  const partition = state.partition(table.partition.get(slot));
  partition.withdraw(slot);
  partition.leaveGroup(slot);
  table.free(slot);
  // Deleting what locked a group may have made the next message of it available.
  if (partition.config.fifo && partition.readyCount > 0) state.readied.add(partition.id);
  state.rewake(partition);
}
