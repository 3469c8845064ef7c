// Facts as bytes: one byte of kind, then the fields in the order below, little-endian. Frequent facts are binary;
// rare ones (configuration, tasks, catalog records) carry JSON, which is easier to extend. A kind that this build
// does not know stops recovery: an older build must not drop what a newer one recorded. docs/log-format.md has
// the byte tables.

import { unreachable } from "../base/assert.ts";
import { type ByteReader, type ByteWriter, ByteReader as Reader } from "../base/bytes.ts";
import type { Fact, FactKind, TransferPurpose } from "./fact.ts";

/** Numbers are for ever; a retired one is not used again. */
export const FACT_CODES: Record<FactKind, number> = {
  TimeAdvanced: 1,
  PartitionConfigured: 2,
  PartitionClosed: 3,
  MessageSent: 4,
  MessageReceived: 5,
  ReceiveAttempted: 6,
  ReceiveRepeated: 7,
  VisibilityChanged: 8,
  MessageDeleted: 9,
  QueuePurged: 10,
  TransferStarted: 11,
  TransferAccepted: 12,
  TransferDone: 13,
  TransferReturned: 14,
  MoveTaskStarted: 15,
  MoveTaskStepped: 16,
  MoveTaskEnded: 17,
  BodyMoved: 18,
  QueueRecorded: 19,
  QueueForgotten: 20,
  ShardReset: 21,
  ResourceRecorded: 22,
  ResourceForgotten: 23,
  MessagePublished: 24,
  ContentRecorded: 25,
  TransferDropped: 26,
  TimeStepped: 27,
};

const KINDS = new Map(Object.entries(FACT_CODES).map(([kind, code]) => [code, kind as FactKind]));
const PURPOSES: TransferPurpose[] = ["deadLetter", "redrive", "forward"];

/** Appends a fact. Answers where its envelope begins in `out`, or -1 when it has none. */
export function encodeFact(out: ByteWriter, fact: Fact): number {
  out.u8(FACT_CODES[fact.kind]);
  switch (fact.kind) {
    case "TimeAdvanced":
      out.f64(fact.nowMs);
      return -1;
    case "TimeStepped":
      out.f64(fact.nowMs);
      out.u32(fact.changesMax);
      return -1;
    case "MessageSent":
      out.u32(fact.partition);
      out.u32(fact.slot);
      out.f64(fact.seq);
      out.f64(fact.readyAtMs);
      optionalText(out, fact.groupId);
      optionalText(out, fact.deduplicationKey);
      return envelope(out, fact.envelope);
    case "MessageReceived":
    case "VisibilityChanged":
      out.u32(fact.slot);
      out.f64(fact.seq);
      out.f64(fact.visibleAtMs);
      return -1;
    case "MessageDeleted":
      out.u32(fact.slot);
      out.f64(fact.seq);
      return -1;
    case "ReceiveAttempted":
      out.u32(fact.partition);
      out.text(fact.attemptId);
      out.f64(fact.visibleAtMs);
      out.u8(fact.slots.length);
      for (const slot of fact.slots) out.u32(slot);
      return -1;
    case "ReceiveRepeated":
      out.u32(fact.partition);
      out.text(fact.attemptId);
      out.f64(fact.visibleAtMs);
      return -1;
    case "TransferStarted":
      out.u32(fact.slot);
      out.f64(fact.seq);
      out.f64(fact.transferId);
      out.u32(fact.target.shard);
      out.u32(fact.target.partition);
      out.u8(PURPOSES.indexOf(fact.purpose));
      optionalText(out, fact.taskId);
      return -1;
    case "TransferAccepted":
      out.u32(fact.sourceShard);
      out.f64(fact.transferId);
      out.u32(fact.partition);
      out.u32(fact.slot);
      out.f64(fact.seq);
      out.f64(fact.retainFromMs);
      out.f64(fact.readyAtMs);
      out.f64(fact.firstReceivedAtMs);
      out.u32(fact.receiveCount);
      out.text(fact.originArn);
      optionalText(out, fact.groupId);
      optionalText(out, fact.deduplicationKey);
      return envelope(out, fact.envelope);
    case "TransferDropped":
      out.u32(fact.sourceShard);
      out.f64(fact.transferId);
      return -1;
    case "MessagePublished":
      out.u32(fact.partition);
      out.f64(fact.seq);
      out.text(fact.messageId);
      optionalText(out, fact.deduplicationKey);
      return -1;
    case "ContentRecorded":
      out.bytes(fact.content);
      return -1;
    case "TransferDone":
    case "TransferReturned":
      out.f64(fact.transferId);
      return -1;
    case "BodyMoved":
      out.u32(fact.slot);
      out.f64(fact.seq);
      return envelope(out, fact.envelope);
    case "PartitionClosed":
    case "QueuePurged":
      out.u32(fact.partition);
      return -1;
    case "PartitionConfigured":
    case "MoveTaskStarted":
    case "MoveTaskStepped":
    case "MoveTaskEnded":
    case "QueueRecorded":
    case "QueueForgotten":
    case "ResourceRecorded":
    case "ResourceForgotten":
      out.text(JSON.stringify(fact));
      return -1;
    case "ShardReset":
      return -1;
    default:
      return unreachable(fact);
  }
}

export interface DecodedFact {
  fact: Fact;
  /** Where the fact's envelope begins in the payload; -1 when it has none. */
  envelopeOffset: number;
}

/**
 * The facts of one entry's payload in order. Envelopes are views into it. Throws RangeError on bytes that are no
 * fact, naming the offset.
 */
export function* decodeFacts(payload: Uint8Array): Generator<DecodedFact> {
  const input = new Reader(payload);
  while (!input.done) {
    const start = input.offset;
    const code = input.u8();
    const kind = KINDS.get(code);
    if (kind === undefined) throw new RangeError(`fact kind ${code} at offset ${start} is not known to this version`);
    const fact = decodeFact(input, kind);
    const bytes = "envelope" in fact ? fact.envelope.length : 0;
    yield { fact, envelopeOffset: bytes === 0 ? -1 : input.offset - bytes };
  }
}

function decodeFact(input: ByteReader, kind: FactKind): Fact {
  switch (kind) {
    case "TimeAdvanced":
      return { kind, nowMs: input.f64() };
    case "TimeStepped":
      return { kind, nowMs: input.f64(), changesMax: input.u32() };
    case "MessageSent":
      return {
        kind,
        partition: input.u32(),
        slot: input.u32(),
        seq: input.f64(),
        readyAtMs: input.f64(),
        groupId: readOptionalText(input),
        deduplicationKey: readOptionalText(input),
        envelope: input.bytes(),
      };
    case "MessageReceived":
    case "VisibilityChanged":
      return { kind, slot: input.u32(), seq: input.f64(), visibleAtMs: input.f64() };
    case "MessageDeleted":
      return { kind, slot: input.u32(), seq: input.f64() };
    case "ReceiveAttempted": {
      const head = { partition: input.u32(), attemptId: input.text(), visibleAtMs: input.f64() };
      const slots: number[] = [];
      for (let count = input.u8(); count > 0; count--) slots.push(input.u32());
      return { kind, ...head, slots };
    }
    case "ReceiveRepeated":
      return { kind, partition: input.u32(), attemptId: input.text(), visibleAtMs: input.f64() };
    case "TransferStarted":
      return {
        kind,
        slot: input.u32(),
        seq: input.f64(),
        transferId: input.f64(),
        target: { shard: input.u32(), partition: input.u32() },
        purpose: PURPOSES[input.u8()] ?? "deadLetter",
        taskId: readOptionalText(input),
      };
    case "TransferAccepted":
      return {
        kind,
        sourceShard: input.u32(),
        transferId: input.f64(),
        partition: input.u32(),
        slot: input.u32(),
        seq: input.f64(),
        retainFromMs: input.f64(),
        readyAtMs: input.f64(),
        firstReceivedAtMs: input.f64(),
        receiveCount: input.u32(),
        originArn: input.text(),
        groupId: readOptionalText(input),
        deduplicationKey: readOptionalText(input),
        envelope: input.bytes(),
      };
    case "TransferDropped":
      return { kind, sourceShard: input.u32(), transferId: input.f64() };
    case "MessagePublished":
      return {
        kind,
        partition: input.u32(),
        seq: input.f64(),
        messageId: input.text(),
        deduplicationKey: readOptionalText(input),
      };
    case "ContentRecorded":
      return { kind, content: input.bytes() };
    case "TransferDone":
    case "TransferReturned":
      return { kind, transferId: input.f64() };
    case "BodyMoved":
      return { kind, slot: input.u32(), seq: input.f64(), envelope: input.bytes() };
    case "PartitionClosed":
    case "QueuePurged":
      return { kind, partition: input.u32() };
    case "PartitionConfigured":
    case "MoveTaskStarted":
    case "MoveTaskStepped":
    case "MoveTaskEnded":
    case "QueueRecorded":
    case "QueueForgotten":
    case "ResourceRecorded":
    case "ResourceForgotten":
      return readJsonFact(input, kind);
    case "ShardReset":
      return { kind };
    default:
      return unreachable(kind);
  }
}

function readJsonFact(input: ByteReader, kind: FactKind): Fact {
  const start = input.offset;
  const fact = input.json() as Fact | null;
  if (fact?.kind !== kind) throw new RangeError(`the JSON at offset ${start} is not a ${kind}`);
  return fact;
}

function envelope(out: ByteWriter, bytes: Uint8Array): number {
  out.u32(bytes.length);
  const offset = out.length;
  out.raw(bytes);
  return offset;
}

function optionalText(out: ByteWriter, text: string | undefined): void {
  out.u8(text === undefined ? 0 : 1);
  if (text !== undefined) out.text(text);
}

function readOptionalText(input: ByteReader): string | undefined {
  return input.u8() === 0 ? undefined : input.text();
}
