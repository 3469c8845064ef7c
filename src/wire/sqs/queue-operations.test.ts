import assert from "node:assert/strict";
import test from "node:test";
import { answerTo, commandOf, jsonOf, jsonRequest, QUEUE, QUEUE_URL, refusedAs } from "../exchange.test.fixture.ts";

test("a queue is created with attributes and tags as they came", () => {
  const given = jsonRequest("CreateQueue", {
    QueueName: "orders",
    Attributes: { FifoQueue: "True" },
    tags: { a: "b" },
  });
  const { queue, attributes, tags } = commandOf(given, "createQueue");
  assert.deepEqual([queue, { ...attributes }, { ...tags }], [QUEUE, { FifoQueue: "True" }, { a: "b" }]);
  assert.deepEqual(jsonOf(answerTo(given, { queue })), { QueueUrl: QUEUE_URL });
});

test("queue attributes are picked by name; nothing asked or nothing set leaves the member out (C015)", () => {
  const attributes = { VisibilityTimeout: "30", QueueArn: "arn" };
  const picked = (input: object) =>
    jsonOf(answerTo(jsonRequest("GetQueueAttributes", { QueueUrl: QUEUE_URL, ...input }), { attributes }));
  assert.deepEqual(picked({ AttributeNames: ["All"] }), { Attributes: attributes });
  assert.deepEqual(picked({ AttributeNames: ["QueueArn", "Policy"] }), { Attributes: { QueueArn: "arn" } });
  for (const input of [{}, { AttributeNames: [] }, { AttributeNames: ["Policy"] }]) assert.deepEqual(picked(input), {});
  assert.deepEqual(refusedAs(jsonRequest("GetQueueAttributes", { QueueUrl: QUEUE_URL, AttributeNames: ["Foobar"] })), {
    type: "InvalidAttributeName",
    message: "Unknown Attribute Foobar.",
    status: 400,
  });
});

test("lists of queues have pages, and no member when they are empty (C031)", () => {
  const given = jsonRequest("ListQueues", { QueueNamePrefix: "lq-", MaxResults: 2, NextToken: "t" });
  const scope = { account: "000000000000", region: "us-east-1" };
  assert.deepEqual(commandOf(given, "listQueues"), {
    kind: "listQueues",
    scope,
    prefix: "lq-",
    resultsMax: 2,
    nextToken: "t",
  });
  const page = { queues: [QUEUE], nextToken: "u" };
  assert.deepEqual(jsonOf(answerTo(given, page)), { QueueUrls: [QUEUE_URL], NextToken: "u" });
  assert.deepEqual(jsonOf(answerTo(given, { queues: [] })), {});
  const sources = jsonRequest("ListDeadLetterSourceQueues", { QueueUrl: QUEUE_URL });
  assert.deepEqual(jsonOf(answerTo(sources, { queues: [] })), { queueUrls: [] });
  const text = "Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000.";
  for (const MaxResults of [0, 1001, -1]) {
    assert.equal(refusedAs(jsonRequest("ListQueues", { MaxResults })).message, text);
    const asked = { QueueUrl: QUEUE_URL, MaxResults };
    assert.equal(refusedAs(jsonRequest("ListDeadLetterSourceQueues", asked)).message, text);
  }
});

test("tags are absent when there are none", () => {
  const given = jsonRequest("ListQueueTags", { QueueUrl: QUEUE_URL });
  assert.deepEqual(jsonOf(answerTo(given, { tags: {} })), {});
  assert.deepEqual(jsonOf(answerTo(given, { tags: { a: "" } })), { Tags: { a: "" } });
});

test("a visibility timeout lies between 0 and 12 hours", () => {
  const changing = (VisibilityTimeout: number) =>
    jsonRequest("ChangeMessageVisibility", { QueueUrl: QUEUE_URL, ReceiptHandle: "r", VisibilityTimeout });
  const { entries } = commandOf(changing(43200), "changeVisibility");
  assert.deepEqual(entries, [{ receiptHandle: "r", visibilityTimeoutMs: 43_200_000 }]);
  const text = "Value 43201 for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and 43200.";
  assert.equal(refusedAs(changing(43201)).message, text);
});
