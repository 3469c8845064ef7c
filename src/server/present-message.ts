// A stored message as JSON for people and tests: bodies as text, binary attributes as base64. The admin API and
// the test kit show the same form.

import type { MessageAttribute } from "../engine/command.ts";
import type { InspectedMessage, MessageState } from "../host/host.ts";

export interface PresentedAttribute {
  dataType: string;
  stringValue?: string;
  /** Base64. */
  binaryValue?: string;
}

export interface PresentedMessage {
  messageId: string;
  state: MessageState;
  /** When a delayed or in-flight message becomes visible. */
  visibleAtMs?: number;
  body: string;
  attributes: Record<string, PresentedAttribute>;
  traceHeader?: string;
  senderId: string;
  sentAtMs: number;
  firstReceivedAtMs?: number;
  receiveCount: number;
  groupId?: string;
  deduplicationId?: string;
  sequenceNumber?: string;
  deadLetterSourceArn?: string;
}

export function presentMessage(message: InspectedMessage): PresentedMessage {
  const { content, ...rest } = message;
  const { messageId, state, visibleAtMs, ...history } = rest;
  return {
    messageId,
    state,
    ...(visibleAtMs === undefined ? {} : { visibleAtMs }),
    body: Buffer.from(content.body).toString("utf8"),
    attributes: Object.fromEntries(content.attributes.map((each) => [each.name, presentAttribute(each)])),
    ...(content.traceHeader === undefined ? {} : { traceHeader: content.traceHeader }),
    ...history,
  };
}

function presentAttribute({ dataType, value }: MessageAttribute): PresentedAttribute {
  if (typeof value === "string") return { dataType, stringValue: value };
  return { dataType, binaryValue: Buffer.from(value).toString("base64") };
}
