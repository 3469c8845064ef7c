import assert from "node:assert/strict";
import test from "node:test";
import type { MessageAttribute, ReceivedMessage } from "../../engine/command.ts";
import {
  answerTo,
  commandOf,
  jsonOf,
  jsonRequest,
  QUEUE,
  QUEUE_URL,
  queryRequest,
  refusedAs,
} from "../exchange.test.fixture.ts";

test("seconds become milliseconds, and what is absent stays absent", () => {
  assert.deepEqual(commandOf(receiving({}), "receiveMessages"), {
    kind: "receiveMessages",
    queue: QUEUE,
    messagesMax: 1,
  });
  const input = { MaxNumberOfMessages: 10, VisibilityTimeout: 0, WaitTimeSeconds: 20, ReceiveRequestAttemptId: "a" };
  assert.deepEqual(commandOf(receiving(input), "receiveMessages"), {
    kind: "receiveMessages",
    queue: QUEUE,
    messagesMax: 10,
    visibilityTimeoutMs: 0,
    waitMs: 20_000,
    attemptId: "a",
  });
});

test("ranges are AWS's (C035)", () => {
  const cases: [string, number[], string][] = [
    ["MaxNumberOfMessages", [0, 11, -1], "Must be between 1 and 10, if provided."],
    ["WaitTimeSeconds", [21, -1], "Must be >= 0 and <= 20, if provided."],
    ["VisibilityTimeout", [43201, -1], "Must be >= 0 and <= 43200, if provided."],
  ];
  for (const [parameter, values, reason] of cases) {
    for (const value of values) {
      assert.deepEqual(refusedAs(receiving({ [parameter]: value })), {
        type: "InvalidParameterValueException",
        message: `Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`,
        status: 400,
      });
    }
  }
});

test("an empty receive has no Messages key (C032)", () => {
  assert.equal(answerTo(receiving({}), { messages: [] }).body, "{}");
  const query = queryRequest({ Action: "ReceiveMessage", QueueUrl: QUEUE_URL });
  assert.match(String(answerTo(query, { messages: [] }).body), /<ReceiveMessageResult\/>/);
});

test("a message shows only what was asked for (C018)", () => {
  const bare = { MessageId: "m", ReceiptHandle: "r", MD5OfBody: "0".repeat(32), Body: "b\r" };
  assert.deepEqual(received({}), bare);
  assert.deepEqual(received({ MessageAttributeNames: ["All"] }, []), bare);
  assert.deepEqual(received({ AttributeNames: ["SequenceNumber", "Nope"] }), bare);
});

test("the digest covers the attributes in the answer (C017, C019)", () => {
  const stored: MessageAttribute[] = [
    { name: "blob", dataType: "Binary", value: Uint8Array.of(1, 2, 3, 255) },
    { name: "hops", dataType: "Number", value: "42" },
    { name: "tenant", dataType: "String", value: "heron" },
  ];
  const all = received({ MessageAttributeNames: ["All"] }, stored);
  assert.equal(all["MD5OfMessageAttributes"], "2e87fffd796f89ec62359fbff391b72f");
  assert.deepEqual(all["MessageAttributes"], {
    blob: { BinaryValue: "AQID/w==", DataType: "Binary" },
    hops: { StringValue: "42", DataType: "Number" },
    tenant: { StringValue: "heron", DataType: "String" },
  });
  const one = received({ MessageAttributeNames: ["tenant"] }, stored);
  assert.equal(one["MD5OfMessageAttributes"], "b1002d6bafc6b8da6633cd960655a984");
});

test("both lists of system attributes count, together", () => {
  const both = { AttributeNames: ["SenderId"], MessageSystemAttributeNames: ["SentTimestamp"] };
  assert.deepEqual(received(both)["Attributes"], { SenderId: "AIDA", SentTimestamp: "1700000000000" });
  const all = received({ MessageSystemAttributeNames: ["All"] })["Attributes"];
  assert.deepEqual(all, {
    SenderId: "AIDA",
    SentTimestamp: "1700000000000",
    ApproximateReceiveCount: "2",
    ApproximateFirstReceiveTimestamp: "1700000000001",
    MessageGroupId: "g",
    AWSTraceHeader: "Root=1",
  });
  const query = { Action: "ReceiveMessage", QueueUrl: QUEUE_URL, "MessageSystemAttributeName.1": "SenderId" };
  const xml = String(answerTo(queryRequest(query), { messages: [message([])] }).body);
  assert.match(
    xml,
    /<Body>b&#xD;<\/Body><Attribute><Name>SenderId<\/Name><Value>AIDA<\/Value><\/Attribute><\/Message>/,
  );
});

function receiving(input: object) {
  return jsonRequest("ReceiveMessage", { QueueUrl: QUEUE_URL, ...input });
}

function received(input: object, attributes: MessageAttribute[] = []): Record<string, unknown> {
  const answer = jsonOf(answerTo(receiving(input), { messages: [message(attributes)] }));
  return (answer as { Messages: Record<string, unknown>[] }).Messages[0] as Record<string, unknown>;
}

function message(attributes: MessageAttribute[]): ReceivedMessage {
  return {
    messageId: "m",
    receiptHandle: "r",
    content: { body: Buffer.from("b\r"), bodyMd5: new Uint8Array(16), attributes, traceHeader: "Root=1" },
    senderId: "AIDA",
    sentAtMs: 1_700_000_000_000,
    firstReceivedAtMs: 1_700_000_000_001,
    receiveCount: 2,
    groupId: "g",
  };
}
