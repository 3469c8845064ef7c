import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteReader, ByteWriter } from "../../base/bytes.ts";
import { accept, refuse } from "../../base/result.ts";
import type { MessageContent, ReceivedMessage, SendEntry } from "../../engine/command.ts";
import { refusal } from "../../engine/refusal.ts";
import { readMessage, writeMessage } from "./message-codec.ts";
import type { Answered, Asked } from "./messages.ts";

const queue = { account: "000000000000", region: "us-east-1", name: "orders.fifo" };
const content: MessageContent = {
  body: Buffer.from("grüße"),
  bodyMd5: Buffer.alloc(16, 7),
  attributes: [
    { name: "colour", dataType: "String", value: "grün 🐸" },
    { name: "raw", dataType: "Binary.png", value: Buffer.from([0, 1, 255]) },
  ],
  traceHeader: "Root=1",
};
const bare: MessageContent = { body: Buffer.alloc(0), bodyMd5: Buffer.alloc(16), attributes: [] };
const entries: SendEntry[] = [
  { content, sizeBytes: 2 ** 40, delayMs: 0, groupId: "g", deduplicationId: "d", contentDeduplicationId: "c" },
  { content: bare, sizeBytes: 0, deduplicationId: "only this" },
  { content: bare, sizeBytes: 1 },
];
const received: ReceivedMessage = {
  messageId: "m",
  receiptHandle: "r",
  content,
  senderId: "s",
  sentAtMs: 1_796_236_051_056,
  firstReceivedAtMs: 1_796_236_051_057,
  receiveCount: 3,
};
const problem = refusal("QueueDoesNotExist", "There is none.");

const MESSAGES: (Asked | Answered)[] = [
  { kind: "command", id: 1, command: { kind: "sendMessages", queue, senderId: "s", batch: true, entries } },
  { kind: "command", id: 2, command: { kind: "receiveMessages", queue, messagesMax: 10 } },
  { kind: "command", id: 3, command: { kind: "receiveMessages", queue, messagesMax: 1, waitMs: 0, attemptId: "a" } },
  { kind: "command", id: 4, command: { kind: "deleteMessages", queue, receiptHandles: ["a", "b"] } },
  { kind: "command", id: 5, command: { kind: "tagQueue", queue, tags: { a: "b" } } },
  { kind: "hungUp", id: 6 },
  { kind: "waits", id: 2 ** 32 - 1 },
  { kind: "fault", id: 7, code: "DiskFull", message: "full" },
  { kind: "response", id: 8, response: { status: 200, headers: { a: "b" }, body: Buffer.from("b") } },
];

const OUTCOMES: (Answered & { kind: "outcome" })[] = [
  {
    kind: "outcome",
    id: 1,
    of: "sendMessages",
    outcome: accept({
      entries: [accept({ messageId: "m", sequenceNumber: "1" }), refuse(problem), accept({ messageId: "n" })],
    }),
  },
  {
    kind: "outcome",
    id: 2,
    of: "receiveMessages",
    outcome: accept({
      messages: [received, { ...received, groupId: "g", sequenceNumber: "1", deadLetterSourceArn: "arn" }],
    }),
  },
  { kind: "outcome", id: 3, of: "deleteMessages", outcome: accept({ entries: [accept(null), refuse(problem)] }) },
  { kind: "outcome", id: 4, of: "sendMessages", outcome: refuse(problem) },
  { kind: "outcome", id: 5, of: "listQueueTags", outcome: accept({ tags: { a: "b" } }) },
];

test("what is written is read again, many messages in a row", () => {
  const writer = new ByteWriter(1);
  for (const message of [...MESSAGES, ...OUTCOMES]) writeMessage(writer, message);
  const reader = new ByteReader(writer.view());
  for (const message of MESSAGES) assert.deepEqual(readMessage(reader), message);
  for (const { of: _, ...message } of OUTCOMES) assert.deepEqual(readMessage(reader), message);
  assert.ok(reader.done);
});

test("what is described field by field does not go as V8 has it", () => {
  const writer = new ByteWriter();
  for (const message of [...MESSAGES.slice(0, 4), OUTCOMES[1] as Answered]) writeMessage(writer, message);
  for (const name of ["senderId", "messagesMax", "receiptHandle", "sizeBytes"])
    assert.ok(!writer.view().includes(name), name);
});
