// How one refusal is spelled in each protocol, down to headers, and how requests that are not well formed end.

import assert from "node:assert/strict";
import type { Answer } from "./http.ts";
import { elementText, exchange, JSON_TYPE, json, query } from "./http.ts";
import { scenariosOnOneServer } from "./world.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MODELLED = "com.amazonaws.sqs#";
const COMMON = "com.amazon.coral.service#";
const queryMode = { "x-amzn-query-mode": "true" };

interface Spelling {
  action: string;
  input: Record<string, string>;
  type: string;
  code: string;
  status: number;
  message: string;
  queryMessage?: string;
}

const SPELLINGS: Spelling[] = [
  {
    action: "GetQueueUrl",
    input: { QueueName: "not-there" },
    type: `${MODELLED}QueueDoesNotExist`,
    code: "AWS.SimpleQueueService.NonExistentQueue",
    status: 400,
    message: "The specified queue does not exist.",
    queryMessage: "The specified queue does not exist for this wsdl version.",
  },
  {
    action: "CreateQueue",
    input: { QueueName: "bad name" },
    type: `${COMMON}InvalidParameterValueException`,
    code: "InvalidParameterValue",
    status: 400,
    message: "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
  },
  {
    action: "SendMessage",
    input: { QueueUrl: "/000000000000/q" },
    type: `${COMMON}MissingRequiredParameterException`,
    code: "MissingParameter",
    status: 400,
    message: "The request must contain the parameter MessageBody.",
  },
  {
    action: "StartMessageMoveTask",
    input: { SourceArn: "arn:aws:sqs:us-east-1:000000000000:not-there" },
    type: `${MODELLED}ResourceNotFoundException`,
    code: "ResourceNotFoundException",
    status: 404,
    message: "The resource that you specified for the SourceArn parameter doesn't exist.",
  },
  {
    action: "SendMessageBatch",
    input: { QueueUrl: "/000000000000/q" },
    type: `${MODELLED}EmptyBatchRequest`,
    code: "AWS.SimpleQueueService.EmptyBatchRequest",
    status: 400,
    message: "There should be at least one SendMessageBatchRequestEntry in the request.",
  },
];

function assertJsonError({ status, headers, text }: Answer, expected: { type: string; status: number }): void {
  assert.equal(status, expected.status, text);
  assert.equal(headers["content-type"], JSON_TYPE);
  const { __type, message, ...more } = JSON.parse(text);
  assert.equal(__type, expected.type);
  assert.equal(typeof message, "string");
  assert.deepEqual(more, {});
}

scenariosOnOneServer((scenario) => {
  scenario(
    "a JSON refusal has type and message, and the old code whether the client asks for it or not",
    async ({ endpoint }) => {
      for (const { action, input, type, code, status, message } of SPELLINGS) {
        // SDKs of 2023 and 2024 read the header and do not ask for it.
        for (const headers of [{}, queryMode]) {
          const answer = await json(endpoint, action, input, headers);
          assertJsonError(answer, { type, status });
          assert.equal(JSON.parse(answer.text).message, message);
          assert.equal(answer.headers["x-amzn-query-error"], `${code};Sender`);
          assert.match(String(answer.headers["x-amzn-requestid"]), UUID);
        }
      }
    },
  );

  scenario("a Query refusal is an XML document with type, code, message, detail and request id", async (world) => {
    for (const { action, input, code, status, message, queryMessage = message } of SPELLINGS) {
      for (const headers of [{}, queryMode]) {
        const answer = await query(world.endpoint, { Action: action, ...input }, { headers });
        assert.equal(answer.status, status);
        assert.match(String(answer.headers["content-type"]), /^text\/xml/);
        assert.equal(answer.headers["x-amzn-query-error"], undefined);
        const requestId = String(answer.headers["x-amzn-requestid"]);
        assert.match(requestId, UUID);
        assert.equal(elementText(answer, "RequestId"), requestId);
        assert.match(answer.text, /<ErrorResponse xmlns="http:\/\/queue\.amazonaws\.com\/doc\/2012-11-05\/">/);
        assert.match(answer.text, /<Detail\s*\/>|<Detail><\/Detail>/);
        assert.equal(elementText(answer, "Type"), "Sender");
        assert.equal(elementText(answer, "Code"), code);
        assert.equal(elementText(answer, "Message")?.replaceAll("&apos;", "'").replaceAll("&#39;", "'"), queryMessage);
      }
    }
  });

  scenario("a refusal quotes what it was given, escaped", async ({ endpoint }) => {
    const fields = { Action: "DeleteMessage", QueueUrl: "q", ReceiptHandle: '<a href="&">' };
    await query(endpoint, { Action: "CreateQueue", QueueName: "q" });
    const answer = await query(endpoint, fields);
    assert.equal(answer.status, 404);
    assert.match(elementText(answer, "Message") ?? "", /&lt;a href=&quot;&amp;&quot;&gt;|&lt;a href="&amp;"&gt;/);
  });

  scenario("targets that are none are unknown operations", async ({ endpoint }) => {
    for (const target of [
      "AmazonSQS.Dance",
      "Amazon.ListQueues",
      "ListQueues",
      "AmazonSQS.",
      ".",
      "AmazonSQS.listQueues",
      "AmazonSQS.__proto__",
    ]) {
      const answer = await json(endpoint, "", {}, { "x-amz-target": target });
      assertJsonError(answer, { type: `${COMMON}UnknownOperationException`, status: 404 });
    }
    const none = await exchange(endpoint, { headers: { "content-type": JSON_TYPE }, body: "{}" });
    assertJsonError(none, { type: `${COMMON}UnknownOperationException`, status: 404 });
  });

  scenario("values of the wrong JSON type are refused, whatever the member", async ({ endpoint }) => {
    const bad: [string, unknown][] = [
      ["ReceiveMessage", { QueueUrl: "q", MaxNumberOfMessages: "10" }],
      ["ReceiveMessage", { QueueUrl: "q", MaxNumberOfMessages: 1.5 }],
      ["ReceiveMessage", { QueueUrl: "q", MaxNumberOfMessages: 1e300 }],
      ["ReceiveMessage", { QueueUrl: "q", MaxNumberOfMessages: [1] }],
      ["ReceiveMessage", { QueueUrl: "q", AttributeNames: "All" }],
      ["ReceiveMessage", { QueueUrl: "q", AttributeNames: { All: 1 } }],
      ["ReceiveMessage", { QueueUrl: ["q"] }],
      ["SendMessage", { QueueUrl: "q", MessageBody: 7 }],
      ["SendMessage", { QueueUrl: "q", MessageBody: { a: 1 } }],
      ["SendMessage", { QueueUrl: "q", MessageBody: "m", MessageAttributes: [] }],
      ["SendMessage", { QueueUrl: "q", MessageBody: "m", MessageAttributes: { a: "text" } }],
      ["SendMessage", { QueueUrl: "q", MessageBody: "m", MessageAttributes: { a: { DataType: 1 } } }],
      [
        "SendMessage",
        {
          QueueUrl: "q",
          MessageBody: "m",
          MessageAttributes: { a: { DataType: "Binary", BinaryValue: "no base64!" } },
        },
      ],
      ["SendMessageBatch", { QueueUrl: "q", Entries: { Id: "a" } }],
      ["SendMessageBatch", { QueueUrl: "q", Entries: ["a"] }],
      ["CreateQueue", { QueueName: "typed", Attributes: { DelaySeconds: 5 } }],
      ["CreateQueue", { QueueName: true }],
    ];
    for (const [action, input] of bad) {
      const answer = await json(endpoint, action, input, queryMode);
      assertJsonError(answer, { type: `${COMMON}SerializationException`, status: 400 });
      assert.equal(answer.headers["x-amzn-query-error"], "MalformedInput;Sender");
    }
  });

  scenario("bodies that are no JSON document are refused", async ({ endpoint }) => {
    for (const body of [
      "{",
      "[]",
      "nul",
      '"text"',
      "7",
      "{} {}",
      "{'a':1}",
      "\u0000",
      '{"a":}',
      '{"QueueNamePrefix":"\\ud8"}',
    ]) {
      assertJsonError(await json(endpoint, "ListQueues", body), {
        type: `${COMMON}SerializationException`,
        status: 400,
      });
    }
    const invalidUtf8 = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
    assertJsonError(await json(endpoint, "ListQueues", invalidUtf8), {
      type: `${COMMON}SerializationException`,
      status: 400,
    });
    assert.equal((await json(endpoint, "ListQueues", "")).status, 200);
  });

  scenario("null counts as absent, and members that nobody knows are ignored", async ({ endpoint }) => {
    const input = { QueueName: "nulls", Attributes: null, tags: null, Unknown: { deep: [1] }, __proto__x: 1 };
    assert.equal((await json(endpoint, "CreateQueue", input)).status, 200);
    const send = { QueueUrl: "nulls", MessageBody: "m", DelaySeconds: null, MessageGroupId: null };
    assert.equal((await json(endpoint, "SendMessage", send)).status, 200);
  });

  scenario("Query values that are no numbers are refused as such", async ({ endpoint }) => {
    await query(endpoint, { Action: "CreateQueue", QueueName: "numbers" });
    for (const count of ["ten", "1.5", "", "0x1", "1e1", "99999999999999999999"]) {
      const fields = { Action: "ReceiveMessage", QueueUrl: "numbers", MaxNumberOfMessages: count };
      const answer = await query(endpoint, fields);
      if (count === "") continue;
      assert.equal(answer.status, 400);
      assert.match(elementText(answer, "Code") ?? "", /^(InvalidParameterValue|MalformedInput)$/);
    }
  });

  scenario("names of JavaScript's own are names like any other", async ({ endpoint, sqs }) => {
    const { QueueUrl } = await sqs.createQueue({ QueueName: "constructor" });
    const attribute = '{"DataType":"String","StringValue":"v"}';
    const body = `{"QueueUrl":"constructor","MessageBody":"m","MessageAttributes":{"__proto__":${attribute},"toString":${attribute}}}`;
    assert.equal((await json(endpoint, "SendMessage", body)).status, 200);
    const received = await json(endpoint, "ReceiveMessage", { QueueUrl, MessageAttributeNames: ["All"] });
    assert.match(received.text, /"__proto__":\{/);
    const fields = { Action: "GetQueueAttributes", QueueUrl: "constructor", "AttributeName.1": "__proto__" };
    assert.equal(elementText(await query(endpoint, fields), "Message"), "Unknown Attribute __proto__.");
    const action = await query(endpoint, { Action: "constructor" });
    assert.equal(elementText(action, "Code"), "InvalidAction");
  });
});
