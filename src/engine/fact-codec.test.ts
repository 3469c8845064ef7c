import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteWriter } from "../base/bytes.ts";
import type { Fact } from "./fact.ts";
import { decodeFacts, encodeFact, FACT_CODES } from "./fact-codec.ts";

const envelope = Uint8Array.of(9, 8, 7);
const queue = { account: "000000000000", region: "us-east-1", name: "q" };
const config = {
  queue,
  fifo: false,
  delayMs: 0,
  visibilityTimeoutMs: 30_000,
  retentionMs: 60_000,
  messageBytesMax: 1024,
  contentBasedDeduplication: false,
  deduplicationScope: "queue" as const,
};
const task = {
  taskId: "t",
  sourceArn: "arn",
  status: "RUNNING" as const,
  startedAtMs: 1,
  toMoveCount: 2,
  movedCount: 0,
  underWayCount: 0,
  nextStepAtMs: 1,
};

/** One of each kind; a kind without an example does not compile. */
const EXAMPLES: { [Kind in Fact["kind"]]: Extract<Fact, { kind: Kind }> } = {
  TimeAdvanced: { kind: "TimeAdvanced", nowMs: 1_700_000_000_123 },
  TimeStepped: { kind: "TimeStepped", nowMs: 1_700_000_000_123, changesMax: 2000 },
  PartitionConfigured: { kind: "PartitionConfigured", partition: 3, config },
  PartitionClosed: { kind: "PartitionClosed", partition: 3 },
  MessageSent: {
    kind: "MessageSent",
    partition: 3,
    slot: 7,
    seq: 2 ** 40,
    readyAtMs: 12,
    groupId: "g",
    deduplicationKey: undefined,
    envelope,
  },
  MessageReceived: { kind: "MessageReceived", slot: 7, seq: 9, visibleAtMs: 55 },
  ReceiveAttempted: { kind: "ReceiveAttempted", partition: 3, attemptId: "try", visibleAtMs: 5, slots: [1, 2, 3] },
  ReceiveRepeated: { kind: "ReceiveRepeated", partition: 3, attemptId: "try", visibleAtMs: 5 },
  VisibilityChanged: { kind: "VisibilityChanged", slot: 7, seq: 9, visibleAtMs: 55 },
  MessageDeleted: { kind: "MessageDeleted", slot: 7, seq: 9 },
  QueuePurged: { kind: "QueuePurged", partition: 3 },
  TransferStarted: {
    kind: "TransferStarted",
    slot: 7,
    seq: 9,
    transferId: 4,
    target: { shard: 2, partition: 5 },
    purpose: "redrive",
    taskId: "t",
  },
  TransferAccepted: {
    kind: "TransferAccepted",
    sourceShard: 2,
    transferId: 4,
    partition: 5,
    slot: 1,
    seq: 2,
    retainFromMs: 3,
    readyAtMs: 4,
    firstReceivedAtMs: 5,
    receiveCount: 6,
    originArn: "arn",
    groupId: undefined,
    deduplicationKey: "key",
    envelope,
  },
  TransferDone: { kind: "TransferDone", transferId: 4 },
  TransferReturned: { kind: "TransferReturned", transferId: 4 },
  MoveTaskStarted: { kind: "MoveTaskStarted", partition: 3, task },
  MoveTaskStepped: { kind: "MoveTaskStepped", partition: 3, taskId: "t", nextStepAtMs: 8 },
  MoveTaskEnded: { kind: "MoveTaskEnded", partition: 3, taskId: "t", status: "FAILED", failureReason: "why" },
  BodyMoved: { kind: "BodyMoved", slot: 7, seq: 9, envelope },
  QueueRecorded: {
    kind: "QueueRecorded",
    record: {
      queue,
      partitions: [{ partition: 3, shard: 1 }],
      attributes: { DelaySeconds: "0" },
      tags: { a: "b" },
      createdAtMs: 1,
      modifiedAtMs: 2,
    },
  },
  QueueForgotten: { kind: "QueueForgotten", queue },
  ResourceRecorded: {
    kind: "ResourceRecorded",
    entry: {
      type: "topic",
      key: "arn:aws:sns:r:1:t",
      record: {
        topic: { account: "1", region: "r", name: "t" },
        attributes: { DisplayName: "T" },
        tags: {},
        createdAtMs: 5,
        deletedSubscriptionCount: 0,
      },
    },
  },
  ResourceForgotten: { kind: "ResourceForgotten", type: "topic", key: "arn:aws:sns:r:1:t" },
  MessagePublished: {
    kind: "MessagePublished",
    partition: 3,
    seq: 12,
    messageId: "00112233-4455-6677-8899-aabbccddeeff",
    deduplicationKey: "k",
  },
  ContentRecorded: { kind: "ContentRecorded", content: Buffer.of(1, 2, 3) },
  TransferDropped: { kind: "TransferDropped", sourceShard: 1, transferId: 9 },
  ShardReset: { kind: "ShardReset" },
};

test("every fact is read back as it was written, and its envelope is where the writer said", () => {
  const out = new ByteWriter();
  const offsets = Object.values(EXAMPLES).map((fact) => encodeFact(out, fact));
  const decoded = [...decodeFacts(out.view())];
  assert.deepEqual(
    decoded.map(({ fact }) => ("envelope" in fact ? { ...fact, envelope: Uint8Array.from(fact.envelope) } : fact)),
    Object.values(EXAMPLES),
  );
  assert.deepEqual(
    decoded.map(({ envelopeOffset }) => envelopeOffset),
    offsets,
  );
});

test("each kind has a code of its own, and none is zero", () => {
  const codes = Object.values(FACT_CODES);
  assert.equal(new Set(codes).size, codes.length);
  assert.ok(codes.every((code) => code > 0 && code < 256));
});

test("an unknown kind stops the reader, naming kind and place", () => {
  assert.throws(() => [...decodeFacts(Uint8Array.of(250))], /fact kind 250 at offset 0 is not known/);
});

test("a fact that is cut short stops the reader", () => {
  const out = new ByteWriter();
  encodeFact(out, EXAMPLES.MessageSent);
  assert.throws(() => [...decodeFacts(out.view().subarray(0, out.length - 1))], RangeError);
});
