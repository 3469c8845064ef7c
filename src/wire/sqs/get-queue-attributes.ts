// GetQueueAttributes: the engine gives every attribute that is set, the names asked for are picked here. Asking for
// none, or only for ones that are not set, is answered without the member (case C015).

import { refuse } from "../../base/result.ts";
import type { QueueAttributes } from "../../engine/command.ts";
import { unknownAttribute } from "../../engine/refusal.ts";
import { ask, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";

const ATTRIBUTE_NAMES = new Set([
  "All",
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesDelayed",
  "ApproximateNumberOfMessagesNotVisible",
  "ContentBasedDeduplication",
  "CreatedTimestamp",
  "DeduplicationScope",
  "DelaySeconds",
  "FifoQueue",
  "FifoThroughputLimit",
  "KmsDataKeyReusePeriodSeconds",
  "KmsMasterKeyId",
  "LastModifiedTimestamp",
  "MaximumMessageSize",
  "MessageRetentionPeriod",
  "Policy",
  "QueueArn",
  "ReceiveMessageWaitTimeSeconds",
  "RedriveAllowPolicy",
  "RedrivePolicy",
  "SqsManagedSseEnabled",
  "VisibilityTimeout",
]);

export const getQueueAttributes = operation("GetQueueAttributes", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { AttributeNames: names = [] } = input;
  const unknown = names.find((name) => !ATTRIBUTE_NAMES.has(name));
  if (unknown !== undefined) return refuse(unknownAttribute(unknown));
  return ask({ kind: "getQueueAttributes", queue: queue.value }, ({ attributes }) => ({
    Attributes: selected(attributes, names),
  }));
});

function selected(attributes: QueueAttributes, names: readonly string[]): QueueAttributes | undefined {
  if (names.includes("All")) return attributes;
  const picked: QueueAttributes = {};
  for (const name of names) {
    const value = attributes[name];
    if (value !== undefined) picked[name] = value;
  }
  return Object.keys(picked).length === 0 ? undefined : picked;
}
