// PublishBatch: up to ten messages, at most 256 KiB together. Unlike SQS, SNS fails the whole call for what is wrong
// with one entry; only what happens while publishing can fail an entry alone (fanout.md A6).

import { refuse } from "../../base/result.ts";
import type { PublishEntry } from "../../engine/command.ts";
import { BATCH_ENTRIES_MAX, BATCH_ID_CHARACTERS_MAX, PUBLISH_BYTES_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";
import { topicOf } from "./arn.ts";
import { errors } from "./errors.ts";
import { ask, operation } from "./operation.ts";
import { readMessage } from "./publish-entry.ts";
import { nullAt } from "./refusals.ts";

export const publishBatch = operation("PublishBatch", (input, call) => {
  const topic = topicOf(input.TopicArn, call);
  if (!topic.ok) return topic;
  const { PublishBatchRequestEntries: inputs = [] } = input;
  const badBatch = checkBatch(inputs);
  if (badBatch !== undefined) return refuse(badBatch);
  const entries: PublishEntry[] = [];
  let bytes = 0;
  for (const [index, each] of inputs.entries()) {
    const message = readMessage(each, call, `publishBatchRequestEntries.${index + 1}.member.`);
    if (!message.ok) return message;
    bytes += message.value.sizeBytes;
    entries.push(message.value.entry);
  }
  if (bytes > PUBLISH_BYTES_MAX) {
    const text = "The length of all the messages put together is more than the limit.";
    return refuse(refusal("BatchRequestTooLong", text));
  }
  const ids = inputs.map(({ Id = "" }) => Id);
  return ask({ kind: "publish", topic: topic.value, entries }, (answer) => ({
    Successful: answer.entries.flatMap((result, index) =>
      result.ok
        ? [{ Id: ids[index], MessageId: result.value.messageId, SequenceNumber: result.value.sequenceNumber }]
        : [],
    ),
    Failed: answer.entries.flatMap((result, index) => (result.ok ? [] : [failed(ids[index], result.refusal)])),
  }));
});

function checkBatch(entries: readonly { Id?: string }[]): Refusal | undefined {
  if (entries.length === 0) return refusal("EmptyBatchRequest", "The batch request doesn't contain any entries.");
  if (entries.length > BATCH_ENTRIES_MAX) {
    const text = "The batch request contains more entries than permissible.";
    return refusal("TooManyEntriesInBatchRequest", text);
  }
  for (const [index, { Id: id }] of entries.entries()) {
    if (id === undefined) return nullAt(`publishBatchRequestEntries.${index + 1}.member.id`);
    const problem = idProblem(id);
    if (problem !== undefined) {
      return refusal("InvalidBatchEntryId", `The Id of a batch entry in the batch request ${problem}: ${id}`);
    }
  }
  if (new Set(entries.map(({ Id }) => Id)).size === entries.length) return undefined;
  return refusal("BatchEntryIdsNotDistinct", "Two or more batch entries in the request have the same Id.");
}

function idProblem(id: string): string | undefined {
  if (id.length > BATCH_ID_CHARACTERS_MAX) return "is too long";
  return /^[A-Za-z0-9_-]+$/.test(id) ? undefined : "contains an impermissible character";
}

function failed(Id: string | undefined, refused: Refusal) {
  const { queryCode, fault } = errors.spellingOf(refused.code);
  return { Id, Code: queryCode, Message: refused.message, SenderFault: fault === "Sender" };
}
