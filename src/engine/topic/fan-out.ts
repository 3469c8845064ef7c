// Publish, once its subscribers are known: the publication is recorded once, and each subscriber's copy refers to it.
// Copies for queues of this shard are in their queues at once; others leave through the outbox, in order. All of it is
// one batch, so a publish is there with all its copies or not at all. FIFO topics remember deduplication ids for five
// minutes in the topic's own partition (fanout.md A13).

import { accept, type Result } from "../../base/result.ts";
import type { PublishedMessage } from "../command.ts";
import type { FactOf } from "../fact.ts";
import { deduplicationKey, findDuplicate, rememberSent } from "../queue/deduplication.ts";
import type { Partition } from "../queue/partition.ts";
import { sequenceNumber } from "../queue/send.ts";
import type { Refusal } from "../refusal.ts";
import type { Recorder, ShardCommandOf, ShardState, TransferTarget } from "../state.ts";
import { encodeCopy } from "./copy-envelope.ts";
import { encodePublication, type Publication } from "./publication.ts";

/** One subscriber's copy, as the host found it. */
export interface CopyRequest {
  target: TransferTarget;
  /** A fresh UUID: the copy's id in its queue. */
  messageId: string;
  subscriptionArn: string;
  raw: boolean;
  /** What the target shows and orders by; FIFO targets have both. */
  groupId: string | undefined;
  deduplicationId: string | undefined;
  /** For the subscription's dead-letter queue, which keeps one of every subscriber that it serves. */
  deadLetter: boolean;
}

export interface Published extends PublishedMessage {
  /** A repeat within the window: nothing was delivered. */
  duplicate: boolean;
}

export function decidePublish(
  state: ShardState,
  command: ShardCommandOf<"publish">,
  record: Recorder,
): Result<Published, Refusal> {
  const { publication, copies, fifo } = command;
  const home = state.partition(command.partition);
  const { groupId, deduplicationId, messageId } = publication;
  let key: string | undefined;
  if (fifo && groupId !== undefined && deduplicationId !== undefined) {
    key = deduplicationKey(home, groupId, deduplicationId);
    const first = findDuplicate(home, key, state.nowMs);
    if (first !== undefined) {
      return accept({ messageId: first.messageId, sequenceNumber: sequenceNumber(first.seq), duplicate: true });
    }
  }
  const seq = state.nextSeq;
  record({ kind: "MessagePublished", partition: home.id, seq, messageId, deduplicationKey: key });
  const numbered: Publication = { ...publication, publishedAtMs: state.nowMs };
  if (fifo) numbered.sequenceNumber = sequenceNumber(seq);
  spread(state, home, encodePublication(numbered), copies, false, record);
  return accept(
    fifo ? { messageId, sequenceNumber: sequenceNumber(seq), duplicate: false } : { messageId, duplicate: false },
  );
}

/** A publication from an archive once more, to those who asked for it. */
export function decideRepublish(
  state: ShardState,
  command: ShardCommandOf<"republish">,
  record: Recorder,
): Result<null, Refusal> {
  spread(state, state.partition(command.partition), command.publication, command.copies, true, record);
  return accept(null);
}

function spread(
  state: ShardState,
  home: Partition,
  publication: Uint8Array,
  copies: CopyRequest[],
  replayed: boolean,
  record: Recorder,
): void {
  if (copies.length === 0) return;
  record({ kind: "ContentRecorded", content: publication });
  for (const copy of copies) {
    if (copy.target.shard === state.settings.shard) enqueueHere(state, copy, publication.length, replayed, record);
    else sendAway(state, home, copy, publication.length, replayed, record);
  }
}

function enqueueHere(
  state: ShardState,
  copy: CopyRequest,
  publicationBytes: number,
  replayed: boolean,
  record: Recorder,
): void {
  // Deleted since the host looked: like a message that was in it.
  const partition = state.partitions.get(copy.target.partition);
  if (partition === undefined) return;
  const { fifo, delayMs } = partition.config;
  let key: string | undefined;
  // What is replayed is wanted again.
  if (fifo && !replayed && !copy.deadLetter && copy.groupId !== undefined && copy.deduplicationId !== undefined) {
    key = deduplicationKey(partition, copy.groupId, copy.deduplicationId);
    if (findDuplicate(partition, key, state.nowMs) !== undefined) return;
  }
  recordCopy(state, partition, copy, publicationBytes, { replayed, delayMs, deduplicationKey: key, fifo }, record);
}

/** The copy is a row of the topic's own partition until the target's shard has it. */
function sendAway(
  state: ShardState,
  home: Partition,
  copy: CopyRequest,
  publicationBytes: number,
  replayed: boolean,
  record: Recorder,
): void {
  const fifo = copy.deduplicationId !== undefined;
  const row = recordCopy(
    state,
    home,
    copy,
    publicationBytes,
    { replayed, delayMs: 0, deduplicationKey: undefined, fifo },
    record,
  );
  record({
    kind: "TransferStarted",
    ...row,
    transferId: state.nextTransferId,
    target: copy.target,
    purpose: "forward",
    taskId: undefined,
  });
}

function recordCopy(
  state: ShardState,
  partition: Partition,
  copy: CopyRequest,
  publicationBytes: number,
  how: { replayed: boolean; delayMs: number; deduplicationKey: string | undefined; fifo: boolean },
  record: Recorder,
): { slot: number; seq: number } {
  const row = { slot: state.table.nextFree(), seq: state.nextSeq };
  const { messageId, subscriptionArn, raw, deadLetter } = copy;
  record({
    kind: "MessageSent",
    partition: partition.id,
    ...row,
    readyAtMs: how.delayMs === 0 ? 0 : state.nowMs + how.delayMs,
    groupId: copy.groupId,
    deduplicationKey: how.deduplicationKey,
    envelope: encodeCopy(
      { messageId, sentAtMs: state.nowMs, subscriptionArn, raw, fifo: how.fifo, replayed: how.replayed, deadLetter },
      publicationBytes,
    ),
  });
  return row;
}

export function applyPublished(state: ShardState, fact: FactOf<"MessagePublished">): void {
  state.nextSeq = Math.max(state.nextSeq, fact.seq + 1);
  if (fact.deduplicationKey === undefined) return;
  rememberSent(state.partition(fact.partition), fact.deduplicationKey, fact.messageId, fact.seq, state.nowMs);
}
