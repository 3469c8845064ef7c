import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import type { SendEntry } from "../../engine/command.ts";
import { answerTo, commandOf, jsonOf, jsonRequest, QUEUE, QUEUE_URL, refusedAs } from "../exchange.test.fixture.ts";

const TRACE = "Root=1-67a0c1de-0123456789abcdef01234567";

test("a message becomes bytes, a digest and a size", () => {
  const { queue, entries, batch } = commandOf(sending({ MessageBody: "é", DelaySeconds: 0 }), "sendMessages");
  assert.deepEqual(queue, QUEUE);
  assert.equal(batch, false);
  const [entry] = entries as [SendEntry];
  assert.equal(Buffer.from(entry.content.body).toString(), "é");
  assert.equal(entry.sizeBytes, 2);
  assert.equal(entry.delayMs, 0);
  assert.equal(entry.content.bodyMd5.length, 16);
  assert.deepEqual(entry.content.attributes, []);
  assert.equal("groupId" in entry || "contentDeduplicationId" in entry || "traceHeader" in entry.content, false);
});

test("attributes count towards the size, system attributes do not (C021)", () => {
  const entry = entryOf({ MessageBody: "a".repeat(1016), MessageAttributes: { k: text("v") }, ...trace(TRACE) });
  assert.equal(entry.sizeBytes, 1024);
});

test("a group without a deduplication id brings the hash of the body", () => {
  const hash = createHash("sha256").update("silt").digest("hex");
  assert.equal(entryOf({ MessageBody: "silt", MessageGroupId: "g" }).contentDeduplicationId, hash);
  const explicit = entryOf({ MessageBody: "silt", MessageGroupId: "g", MessageDeduplicationId: "d" });
  assert.equal(explicit.deduplicationId, "d");
  assert.equal(explicit.contentDeduplicationId, undefined);
});

test("the trace header is sent as a system attribute or as a header of the request (C038)", () => {
  assert.equal(entryOf({ MessageBody: "t", ...trace(TRACE) }).content.traceHeader, TRACE);
  const header = { "x-amzn-trace-id": "Root=1-other" };
  assert.equal(entryOf({ MessageBody: "t" }, header).content.traceHeader, "Root=1-other");
  assert.equal(entryOf({ MessageBody: "t", ...trace(TRACE) }, header).content.traceHeader, TRACE);
});

test("the answer carries the digests of what was sent and leaves out what does not apply", () => {
  const given = sending({ MessageBody: "t", MessageAttributes: { tenant: text("heron") }, ...trace(TRACE) });
  const sent = { ok: true, value: { messageId: "m", sequenceNumber: "00000000000000000001" } };
  assert.deepEqual(jsonOf(answerTo(given, { entries: [sent] })), {
    MessageId: "m",
    MD5OfMessageBody: createHash("md5").update("t").digest("hex"),
    MD5OfMessageAttributes: "b1002d6bafc6b8da6633cd960655a984",
    MD5OfMessageSystemAttributes: "afb4b403a36fad30d381c6ef01e5330f",
    SequenceNumber: "00000000000000000001",
  });
  const plain = jsonOf(answerTo(sending({ MessageBody: "t" }), { entries: [{ ok: true, value: { messageId: "m" } }] }));
  assert.deepEqual(Object.keys(plain as object), ["MessageId", "MD5OfMessageBody"]);
});

test("bodies may hold line breaks and emoji, but no control characters and no halves of characters", () => {
  assert.equal(Buffer.from(entryOf({ MessageBody: " \t\r\n🐸\ufffd" }).content.body).toString(), " \t\r\n🐸\ufffd");
  const bad: [string, string][] = [
    ["a\u0000", "#x0"],
    ["\u001f", "#x1F"],
    ["🐸\ud83d", "#xD83D"],
    ["\udc00a", "#xDC00"],
    ["\uffff", "#xFFFF"],
  ];
  for (const [MessageBody, character] of bad) {
    const { type, message } = refusedAs(sending({ MessageBody }));
    assert.equal(type, "InvalidMessageContents");
    assert.ok(message.startsWith(`Invalid binary character '${character}' was found in the message body, `), message);
  }
});

test("delays and ids are checked", () => {
  const delay = "Value 901 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.";
  assert.equal(refusedAs(sending({ MessageBody: "b", DelaySeconds: 901 })).message, delay);
  for (const parameter of ["MessageGroupId", "MessageDeduplicationId"]) {
    for (const value of ["", "a b", "é", "x".repeat(129)]) {
      const reason = `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
      assert.deepEqual(refusedAs(sending({ MessageBody: "b", [parameter]: value })), {
        type: "InvalidParameterValueException",
        message: `Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`,
        status: 400,
      });
    }
  }
  assert.equal(entryOf({ MessageBody: "b", MessageGroupId: "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" }).groupId?.length, 32);
});

test("the sender id looks like AWS's and stays with the access key", () => {
  const as = (key: string) => ({ authorization: `AWS4-HMAC-SHA256 Credential=${key}/1/us-east-1/sqs/aws4_request` });
  const senderOf = (headers: object) =>
    commandOf(jsonRequest("SendMessage", { QueueUrl: QUEUE_URL, MessageBody: "b" }, { ...headers }), "sendMessages")
      .senderId;
  assert.match(senderOf(as("one")), /^AIDA[A-Z2-7]{17}$/);
  assert.equal(senderOf(as("one")), senderOf(as("one")));
  assert.notEqual(senderOf(as("one")), senderOf(as("two")));
  assert.match(senderOf({}), /^AIDA[A-Z0-9]{17}$/);
});

function sending(input: object, headers: Record<string, string> = {}) {
  return jsonRequest("SendMessage", { QueueUrl: QUEUE_URL, ...input }, headers);
}

function entryOf(input: object, headers: Record<string, string> = {}): SendEntry {
  return commandOf(sending(input, headers), "sendMessages").entries[0] as SendEntry;
}

function text(value: string) {
  return { DataType: "String", StringValue: value };
}

function trace(value: string) {
  return { MessageSystemAttributes: { AWSTraceHeader: text(value) } };
}
