import assert from "node:assert/strict";
import test from "node:test";
import { jsonRequest, QUEUE_URL, refusedAs } from "../exchange.test.fixture.ts";

const complete: Record<string, Record<string, unknown>> = {
  AddPermission: { QueueUrl: QUEUE_URL, Label: "l", AWSAccountIds: ["1"], Actions: ["*"] },
  RemovePermission: { QueueUrl: QUEUE_URL, Label: "l" },
  CreateQueue: { QueueName: "q" },
  GetQueueUrl: { QueueName: "q" },
  DeleteQueue: { QueueUrl: QUEUE_URL },
  PurgeQueue: { QueueUrl: QUEUE_URL },
  GetQueueAttributes: { QueueUrl: QUEUE_URL },
  SetQueueAttributes: { QueueUrl: QUEUE_URL, Attributes: { DelaySeconds: "1" } },
  TagQueue: { QueueUrl: QUEUE_URL, Tags: { a: "b" } },
  UntagQueue: { QueueUrl: QUEUE_URL, TagKeys: ["a"] },
  ListQueueTags: { QueueUrl: QUEUE_URL },
  ListDeadLetterSourceQueues: { QueueUrl: QUEUE_URL },
  SendMessage: { QueueUrl: QUEUE_URL, MessageBody: "b" },
  SendMessageBatch: { QueueUrl: QUEUE_URL },
  ReceiveMessage: { QueueUrl: QUEUE_URL },
  DeleteMessage: { QueueUrl: QUEUE_URL, ReceiptHandle: "r" },
  ChangeMessageVisibility: { QueueUrl: QUEUE_URL, ReceiptHandle: "r", VisibilityTimeout: 0 },
  StartMessageMoveTask: { SourceArn: "arn:aws:sqs:us-east-1:000000000000:q" },
  ListMessageMoveTasks: { SourceArn: "arn:aws:sqs:us-east-1:000000000000:q" },
  CancelMessageMoveTask: { TaskHandle: "h" },
};

/** By the name of the first attribute, as the Query protocol has it. */
const namedOtherwise: Record<string, string> = { "SetQueueAttributes.Attributes": "Attribute.Name" };

test("each required parameter is missed by name, absent or empty", () => {
  for (const [action, input] of Object.entries(complete)) {
    for (const member of Object.keys(input)) {
      const { [member]: given, ...rest } = input;
      const name = namedOtherwise[`${action}.${member}`] ?? member;
      const expected = {
        type: "MissingRequiredParameterException",
        message: `The request must contain the parameter ${name}.`,
        status: 400,
      };
      assert.deepEqual(refusedAs(jsonRequest(action, rest)), expected, `${action} without ${member}`);
      if (typeof given === "number") continue;
      const empty = { ...rest, [member]: emptied(given) };
      assert.deepEqual(refusedAs(jsonRequest(action, empty)), expected, `${action} with an empty ${member}`);
    }
  }
});

function emptied(value: unknown): unknown {
  if (typeof value === "string") return "";
  return Array.isArray(value) ? [] : {};
}
