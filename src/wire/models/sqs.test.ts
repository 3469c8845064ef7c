import assert from "node:assert/strict";
import test from "node:test";
import type { Member, Shape, Structure } from "../protocol/model.ts";
import { sqsOperations } from "../sqs/registry.ts";
import { operations } from "./sqs.ts";

/** What the Query protocol calls the members that do not go by their own name (developer guide, "query API"). */
const queryNames: Record<string, string> = {
  "CreateQueueRequest.Attributes": "Attribute",
  "CreateQueueRequest.tags": "Tag",
  "TagQueueRequest.Tags": "Tag",
  "UntagQueueRequest.TagKeys": "TagKey",
  "GetQueueAttributesRequest.AttributeNames": "AttributeName",
  "ReceiveMessageRequest.MessageSystemAttributeNames": "MessageSystemAttributeName",
  "ReceiveMessageRequest.MessageAttributeNames": "MessageAttributeName",
  "SendMessageRequest.MessageAttributes": "MessageAttribute",
  "SendMessageRequest.MessageSystemAttributes": "MessageSystemAttribute",
  "SendMessageBatchRequest.Entries": "SendMessageBatchRequestEntry",
  "SendMessageBatchResult.Successful": "SendMessageBatchResultEntry",
  "SendMessageBatchResult.Failed": "BatchResultErrorEntry",
  "DeleteMessageBatchRequest.Entries": "DeleteMessageBatchRequestEntry",
  "DeleteMessageBatchResult.Successful": "DeleteMessageBatchResultEntry",
  "ChangeMessageVisibilityBatchRequest.Entries": "ChangeMessageVisibilityBatchRequestEntry",
  "ChangeMessageVisibilityBatchResult.Successful": "ChangeMessageVisibilityBatchResultEntry",
  "AddPermissionRequest.AWSAccountIds": "AWSAccountId",
  "AddPermissionRequest.Actions": "ActionName",
  "ListQueuesResult.QueueUrls": "QueueUrl",
  "ListDeadLetterSourceQueuesResult.queueUrls": "QueueUrl",
  "ReceiveMessageResult.Messages": "Message",
  "ListMessageMoveTasksResult.Results": "ListMessageMoveTasksResultEntry",
};

test("members go by the names that callers of the Query protocol use, all of them flat", () => {
  const members = membersByPath();
  for (const [path, queryName] of Object.entries(queryNames)) assert.equal(members.get(path)?.queryName, queryName, path);
  for (const [path, { shape, flattened }] of members) {
    if (shape.is === "list" || shape.is === "map") assert.equal(flattened, true, path);
  }
});

test("every operation of the model is in the registry", () => {
  const names = Object.keys(operations);
  assert.equal(names.length, 23);
  for (const name of names) assert.equal(sqsOperations.get(name)?.name, name);
  assert.equal(sqsOperations.get("toString"), undefined);
});

function membersByPath(): Map<string, Member> {
  const found = new Map<string, Member>();
  for (const model of Object.values(operations)) {
    collect(model.input, found);
    if ("output" in model) collect(model.output, found);
  }
  return found;
}

function collect(shape: Shape, found: Map<string, Member>): void {
  if (shape.is === "list" || shape.is === "map") collect(shape.of, found);
  if (shape.is !== "structure") return;
  for (const [name, member] of Object.entries((shape as Structure).members)) {
    found.set(`${shape.name}.${name}`, member);
    collect(member.shape, found);
  }
}
