// One message on its way to a topic: the same checks and the same making for Publish and for an entry of PublishBatch.
// What depends on the topic's type is left to the engine (fanout.md A6).

import { hash } from "node:crypto";
import { attributeBytes } from "../../base/message-md5.ts";
import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { PublishEntry } from "../../engine/command.ts";
import { FIFO_ID_CHARACTERS_MAX, SUBJECT_CHARACTERS_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import type { Call } from "../protocol/call.ts";
import type { AttributeInput } from "./message-attributes.ts";
import { readMessageAttributes } from "./message-attributes.ts";
import { invalid } from "./refusals.ts";

export interface MessageInput {
  Message?: string;
  Subject?: string;
  MessageStructure?: string;
  MessageAttributes?: Record<string, AttributeInput>;
  MessageDeduplicationId?: string;
  MessageGroupId?: string;
}

export interface OutgoingMessage {
  entry: PublishEntry;
  /** Message and message attributes, as SNS counts. */
  sizeBytes: number;
}

type Messages = PublishEntry["messages"];

/** Keys of a JSON message that anybody listens to. */
const PROTOCOL_KEYS = ["sqs", "http", "https", "lambda", "email", "email-json", "sms"];
const VISIBLE_ASCII = /^[!-~]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\x00-\x1f\x7f]/;

/** `place` is where the entry is in the request: empty, or `publishBatchRequestEntries.1.member.`. */
export function readMessage(input: MessageInput, call: Call, place = ""): Result<OutgoingMessage, Refusal> {
  const { Message: text, Subject: subject, MessageGroupId: groupId, MessageDeduplicationId: deduplicationId } = input;
  if (text === undefined || text === "") return refuse(invalid("Empty message"));
  const refused =
    checkSubject(subject) ?? checkId("MessageGroupId", groupId) ?? checkId("MessageDeduplicationId", deduplicationId);
  if (refused !== undefined) return refuse(refused);
  const attributes = readMessageAttributes(input.MessageAttributes, place);
  if (!attributes.ok) return attributes;
  const messages = input.MessageStructure === "json" ? readStructure(text) : accept<Messages>({ default: text });
  if (!messages.ok) return messages;

  const entry: PublishEntry = { messages: messages.value, attributes: attributes.value };
  if (subject !== undefined) entry.subject = subject;
  if (deduplicationId !== undefined) entry.deduplicationId = deduplicationId;
  if (groupId !== undefined) {
    entry.groupId = groupId;
    if (deduplicationId === undefined) entry.contentDeduplicationId = hash("sha256", text, "hex");
  }
  if (call.traceHeader !== undefined) entry.traceHeader = call.traceHeader;
  let sizeBytes = Buffer.byteLength(text);
  for (const attribute of attributes.value) sizeBytes += attributeBytes(attribute);
  return accept({ entry, sizeBytes });
}

/** MessageStructure=json: a text for each protocol, and one for the rest. Whatever else is in there is nobody's. */
function readStructure(text: string): Result<Messages, Refusal> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return refuse(invalid("Message Structure - JSON message body failed to parse"));
  }
  const given = (typeof parsed === "object" && parsed !== null ? parsed : {}) as Record<string, unknown>;
  const { default: fallback } = given;
  if (typeof fallback !== "string") {
    return refuse(invalid("Message Structure - No default entry in JSON message body"));
  }
  const messages: Messages = { default: fallback };
  for (const key of PROTOCOL_KEYS) {
    const message = given[key];
    if (typeof message === "string") messages[key] = message;
  }
  return accept(messages);
}

/** An empty one is refused; whoever has none leaves it out. */
function checkSubject(subject: string | undefined): Refusal | undefined {
  if (subject === undefined) return undefined;
  const isFine = subject !== "" && subject.length <= SUBJECT_CHARACTERS_MAX && !CONTROL.test(subject);
  return isFine ? undefined : invalid("Subject");
}

function checkId(parameter: string, id: string | undefined): Refusal | undefined {
  if (id === undefined || (id.length <= FIFO_ID_CHARACTERS_MAX && VISIBLE_ASCII.test(id))) return undefined;
  const reason = `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length`;
  return invalid(`${parameter} Reason: ${reason}`);
}
