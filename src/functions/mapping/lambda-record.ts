// A message as the function sees it: a record of Lambda's SQS event, with the members and their order as AWS sends them
// (recorded events). Everything is text, binary attributes in base64.

import { md5Hex, md5OfAttributes } from "../../base/message-md5.ts";
import type { MessageAttribute, ReceivedMessage } from "../../engine/command.ts";

export interface LambdaRecord {
  messageId: string;
  receiptHandle: string;
  body: string;
  attributes: Record<string, string>;
  messageAttributes: Record<string, LambdaAttribute>;
  /** Only with message attributes. */
  md5OfMessageAttributes?: string;
  md5OfBody: string;
  eventSource: "aws:sqs";
  eventSourceARN: string;
  awsRegion: string;
}

export interface LambdaAttribute {
  stringValue?: string;
  binaryValue?: string;
  stringListValues: [];
  binaryListValues: [];
  dataType: string;
}

export function lambdaRecord(message: ReceivedMessage, eventSourceARN: string): LambdaRecord {
  const { messageId, receiptHandle, content } = message;
  const { body, bodyMd5, attributes } = content;
  const md5OfMessageAttributes = md5OfAttributes(attributes);
  return {
    messageId,
    receiptHandle,
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"),
    attributes: systemAttributes(message),
    messageAttributes: Object.fromEntries(attributes.map((attribute) => [attribute.name, userAttribute(attribute)])),
    ...(md5OfMessageAttributes === undefined ? {} : { md5OfMessageAttributes }),
    md5OfBody: md5Hex(bodyMd5),
    eventSource: "aws:sqs",
    eventSourceARN,
    awsRegion: eventSourceARN.split(":")[3] ?? "",
  };
}

function systemAttributes(message: ReceivedMessage): Record<string, string> {
  const shown: Record<string, string> = {
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAtMs),
    SenderId: message.senderId,
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAtMs),
  };
  const { sequenceNumber, groupId, deduplicationId, deadLetterSourceArn } = message;
  const { traceHeader } = message.content;
  if (sequenceNumber !== undefined) shown["SequenceNumber"] = sequenceNumber;
  if (groupId !== undefined) shown["MessageGroupId"] = groupId;
  if (deduplicationId !== undefined) shown["MessageDeduplicationId"] = deduplicationId;
  if (traceHeader !== undefined) shown["AWSTraceHeader"] = traceHeader;
  if (deadLetterSourceArn !== undefined) shown["DeadLetterQueueSourceArn"] = deadLetterSourceArn;
  return shown;
}

function userAttribute({ dataType, value }: MessageAttribute): LambdaAttribute {
  const given =
    typeof value === "string" ? { stringValue: value } : { binaryValue: Buffer.from(value).toString("base64") };
  return { ...given, stringListValues: [], binaryListValues: [], dataType };
}
