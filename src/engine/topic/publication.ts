// One published message as bytes: written once into the log however many subscribers it has. Copies in queues refer
// to it (copy-envelope.ts); what a subscriber gets is made from it when it is read.
//
//   u8 version=1 | u8 flags (1 subject, 2 group id, 4 deduplication id, 8 sequence number, 16 trace)
//   16 message id | f64 publishedAtMs | text topic ARN | [text each flag's, in that order]
//   u8 text count | each: text protocol ("default", "sqs", ...), text message
//   u16 attribute count | each as in a message's envelope

import { ByteReader, ByteWriter } from "../../base/bytes.ts";
import type { MessageAttribute } from "../command.ts";
import { decodeAttribute, encodeAttribute, uuidBytes, uuidText } from "../queue/envelope.ts";

const VERSION = 1;
const HAS_SUBJECT = 1;
const HAS_GROUP_ID = 2;
const HAS_DEDUPLICATION_ID = 4;
const HAS_SEQUENCE_NUMBER = 8;
const HAS_TRACE = 16;

export interface Publication {
  /** UUID: what Publish answered with, and what every subscriber sees. */
  messageId: string;
  publishedAtMs: number;
  topicArn: string;
  subject?: string;
  groupId?: string;
  deduplicationId?: string;
  /** 20 digits; FIFO topics only. */
  sequenceNumber?: string;
  traceHeader?: string;
  /** By protocol, and `default`. */
  messages: { default: string } & Record<string, string>;
  attributes: MessageAttribute[];
}

const scratch = new ByteWriter(64 * 1024);

/** The bytes are the caller's to keep only until the next call. */
export function encodePublication(publication: Publication): Uint8Array {
  const { subject, groupId, deduplicationId, sequenceNumber, traceHeader } = publication;
  const out = scratch;
  out.reset();
  out.u8(VERSION);
  out.u8(
    (subject === undefined ? 0 : HAS_SUBJECT) |
      (groupId === undefined ? 0 : HAS_GROUP_ID) |
      (deduplicationId === undefined ? 0 : HAS_DEDUPLICATION_ID) |
      (sequenceNumber === undefined ? 0 : HAS_SEQUENCE_NUMBER) |
      (traceHeader === undefined ? 0 : HAS_TRACE),
  );
  out.raw(uuidBytes(publication.messageId));
  out.f64(publication.publishedAtMs);
  out.text(publication.topicArn);
  for (const text of [subject, groupId, deduplicationId, sequenceNumber, traceHeader]) {
    if (text !== undefined) out.text(text);
  }
  const texts = Object.entries(publication.messages);
  out.u8(texts.length);
  for (const [protocol, text] of texts) {
    out.text(protocol);
    out.text(text);
  }
  out.u16(publication.attributes.length);
  for (const attribute of publication.attributes) encodeAttribute(out, attribute);
  return out.view();
}

/** Throws RangeError when the bytes are not a publication. */
export function decodePublication(bytes: Uint8Array): Publication {
  const input = new ByteReader(bytes);
  const version = input.u8();
  if (version !== VERSION) throw new RangeError(`publication version ${version} is not known`);
  const flags = input.u8();
  const messageId = uuidText(input.raw(16));
  const publishedAtMs = input.f64();
  const topicArn = input.text();
  const optional = (flag: number): string | undefined => (flags & flag ? input.text() : undefined);
  const subject = optional(HAS_SUBJECT);
  const groupId = optional(HAS_GROUP_ID);
  const deduplicationId = optional(HAS_DEDUPLICATION_ID);
  const sequenceNumber = optional(HAS_SEQUENCE_NUMBER);
  const traceHeader = optional(HAS_TRACE);
  const messages: Publication["messages"] = Object.assign(Object.create(null), { default: "" });
  for (let count = input.u8(); count > 0; count--) {
    const protocol = input.text();
    messages[protocol] = input.text();
  }
  const attributes: MessageAttribute[] = [];
  for (let count = input.u16(); count > 0; count--) attributes.push(decodeAttribute(input));
  return {
    messageId,
    publishedAtMs,
    topicArn,
    messages,
    attributes,
    ...(subject === undefined ? {} : { subject }),
    ...(groupId === undefined ? {} : { groupId }),
    ...(deduplicationId === undefined ? {} : { deduplicationId }),
    ...(sequenceNumber === undefined ? {} : { sequenceNumber }),
    ...(traceHeader === undefined ? {} : { traceHeader }),
  };
}

/** The text for subscribers of one protocol. */
export function messageFor(publication: Pick<Publication, "messages">, protocol: string): string {
  const { messages } = publication;
  return Object.hasOwn(messages, protocol) ? (messages[protocol] as string) : messages.default;
}
