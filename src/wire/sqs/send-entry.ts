// One message on its way in: the same checks and the same making for SendMessage and for an entry of
// SendMessageBatch. What depends on the queue (its size limit, its type) is left to the engine.

import { hash } from "node:crypto";
import { attributeBytes, md5OfAttributes } from "../../base/message-md5.ts";
import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { MessageContent, SendEntry, SentMessage } from "../../engine/command.ts";
import { DELAY_MS_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { invalidValue, missingParameter } from "../../engine/refusal.ts";
import type { Call } from "../protocol/call.ts";
import { checkFifoId } from "./fifo-ids.ts";
import type { AttributeInput } from "./message-attributes.ts";
import { readMessageAttributes, readSystemAttributes } from "./message-attributes.ts";
import { checkBody } from "./message-body.ts";
import { messageBytes } from "./message-bytes.ts";
import { isMissing } from "./required.ts";

export interface MessageInput {
  MessageBody?: string;
  DelaySeconds?: number;
  MessageAttributes?: Record<string, AttributeInput>;
  MessageSystemAttributes?: Record<string, AttributeInput>;
  MessageDeduplicationId?: string;
  MessageGroupId?: string;
}

export interface OutgoingMessage {
  entry: SendEntry;
  bodyMd5: string;
  /** Of the system attributes that were sent; a trace header from X-Amzn-Trace-Id does not count. */
  systemAttributesMd5: string | undefined;
}

/** `bodyParameter` is what a missing body is called in the refusal. */
export function readMessage(input: MessageInput, call: Call, bodyParameter: string): Result<OutgoingMessage, Refusal> {
  const { MessageBody: text, DelaySeconds, MessageDeduplicationId, MessageGroupId } = input;
  if (isMissing(text)) return refuse(missingParameter(bodyParameter));
  const attributes = readMessageAttributes(input.MessageAttributes);
  if (!attributes.ok) return attributes;
  const systemAttributes = readSystemAttributes(input.MessageSystemAttributes);
  if (!systemAttributes.ok) return systemAttributes;
  const refused =
    (call.isPlain ? undefined : checkBody(text)) ??
    checkDelay(DelaySeconds) ??
    checkFifoId(MessageGroupId, "MessageGroupId") ??
    checkFifoId(MessageDeduplicationId, "MessageDeduplicationId");
  if (refused !== undefined) return refuse(refused);

  const { body, md5, md5Hex } = messageBytes(text, call.isPlain);
  const content: MessageContent = { body, bodyMd5: md5, attributes: attributes.value };
  const traceHeader = systemAttributes.value[0]?.value ?? call.traceHeader;
  if (typeof traceHeader === "string") content.traceHeader = traceHeader;

  const entry: SendEntry = { content, sizeBytes: sizeOf(content) };
  if (DelaySeconds !== undefined) entry.delayMs = DelaySeconds * 1000;
  if (MessageDeduplicationId !== undefined) entry.deduplicationId = MessageDeduplicationId;
  if (MessageGroupId !== undefined) {
    entry.groupId = MessageGroupId;
    if (MessageDeduplicationId === undefined) entry.contentDeduplicationId = hash("sha256", body, "hex");
  }
  return accept({ entry, bodyMd5: md5Hex, systemAttributesMd5: md5OfAttributes(systemAttributes.value) });
}

/** What both sends answer for a message; the MD5s are of what was sent, even when it was a duplicate. */
export function sentOutput(
  { entry, bodyMd5, systemAttributesMd5 }: OutgoingMessage,
  { messageId, sequenceNumber }: SentMessage,
) {
  return {
    MessageId: messageId,
    MD5OfMessageBody: bodyMd5,
    MD5OfMessageAttributes: md5OfAttributes(entry.content.attributes),
    MD5OfMessageSystemAttributes: systemAttributesMd5,
    SequenceNumber: sequenceNumber,
  };
}

function checkDelay(seconds: number | undefined): Refusal | undefined {
  if (seconds === undefined || (seconds >= 0 && seconds * 1000 <= DELAY_MS_MAX)) return undefined;
  return invalidValue(seconds, "DelaySeconds", "DelaySeconds must be >= 0 and <= 900.");
}

/** System attributes are free. */
function sizeOf({ body, attributes }: MessageContent): number {
  let bytes = body.length;
  for (const attribute of attributes) bytes += attributeBytes(attribute);
  return bytes;
}
