import assert from "node:assert/strict";
import test from "node:test";
import { receiptHandleInvalid } from "../../engine/refusal.ts";
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

const MiB = 1024 * 1024;
const good: Record<string, (id: string) => object> = {
  SendMessageBatch: (Id) => ({ Id, MessageBody: "b" }),
  DeleteMessageBatch: (Id) => ({ Id, ReceiptHandle: "r" }),
  ChangeMessageVisibilityBatch: (Id) => ({ Id, ReceiptHandle: "r", VisibilityTimeout: 1 }),
};

test("a batch needs entries (C024)", () => {
  const names: Record<string, string> = {
    SendMessageBatch: "SendMessageBatchRequestEntry",
    DeleteMessageBatch: "DeleteMessageBatchRequestEntry",
    ChangeMessageVisibilityBatch: "ChangeMessageVisibilityBatch",
  };
  for (const [action, name] of Object.entries(names)) {
    const expected = {
      type: "EmptyBatchRequest",
      message: `There should be at least one ${name} in the request.`,
      status: 400,
    };
    assert.deepEqual(refusedAs(batch(action, [])), expected);
    assert.deepEqual(refusedAs(jsonRequest(action, { QueueUrl: QUEUE_URL })), expected);
  }
});

test("a batch is checked whole: count, ids, repeated ids (C023, C024)", () => {
  for (const [action, entry] of Object.entries(good)) {
    const eleven = Array.from({ length: 11 }, (_, index) => entry(`e${index}`));
    assert.deepEqual(refusedAs(batch(action, eleven)), {
      type: "TooManyEntriesInBatchRequest",
      message: "Maximum number of entries per request are 10. You have sent 11.",
      status: 400,
    });
    for (const id of ["", "a:b", "a b", "é", "x".repeat(81)]) {
      const { type, message } = refusedAs(batch(action, [entry("a"), entry(id)]));
      assert.equal(type, "InvalidBatchEntryId", id);
      const text = "A batch entry id can only contain alphanumeric characters, hyphens and underscores.";
      assert.equal(message, `${text} It can be at most 80 letters long.`);
    }
    const repeated = refusedAs(batch(action, [entry("a"), entry("b"), entry("c"), entry("b"), entry("a")]));
    assert.deepEqual([repeated.type, repeated.message], ["BatchEntryIdsNotDistinct", "Id b repeated."]);
    const { Id: _, ...nameless } = entry("x") as { Id: string };
    const missing = `The request must contain the parameter ${action}RequestEntry.2.Id.`;
    assert.equal(refusedAs(batch(action, [entry("a"), nameless])).message, missing);
  }
});

test("the total may be 1 MiB and no more, attributes included (C022)", () => {
  const half = MiB / 2;
  const fits = [
    { Id: "u", MessageBody: "a".repeat(half) },
    { Id: "v", MessageBody: "b".repeat(half - 8), MessageAttributes: { k: { DataType: "String", StringValue: "v" } } },
  ];
  assert.equal(commandOf(batch("SendMessageBatch", fits), "sendMessages").entries.length, 2);
  const over = [fits[0], { ...fits[1], MessageBody: "b".repeat(half - 7) }];
  assert.deepEqual(refusedAs(batch("SendMessageBatch", over as object[])), {
    type: "BatchRequestTooLong",
    message: "Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes.",
    status: 400,
  });
});

test("bad entries fail alone, in the order of the request", () => {
  const given = batch("SendMessageBatch", [
    { Id: "bad-character", MessageBody: "\u0000" },
    { Id: "first", MessageBody: "1" },
    { Id: "no-body" },
    { Id: "second", MessageBody: "2" },
    { Id: "refused", MessageBody: "3" },
    { Id: "attribute", MessageBody: "4", MessageAttributes: { k: { DataType: "String", StringValue: "" } } },
    { Id: "delay", MessageBody: "5", DelaySeconds: 901 },
    { Id: "group", MessageBody: "6", MessageGroupId: "" },
  ]);
  const { entries, batch: isBatch } = commandOf(given, "sendMessages");
  assert.equal(isBatch, true);
  assert.deepEqual(
    entries.map(({ content }) => Buffer.from(content.body).toString()),
    ["1", "2", "3"],
  );
  const answer = jsonOf(
    answerTo(given, {
      entries: [
        { ok: true, value: { messageId: "m1" } },
        { ok: true, value: { messageId: "m2" } },
        { ok: false, refusal: { code: "InvalidParameterValue", message: "too long" } },
      ],
    }),
  ) as { Successful: { Id: string; MessageId: string }[]; Failed: Record<string, unknown>[] };
  assert.deepEqual(
    answer.Successful.map(({ Id, MessageId }) => [Id, MessageId]),
    [
      ["first", "m1"],
      ["second", "m2"],
    ],
  );
  assert.deepEqual(
    answer.Failed.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]),
    [
      ["bad-character", "InvalidMessageContents", true],
      ["no-body", "MissingParameter", true],
      ["refused", "InvalidParameterValue", true],
      ["attribute", "InvalidParameterValue", true],
      ["delay", "InvalidParameterValue", true],
      ["group", "InvalidParameterValue", true],
    ],
  );
  const noBody = "The request must contain the parameter SendMessageBatchRequestEntry.3.MessageBody.";
  assert.equal(answer.Failed[1]?.["Message"], noBody);
});

test("when every entry is bad the queue must still be there", () => {
  const given = batch("ChangeMessageVisibilityBatch", [
    { Id: "a", ReceiptHandle: "r", VisibilityTimeout: 43201 },
    { Id: "b", VisibilityTimeout: 1 },
    { Id: "c", ReceiptHandle: "r" },
  ]);
  assert.deepEqual(commandOf(given, "getQueue").queue, QUEUE);
  const reason = "VisibilityTimeout must be an integer between 0 and 43200.";
  const name = "ChangeMessageVisibilityBatchRequestEntry";
  const failed = (Id: string, Code: string, Message: string) => ({ Id, SenderFault: true, Code, Message });
  assert.deepEqual(jsonOf(answerTo(given, { queue: QUEUE })), {
    Failed: [
      failed("a", "InvalidParameterValue", `Value 43201 for parameter VisibilityTimeout is invalid. Reason: ${reason}`),
      failed("b", "MissingParameter", `The request must contain the parameter ${name}.2.ReceiptHandle.`),
      failed("c", "MissingParameter", `The request must contain the parameter ${name}.3.VisibilityTimeout.`),
    ],
  });
});

test("lists of results are absent when empty, and entries carry the Query code in both protocols", () => {
  const fields = {
    Action: "DeleteMessageBatch",
    QueueUrl: QUEUE_URL,
    "DeleteMessageBatchRequestEntry.1.Id": "a",
    "DeleteMessageBatchRequestEntry.1.ReceiptHandle": "h",
  };
  const done = { entries: [{ ok: true, value: null }] };
  const failed = { entries: [{ ok: false, refusal: receiptHandleInvalid("h") }] };
  const json = batch("DeleteMessageBatch", [{ Id: "a", ReceiptHandle: "h" }]);
  assert.deepEqual(jsonOf(answerTo(json, done)), { Successful: [{ Id: "a" }] });
  assert.deepEqual(Object.keys(jsonOf(answerTo(json, failed)) as object), ["Failed"]);
  assert.match(
    String(answerTo(queryRequest(fields), failed).body),
    /<DeleteMessageBatchResult><BatchResultErrorEntry><Id>a<\/Id><SenderFault>true<\/SenderFault><Code>ReceiptHandleIsInvalid<\/Code><Message>[^<]+<\/Message><\/BatchResultErrorEntry><\/DeleteMessageBatchResult>/,
  );
});

function batch(action: string, entries: object[]) {
  return jsonRequest(action, { QueueUrl: QUEUE_URL, Entries: entries });
}
