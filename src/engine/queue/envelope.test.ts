import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeEnvelope, type Envelope, encodeEnvelope, envelopeMessageId, readdressEnvelope } from "./envelope.ts";

const FULL: Envelope = {
  messageId: "5fea7756-0ea4-451a-a703-a558b933e274",
  sentAtMs: 1_700_000_000_123,
  senderId: "AIDATEST",
  deduplicationId: "d",
  groupId: "g",
  content: {
    body: Buffer.from("reed\r\nbed 🐸"),
    bodyMd5: Buffer.alloc(16, 7),
    traceHeader: "Root=1",
    attributes: [
      { name: "n", dataType: "Number", value: "42" },
      { name: "b", dataType: "Binary.png", value: Buffer.from([0, 255]) },
      { name: "s", dataType: "String", value: "ø" },
    ],
  },
};

test("an envelope comes back as it was sent", () => {
  assert.deepEqual(decodeEnvelope(Uint8Array.from(encodeEnvelope(FULL))), FULL);
});

test("what was not given is absent, not empty", () => {
  const { traceHeader: _, ...content } = FULL.content;
  const bare: Envelope = {
    messageId: FULL.messageId,
    sentAtMs: 1,
    senderId: "A",
    content: { ...content, attributes: [] },
  };
  assert.deepEqual(decodeEnvelope(Uint8Array.from(encodeEnvelope(bare))), bare);
});

test("a redriven copy has a new id and time, and the rest unchanged", () => {
  const bytes = Uint8Array.from(encodeEnvelope(FULL));
  const messageId = "00000000-0000-4000-8000-000000000001";
  const copy = readdressEnvelope(bytes, messageId, 5);
  assert.deepEqual(decodeEnvelope(copy), { ...FULL, messageId, sentAtMs: 5 });
  assert.equal(envelopeMessageId(bytes), FULL.messageId);
});

test("an envelope of an unknown version is refused", () => {
  assert.throws(() => decodeEnvelope(Uint8Array.of(9, 0)), /version 9 is not known/);
});
