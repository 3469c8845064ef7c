// ReceiveMessage: ranges are checked here, the messages come from the engine whole, and what the caller asked to see
// of their attributes is picked here. Members that would be empty are left out, even the list of messages (C018, C032).

import { md5Hex, md5OfAttributes } from "../../base/message-md5.ts";
import { refuse } from "../../base/result.ts";
import type { Command, ReceivedMessage } from "../../engine/command.ts";
import { RECEIVE_MESSAGES_MAX, VISIBILITY_MS_MAX, WAIT_MS_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { invalidValue } from "../../engine/refusal.ts";
import { checkFifoId } from "./fifo-ids.ts";
import { attributeSelection, writeMessageAttributes } from "./message-attributes.ts";
import type { OperationInput } from "./operation.ts";
import { ask, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { systemAttributeSelection } from "./system-attributes.ts";

type Input = OperationInput<"ReceiveMessage">;
type Receive = Extract<Command, { kind: "receiveMessages" }>;

export const receiveMessage = operation("ReceiveMessage", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const refused = checkRanges(input) ?? checkFifoId(input.ReceiveRequestAttemptId, "ReceiveRequestAttemptId");
  if (refused !== undefined) return refuse(refused);

  const command: Receive = { kind: "receiveMessages", queue: queue.value, messagesMax: input.MaxNumberOfMessages ?? 1 };
  if (input.VisibilityTimeout !== undefined) command.visibilityTimeoutMs = input.VisibilityTimeout * 1000;
  if (input.WaitTimeSeconds !== undefined) command.waitMs = input.WaitTimeSeconds * 1000;
  if (input.ReceiveRequestAttemptId !== undefined) command.attemptId = input.ReceiveRequestAttemptId;

  // The older and the newer member mean the same and may both be sent; the answer holds what either asks for.
  const systemAttributesOf = systemAttributeSelection(input.AttributeNames, input.MessageSystemAttributeNames);
  const attributesOf = attributeSelection(input.MessageAttributeNames);
  const toMessage = (message: ReceivedMessage) => {
    const attributes = attributesOf(message.content.attributes);
    return {
      MessageId: message.messageId,
      ReceiptHandle: message.receiptHandle,
      MD5OfBody: md5Hex(message.content.bodyMd5),
      Body: textOf(message.content.body),
      Attributes: systemAttributesOf(message),
      // Of the attributes in this answer, not of all that the message has (case C019).
      MD5OfMessageAttributes: md5OfAttributes(attributes),
      MessageAttributes: attributes.length === 0 ? undefined : writeMessageAttributes(attributes),
    };
  };
  return ask(command, ({ messages }) => (messages.length === 0 ? {} : { Messages: messages.map(toMessage) }));
});

function checkRanges({ MaxNumberOfMessages: count, WaitTimeSeconds: wait, VisibilityTimeout: visibility }: Input) {
  return (
    checkRange(count, "MaxNumberOfMessages", 1, RECEIVE_MESSAGES_MAX, "Must be between 1 and 10, if provided.") ??
    checkRange(wait, "WaitTimeSeconds", 0, WAIT_MS_MAX / 1000, "Must be >= 0 and <= 20, if provided.") ??
    checkRange(visibility, "VisibilityTimeout", 0, VISIBILITY_MS_MAX / 1000, "Must be >= 0 and <= 43200, if provided.")
  );
}

function checkRange(
  value: number | undefined,
  parameter: string,
  min: number,
  max: number,
  reason: string,
): Refusal | undefined {
  return value === undefined || (value >= min && value <= max) ? undefined : invalidValue(value, parameter, reason);
}

function textOf(body: Uint8Array): string {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return bytes.toString("utf8");
}
