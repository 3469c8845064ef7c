// SendMessage and SendMessageBatch: what depends on the queue (its size limit, its kind, what it has seen) is
// checked here, the rest at the wire. An entry of a batch is refused alone, but a FIFO id that is missing in any
// entry refuses the whole request (sqs.md §6.1, §8).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { EntryResult, SendEntry, SentMessage } from "../command.ts";
import type { FactOf } from "../fact.ts";
import { invalidParameter, invalidValue, missingParameter, type Refusal } from "../refusal.ts";
import type { Recorder, ShardCommandOf, ShardState } from "../state.ts";
import { deduplicationKey, findDuplicate, rememberSent } from "./deduplication.ts";
import { encodeEnvelope, envelopeMessageId, envelopeSentAtMs } from "./envelope.ts";
import type { Partition } from "./partition.ts";

const WRONG_QUEUE_TYPE = "The request include parameter that is not valid for this queue type.";

export function decideSend(
  state: ShardState,
  command: ShardCommandOf<"sendMessages">,
  record: Recorder,
): Result<{ entries: EntryResult<SentMessage>[] }, Refusal> {
  const partition = state.partition(command.partition);
  if (partition.config.fifo) {
    for (const entry of command.entries) {
      const problem = missingFifoId(partition, entry, command.batch);
      if (problem !== undefined) return refuse(problem);
    }
  }
  const entries = command.entries.map((entry, index) => {
    const problem = refuseEntry(partition, entry, command.batch);
    if (problem !== undefined) return refuse(problem);
    return accept(send(state, partition, entry, command.senderId, command.messageIds[index] as string, record));
  });
  return accept({ entries });
}

function missingFifoId(partition: Partition, entry: SendEntry, batch: boolean): Refusal | undefined {
  if (entry.groupId === undefined) {
    const problem = missingParameter("MessageGroupId");
    return batch ? invalidParameter(problem.message) : problem;
  }
  if (entry.deduplicationId === undefined && !partition.config.contentBasedDeduplication) {
    return invalidParameter(
      "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
    );
  }
  return undefined;
}

function refuseEntry(partition: Partition, entry: SendEntry, batch: boolean): Refusal | undefined {
  const { fifo, messageBytesMax } = partition.config;
  if (entry.sizeBytes > messageBytesMax) {
    const verb = batch ? "cannot be validated" : "are invalid";
    return invalidParameter(
      `One or more parameters ${verb}. Reason: Message must be shorter than ${messageBytesMax} bytes.`,
    );
  }
  if (fifo && entry.delayMs !== undefined && entry.delayMs > 0) {
    return invalidValue(entry.delayMs / 1000, "DelaySeconds", WRONG_QUEUE_TYPE);
  }
  if (!fifo && entry.deduplicationId !== undefined) {
    return invalidValue(entry.deduplicationId, "MessageDeduplicationId", WRONG_QUEUE_TYPE);
  }
  return undefined;
}

function send(
  state: ShardState,
  partition: Partition,
  entry: SendEntry,
  senderId: string,
  messageId: string,
  record: Recorder,
): SentMessage {
  const { fifo, delayMs } = partition.config;
  const { content, groupId } = entry;
  const deduplicationId = fifo ? (entry.deduplicationId ?? entry.contentDeduplicationId) : undefined;
  let key: string | undefined;
  if (deduplicationId !== undefined && groupId !== undefined) {
    key = deduplicationKey(partition, groupId, deduplicationId);
    const first = findDuplicate(partition, key, state.nowMs);
    if (first !== undefined) return { messageId: first.messageId, sequenceNumber: sequenceNumber(first.seq) };
  }
  // On FIFO an explicit 0 does not override the queue's delay (case C007).
  const delay = fifo ? delayMs : (entry.delayMs ?? delayMs);
  const seq = state.nextSeq;
  record({
    kind: "MessageSent",
    partition: partition.id,
    slot: state.table.nextFree(),
    seq,
    readyAtMs: delay === 0 ? 0 : state.nowMs + delay,
    groupId,
    deduplicationKey: key,
    envelope: encodeEnvelope({
      messageId,
      sentAtMs: state.nowMs,
      senderId,
      content,
      ...(deduplicationId === undefined ? {} : { deduplicationId }),
    }),
  });
  return fifo ? { messageId, sequenceNumber: sequenceNumber(seq) } : { messageId };
}

/** 20 decimal digits, zero-padded; grows with every send, across restarts too. */
export function sequenceNumber(seq: number): string {
  return String(seq).padStart(20, "0");
}

export function applySent(state: ShardState, fact: FactOf<"MessageSent">): void {
  const partition = state.partition(fact.partition);
  admit(state, partition, fact, envelopeSentAtMs(fact.envelope));
}

/** Fills the row of a message that is new to the queue and puts it in its place. */
export function admit(
  state: ShardState,
  partition: Partition,
  fact: {
    slot: number;
    seq: number;
    readyAtMs: number;
    groupId: string | undefined;
    deduplicationKey: string | undefined;
    envelope: Uint8Array;
  },
  retainFromMs: number,
): void {
  const { table } = state;
  const { slot, seq } = fact;
  table.take(slot, seq);
  state.nextSeq = Math.max(state.nextSeq, seq + 1);
  table.partition.set(slot, partition.id);
  table.retainFromMs.set(slot, retainFromMs);
  if (fact.deduplicationKey !== undefined) {
    rememberSent(partition, fact.deduplicationKey, envelopeMessageId(fact.envelope), seq, state.nowMs);
  }
  partition.enqueue(slot, fact.groupId, fact.readyAtMs, state.nowMs);
  if (fact.readyAtMs <= state.nowMs) state.readied.add(partition.id);
  state.rewake(partition);
}
