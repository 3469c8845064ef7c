// Messages on their way from one queue to another: dead-letter moves and redrives. The source's shard keeps the
// message in its outbox until the target's shard has it; the target remembers, per source shard, up to which
// transfer it has taken messages in, so that a repeat after a crash changes nothing. A source sends its transfers
// in order and settles each before the next one to the same target counts.

import { accept, type Result, refuse } from "../../base/result.ts";
import type { FactOf } from "../fact.ts";
import { queueArn } from "../queue-arn.ts";
import { queueDoesNotExist, type Refusal } from "../refusal.ts";
import type { IncomingTransfer, Recorder, ShardCommandOf, ShardState } from "../state.ts";
import { deduplicationKey, findDuplicate } from "./deduplication.ts";
import { NONE, TRANSFERRING } from "./message-table.ts";
import { applyTaskSettled } from "./move-task.ts";
import { admit } from "./send.ts";

/**
 * Takes messages in, in order. Stops at the first one whose queue is gone: the answer says up to which transfer all
 * have been taken, and the source settles that one before it sends the rest again.
 */
export function decideAcceptTransfers(
  state: ShardState,
  command: ShardCommandOf<"acceptTransfers">,
  record: Recorder,
): Result<{ acceptedUpTo: number }, Refusal> {
  for (const transfer of command.transfers) {
    if (transfer.transferId <= (state.acceptedUpTo.get(command.sourceShard) ?? 0)) continue;
    if (!state.partitions.has(transfer.partition)) break;
    if (isRepeat(state, transfer)) {
      record({ kind: "TransferDropped", sourceShard: command.sourceShard, transferId: transfer.transferId });
    } else take(state, command.sourceShard, transfer, record);
  }
  return accept({ acceptedUpTo: state.acceptedUpTo.get(command.sourceShard) ?? 0 });
}

/** A published copy whose deduplication id the FIFO queue has seen within the window, from whomever. */
function isRepeat(state: ShardState, transfer: IncomingTransfer): boolean {
  const partition = state.partition(transfer.partition);
  if (transfer.purpose !== "forward" || !partition.config.fifo || transfer.groupId === undefined) return false;
  const key = deduplicationKey(partition, transfer.groupId, transfer.deduplicationId);
  return findDuplicate(partition, key, state.nowMs) !== undefined;
}

function take(state: ShardState, sourceShard: number, transfer: IncomingTransfer, record: Recorder): void {
  const partition = state.partition(transfer.partition);
  const { fifo, delayMs } = partition.config;
  // A redriven message is a new one, and so is a forwarded one.
  const isNew = transfer.purpose !== "deadLetter";
  const keepsClock = !isNew && !fifo;
  record({
    kind: "TransferAccepted",
    sourceShard,
    transferId: transfer.transferId,
    partition: partition.id,
    slot: state.table.nextFree(),
    seq: state.nextSeq,
    // Standard: the original enqueue time goes on counting; FIFO and redriven: the clock starts anew (sqs.md §7.1).
    retainFromMs: keepsClock ? transfer.sentAtMs : state.nowMs,
    readyAtMs: isNew && delayMs > 0 ? state.nowMs + delayMs : 0,
    firstReceivedAtMs: isNew ? 0 : transfer.firstReceivedAtMs,
    receiveCount: isNew ? 0 : transfer.receiveCount,
    originArn: isNew ? "" : transfer.originArn,
    groupId: transfer.groupId,
    deduplicationKey:
      fifo && transfer.groupId !== undefined
        ? deduplicationKey(partition, transfer.groupId, transfer.deduplicationId)
        : undefined,
    envelope: transfer.envelope,
  });
}

/** Held messages leave for another queue as new ones, or are dropped when there is none. */
export function decideForward(
  state: ShardState,
  command: ShardCommandOf<"forwardMessages">,
  record: Recorder,
): Result<null, Refusal> {
  for (const { slot, seq, partition } of command.receipts) {
    const isHere = partition === command.partition && state.table.holds(slot, seq);
    if (!isHere || state.table.status.get(slot) === TRANSFERRING) continue;
    if (command.target === undefined) record({ kind: "MessageDeleted", slot, seq });
    else {
      record({
        kind: "TransferStarted",
        slot,
        seq,
        transferId: state.nextTransferId,
        target: command.target,
        purpose: "forward",
        taskId: undefined,
      });
    }
  }
  return accept(null);
}

export function decideSettleTransfer(
  state: ShardState,
  command: ShardCommandOf<"settleTransfer">,
  record: Recorder,
): Result<null, Refusal> {
  const { transferId, accepted, failureReason } = command;
  const entry = state.outbox.get(transferId);
  if (entry === undefined) return refuse(queueDoesNotExist());
  // A forwarded message has no queue to come back to: it goes where messages of a deleted queue go.
  const isOver = accepted || entry.purpose === "forward";
  record(isOver ? { kind: "TransferDone", transferId } : { kind: "TransferReturned", transferId });
  if (!accepted && entry.taskId !== undefined && state.runningTasks.has(entry.taskId)) {
    record({
      kind: "MoveTaskEnded",
      partition: entry.source,
      taskId: entry.taskId,
      status: "FAILED",
      ...(failureReason === undefined ? {} : { failureReason }),
    });
  }
  return accept(null);
}

export function applyTransferStarted(state: ShardState, fact: FactOf<"TransferStarted">): void {
  const { table } = state;
  const { slot, transferId, target, purpose, taskId } = fact;
  const partition = state.partition(table.partition.get(slot));
  partition.withdraw(slot);
  table.status.set(slot, TRANSFERRING);
  state.nextTransferId = transferId + 1;
  const sourceArn = queueArn(partition.config.queue);
  const groupId = table.group.get(slot) === NONE ? undefined : partition.groupOf(slot).id;
  state.outbox.set(transferId, { transferId, slot, target, purpose, taskId, source: partition.id, sourceArn, groupId });
  const task = taskId === undefined ? undefined : state.runningTasks.get(taskId)?.task;
  if (task !== undefined) task.underWayCount += 1;
  if (partition.config.fifo && partition.readyCount > 0) state.readied.add(partition.id);
  state.rewake(partition);
}

export function applyTransferAccepted(state: ShardState, fact: FactOf<"TransferAccepted">): void {
  const { table } = state;
  const { slot } = fact;
  state.acceptedUpTo.set(fact.sourceShard, fact.transferId);
  admit(state, state.partition(fact.partition), fact, fact.retainFromMs);
  table.firstReceivedAtMs.set(slot, fact.firstReceivedAtMs);
  table.receiveCount.set(slot, fact.receiveCount);
  table.origin.set(slot, state.originIndex(fact.originArn));
}

export function applyTransferDone(state: ShardState, fact: FactOf<"TransferDone">): void {
  const entry = state.outbox.get(fact.transferId);
  if (entry === undefined) return;
  state.outbox.delete(fact.transferId);
  const partition = state.partitions.get(entry.source);
  partition?.leaveGroup(entry.slot);
  state.table.free(entry.slot);
  if (entry.taskId !== undefined) applyTaskSettled(partition, entry.taskId, true);
}

export function applyTransferReturned(state: ShardState, fact: FactOf<"TransferReturned">): void {
  const entry = state.outbox.get(fact.transferId);
  if (entry === undefined) return;
  state.outbox.delete(fact.transferId);
  const partition = state.partitions.get(entry.source);
  if (partition === undefined) {
    state.table.free(entry.slot);
    return;
  }
  partition.readmit(entry.slot);
  if (entry.taskId !== undefined) applyTaskSettled(partition, entry.taskId, false);
  state.readied.add(partition.id);
  state.rewake(partition);
}
