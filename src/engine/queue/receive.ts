// ReceiveMessage: hands out ready messages, and moves those that were received too often to the dead-letter queue
// instead. A move happens at a receive and never before: "with maxReceiveCount 1 a message is delivered once, and the
// next receive returns nothing and moves it" (sqs.md §7.1).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { FactOf } from "../fact.ts";
import { IN_FLIGHT_MAX, RECEIVE_ATTEMPT_WINDOW_MS } from "../limits.ts";
import { type Refusal, refusal } from "../refusal.ts";
import type { Recorder, ShardCommandOf, ShardState } from "../state.ts";
import { offerStandard } from "./fair-order.ts";
import { offerFifo } from "./fifo-order.ts";
import { IN_FLIGHT } from "./message-table.ts";
import type { Partition, ReceiveAttempt } from "./partition.ts";
import { isBehind } from "./time.ts";

/** Moves that one receive makes at most, in under a millisecond; `more` then asks the host to go on. */
const MOVES_MAX = 100;

/** What was handed out. The host reads the envelope and the row of each slot before the answer leaves. */
export interface Handout {
  slots: number[];
  /** Messages that nobody gets are still in the way, some were moved or expired: ask again, in a later turn. */
  more: boolean;
}

export function decideReceive(
  state: ShardState,
  command: ShardCommandOf<"receiveMessages">,
  record: Recorder,
): Result<Handout, Refusal> {
  const partition = state.partition(command.partition);
  const visibilityTimeoutMs = command.visibilityTimeoutMs ?? partition.config.visibilityTimeoutMs;
  const visibleAtMs = state.nowMs + visibilityTimeoutMs;
  const attemptId = partition.config.fifo ? command.attemptId : undefined;
  if (attemptId !== undefined) {
    const earlier = repeatable(state, partition, attemptId);
    if (earlier !== undefined) {
      record({ kind: "ReceiveRepeated", partition: partition.id, attemptId, visibleAtMs });
      return accept({ slots: earlier.slots, more: false });
    }
  }
  if (isBehind(state, partition)) return accept({ slots: [], more: true });
  if (partition.readyCount === 0) return accept({ slots: [], more: false });
  const room = IN_FLIGHT_MAX - partition.inFlightCount;
  if (room <= 0) return tooManyInFlight(partition, command.waits);

  const { slots, spent } = choose(state, partition, command, Math.min(command.messagesMax, room));
  for (const slot of spent) moveToDeadLetterQueue(state, command, slot, record);
  for (const slot of slots) {
    record({ kind: "MessageReceived", slot, seq: state.table.seq.get(slot), visibleAtMs });
  }
  if (attemptId !== undefined && slots.length > 0) {
    record({ kind: "ReceiveAttempted", partition: partition.id, attemptId, visibleAtMs, slots });
  }
  return accept({ slots, more: slots.length === 0 && spent.length > 0 });
}

/** Reads only: the ready messages to hand out, and the spent ones met on the way. */
function choose(
  state: ShardState,
  partition: Partition,
  command: ShardCommandOf<"receiveMessages">,
  slotsMax: number,
): { slots: number[]; spent: number[] } {
  const { receiveCount } = state.table;
  const slots: number[] = [];
  const spent: number[] = [];
  const receivesMax =
    command.deadLetterTarget === undefined
      ? Number.POSITIVE_INFINITY
      : (partition.config.maxReceiveCount ?? Number.POSITIVE_INFINITY);
  const take = (slot: number): boolean => {
    if (receiveCount.get(slot) < receivesMax) return slots.push(slot) < slotsMax;
    return spent.push(slot) < MOVES_MAX;
  };
  if (partition.config.fifo) offerFifo(partition, take);
  else offerStandard(partition, state.nowMs, take);
  return { slots, spent };
}

function moveToDeadLetterQueue(
  state: ShardState,
  command: ShardCommandOf<"receiveMessages">,
  slot: number,
  record: Recorder,
): void {
  const target = command.deadLetterTarget;
  if (target === undefined) return;
  record({
    kind: "TransferStarted",
    slot,
    seq: state.table.seq.get(slot),
    transferId: state.nextTransferId,
    target,
    purpose: "deadLetter",
    taskId: undefined,
  });
}

function tooManyInFlight(partition: Partition, waits: boolean): Result<Handout, Refusal> {
  if (waits || partition.config.fifo) return accept({ slots: [], more: false });
  return refuse(
    refusal(
      "OverLimit",
      `Too many messages have been received without being deleted. Delete messages, or let their visibility timeout end: at most ${IN_FLIGHT_MAX} can be in flight.`,
    ),
  );
}

/** The earlier receive with this id, if none of its messages was deleted, made visible or expired since. */
function repeatable(state: ShardState, partition: Partition, attemptId: string): ReceiveAttempt | undefined {
  const attempt = partition.attempts.get(attemptId);
  if (attempt === undefined || attempt.expiresAtMs <= state.nowMs) return undefined;
  const { table } = state;
  const untouched = attempt.slots.every(
    (slot, index) =>
      table.holds(slot, attempt.seqs[index] as number) &&
      table.status.get(slot) === IN_FLIGHT &&
      table.receiveSeq.get(slot) === attempt.receiveSeqs[index] &&
      table.deadlineMs.get(slot) === attempt.visibleAtMs,
  );
  return untouched ? attempt : undefined;
}

export function applyReceived(state: ShardState, fact: FactOf<"MessageReceived">): void {
  const { table, nowMs } = state;
  const { slot } = fact;
  const partition = state.partition(table.partition.get(slot));
  if (table.firstReceivedAtMs.get(slot) === 0) table.firstReceivedAtMs.set(slot, nowMs);
  table.receivedAtMs.set(slot, nowMs);
  table.receiveCount.set(slot, table.receiveCount.get(slot) + 1);
  table.receiveSeq.set(slot, table.receiveSeq.get(slot) + 1);
  partition.traffic.receivedCount += 1;
  if (fact.visibleAtMs > nowMs) partition.hold(slot, fact.visibleAtMs, nowMs);
  if (partition.config.fifo) partition.passTurn(slot, state.nextSeq);
  state.rewake(partition);
}

export function applyReceiveAttempted(state: ShardState, fact: FactOf<"ReceiveAttempted">): void {
  const partition = state.partition(fact.partition);
  const { table, nowMs } = state;
  const attempt: ReceiveAttempt = {
    slots: fact.slots,
    seqs: fact.slots.map((slot) => table.seq.get(slot)),
    receiveSeqs: fact.slots.map((slot) => table.receiveSeq.get(slot)),
    visibleAtMs: fact.visibleAtMs,
    expiresAtMs: nowMs + RECEIVE_ATTEMPT_WINDOW_MS,
  };
  partition.attempts.remember(fact.attemptId, attempt, nowMs);
}

export function applyReceiveRepeated(state: ShardState, fact: FactOf<"ReceiveRepeated">): void {
  const partition = state.partition(fact.partition);
  const attempt = partition.attempts.change(fact.attemptId);
  if (attempt === undefined) return;
  attempt.visibleAtMs = fact.visibleAtMs;
  for (const slot of attempt.slots) {
    state.table.receivedAtMs.set(slot, state.nowMs);
    if (fact.visibleAtMs > state.nowMs) partition.hold(slot, fact.visibleAtMs, state.nowMs);
    else {
      partition.release(slot);
      state.readied.add(partition.id);
    }
  }
  state.rewake(partition);
}
