// Records as they are read back from the disk: facts, envelopes, snapshots of a shard, and receipt handles, which come
// back from clients. What was written is read as it was; anything else is a RangeError (or, for a handle, no handle),
// and costs no more than its size.

import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteWriter } from "../../src/base/bytes.ts";
import {
  decodeEnvelope,
  decodeFacts,
  decodeSnapshot,
  encodeFact,
  encodeSnapshot,
  type Fact,
} from "../../src/engine/index.ts";
import { type Envelope, encodeEnvelope } from "../../src/engine/queue/envelope.ts";
import { decodeReceiptHandle, encodeReceiptHandle } from "../../src/host/receipt-handle.ts";
import { TestShard } from "../support/test-shard.ts";
import { fuzz, withinBounds } from "./budget.ts";
import { damaged, damages, hostileJson, hostileText } from "./hostile.ts";

const SETTINGS = { shard: 0, awsDelays: false };
const MAIN = 1;
const DEAD = 2;
const STEPS = 3;

const u32 = fc.nat(2 ** 32 - 1);
const time = fc.nat(2 ** 45);
/** What a text in a record can be: UTF-8 holds no lone surrogates. */
const text = hostileText.map((given) => Buffer.from(given).toString());
const maybeText = fc.option(text, { nil: undefined });
const bytes = fc.uint8Array({ maxLength: 64 });
const queue = fc.record({ account: text, region: text, name: text });

const fact: fc.Arbitrary<Fact> = fc.oneof(
  fc.record({ kind: fc.constant("TimeAdvanced" as const), nowMs: time }),
  fc.record({ kind: fc.constant("TimeStepped" as const), nowMs: time, changesMax: u32 }),
  fc.record({
    kind: fc.constant("MessageSent" as const),
    partition: u32,
    slot: u32,
    seq: time,
    readyAtMs: time,
    groupId: maybeText,
    deduplicationKey: maybeText,
    envelope: bytes,
  }),
  fc.record({
    kind: fc.constantFrom("MessageReceived" as const, "VisibilityChanged" as const),
    slot: u32,
    seq: time,
    visibleAtMs: time,
  }),
  fc.record({
    kind: fc.constant("ReceiveAttempted" as const),
    partition: u32,
    attemptId: text,
    visibleAtMs: time,
    slots: fc.array(u32, { maxLength: 10 }),
  }),
  fc.record({ kind: fc.constant("BodyMoved" as const), slot: u32, seq: time, envelope: bytes }),
  fc.record({ kind: fc.constantFrom("PartitionClosed" as const, "QueuePurged" as const), partition: u32 }),
  fc.record({ kind: fc.constantFrom("TransferDone" as const, "TransferReturned" as const), transferId: time }),
  fc.record({ kind: fc.constant("QueueForgotten" as const), queue }),
  fc.record({ kind: fc.constant("MoveTaskStepped" as const), partition: u32, taskId: text, nextStepAtMs: time }),
  fc.constant({ kind: "ShardReset" as const }),
);

const facts = fc.array(fact, { minLength: 1, maxLength: 6 });

function encoded(given: readonly Fact[]): Buffer {
  const out = new ByteWriter();
  for (const each of given) encodeFact(out, each);
  return Buffer.from(out.view());
}

fuzz("facts are read as they were written", 0.02, facts, (given) => {
  const read = [...decodeFacts(encoded(given))].map((each) => plain(each.fact));
  assert.deepEqual(read, given.map(plain));
});

fuzz("damaged facts are a RangeError, or facts", 0.04, fc.tuple(facts, damages), ([given, damage]) => {
  readOrRangeError(damaged(encoded(given), damage), (payload) => {
    for (const { fact: read } of decodeFacts(payload)) assert.equal(typeof read.kind, "string");
  });
});

fuzz(
  "a fact that carries JSON carries a fact of its own kind",
  0.02,
  fc.tuple(fc.constantFrom(2, 15, 16, 17, 19, 20), hostileJson),
  ([code, json]) => {
    const out = new ByteWriter();
    out.u8(code);
    out.text(JSON.stringify(json));
    readOrRangeError(Buffer.from(out.view()), (payload) => [...decodeFacts(payload)]);
  },
);

const attribute = fc.record({ name: text, dataType: text, value: fc.oneof(text, bytes) });
const envelope: fc.Arbitrary<Envelope> = fc
  .record({
    messageId: fc.uuid(),
    sentAtMs: time,
    senderId: text,
    deduplicationId: maybeText,
    groupId: maybeText,
    content: fc.record({
      body: bytes,
      bodyMd5: fc.uint8Array({ minLength: 16, maxLength: 16 }),
      attributes: fc.array(attribute, { maxLength: 10 }),
      traceHeader: maybeText,
    }),
  })
  .map((given) => withoutUndefined(given) as unknown as Envelope);

fuzz("an envelope is read as it was written", 0.02, envelope, (given) => {
  assert.deepEqual(plain(decodeEnvelope(Buffer.from(encodeEnvelope(given)))), plain(given));
});

fuzz("a damaged envelope is a RangeError, or an envelope", 0.03, fc.tuple(envelope, damages), ([given, damage]) => {
  readOrRangeError(damaged(encodeEnvelope(given), damage), decodeEnvelope);
});

const snapshots = [1, 2, 3, 4].map((size) => Buffer.concat(encodeSnapshot(shardAfter(size).state)));

fuzz(
  "a damaged snapshot of a shard is a RangeError, or a shard",
  0.07,
  fc.tuple(fc.constantFrom(...snapshots), damages),
  ([given, damage]) => {
    readOrRangeError(damaged(given, damage), (snapshot) => decodeSnapshot(snapshot, SETTINGS));
  },
);

fuzz(
  "a snapshot with any head is a RangeError, or a shard",
  0.03,
  fc.tuple(fc.constantFrom(...snapshots), spoiledHead()),
  ([given, spoil]) => {
    readOrRangeError(spoil(given), (snapshot) => decodeSnapshot(snapshot, SETTINGS));
  },
);

fuzz(
  "a receipt handle says what it was made of, and nothing else is one",
  0.02,
  fc.tuple(u32, u32, time, u32, damages, hostileText),
  (drawn) => {
    const [partition, slot, seq, receiveSeq, damage, other] = drawn;
    const handle = encodeReceiptHandle(partition, slot, seq, receiveSeq);
    assert.deepEqual(decodeReceiptHandle(handle), { partition, slot, seq, receiveSeq, text: handle });
    for (const spoiled of [damaged(Buffer.from(handle), damage).toString("latin1"), other]) {
      const read = withinBounds(spoiled.length, () => decodeReceiptHandle(spoiled));
      if (typeof read === "string") assert.equal(read, spoiled);
      else assert.deepEqual(read, { partition, slot, seq, receiveSeq, text: spoiled });
    }
  },
);

function readOrRangeError(input: Buffer, read: (input: Buffer) => unknown): void {
  withinBounds(input.length, () => {
    try {
      read(input);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  });
}

/** A shard with something of everything in it: groups, delays, receives, dead letters, a move task, free slots. */
function shardAfter(size: number): TestShard {
  const shard = new TestShard();
  shard.configure(MAIN, { maxReceiveCount: 1 });
  shard.configure(DEAD);
  shard.configure(STEPS, { fifo: true, contentBasedDeduplication: true });
  for (let index = 0; index < 5 * size; index++) {
    shard.send(MAIN, `body ${index}`, index % 3 === 0 ? { delayMs: 5000 } : { groupId: `tenant ${index % 2}` });
    shard.send(STEPS, `step ${index}`, { groupId: `group ${index % 4}` });
  }
  shard.receive(MAIN, { visibilityTimeoutMs: 1000 });
  const [first] = shard.receive(STEPS, { attemptId: "try", messagesMax: 3 });
  if (first !== undefined)
    shard.perform<"deleteMessages">({ kind: "deleteMessages", partition: STEPS, receipts: [first.receipt] });
  shard.advance(2000);
  shard.receive(MAIN, {}, { shard: 0, partition: DEAD });
  if (size > 2) shard.redrive(DEAD, MAIN);
  return shard;
}

/** Replaces one value in the JSON at the start of a snapshot. */
function spoiledHead(): fc.Arbitrary<(snapshot: Buffer) => Buffer> {
  return fc.tuple(fc.nat(30), hostileJson).map(([which, value]) => (snapshot) => {
    const length = snapshot.readUInt32LE(4);
    const head = JSON.parse(snapshot.toString("utf8", 8, 8 + length));
    const owner = which % 3 === 0 ? head.table : head;
    const names = Object.keys(owner);
    owner[names[which % names.length] as string] = value;
    const out = new ByteWriter();
    out.u32(snapshot.readUInt32LE(0));
    out.text(which === 30 ? JSON.stringify(value) : JSON.stringify(head));
    out.raw(snapshot.subarray(8 + length));
    return Buffer.from(out.view());
  });
}

/** For comparing: byte strings of all classes look alike, and what is undefined is absent. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, plain(each)]])),
  );
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      if (each === undefined) return [];
      return [[name, name === "content" ? withoutUndefined(each as object) : each]];
    }),
  );
}
