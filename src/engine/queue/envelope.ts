// A message's unchanging part as bytes: written once into the log with its MessageSent fact, read back at every
// receive. What changes (receive count, times of receives, the queue it came from) is in the message table.
//
//   u8 version=1 | u8 flags (1 trace, 2 deduplication id, 4 group id) | 16 message id | f64 sentAtMs | 16 body MD5
//   text senderId | [text trace] | [text deduplication id] | [text group id]
//   u8 attribute count | each: text name, text type, u8 binary?, bytes value
//   bytes body

import { assert } from "../../base/assert.ts";
import { ByteReader, ByteWriter } from "../../base/bytes.ts";
import type { MessageAttribute, MessageContent } from "../command.ts";

const VERSION = 1;
const HAS_TRACE = 1;
const HAS_DEDUPLICATION_ID = 2;
const HAS_GROUP_ID = 4;
const MESSAGE_ID_OFFSET = 2;
const SENT_AT_OFFSET = 18;

export interface Envelope {
  /** UUID text. */
  messageId: string;
  sentAtMs: number;
  senderId: string;
  deduplicationId?: string;
  groupId?: string;
  content: MessageContent;
}

const scratch = new ByteWriter(64 * 1024);

/** The bytes are the caller's to keep only until the next call: copy them into the log's batch at once. */
export function encodeEnvelope(envelope: Envelope): Uint8Array {
  const { content } = envelope;
  const out = scratch;
  out.reset();
  out.u8(VERSION);
  out.u8(
    (content.traceHeader === undefined ? 0 : HAS_TRACE) |
      (envelope.deduplicationId === undefined ? 0 : HAS_DEDUPLICATION_ID) |
      (envelope.groupId === undefined ? 0 : HAS_GROUP_ID),
  );
  out.raw(uuidBytes(envelope.messageId));
  out.f64(envelope.sentAtMs);
  assert(content.bodyMd5.length === 16, "an MD5 has 16 bytes");
  out.raw(content.bodyMd5);
  out.text(envelope.senderId);
  if (content.traceHeader !== undefined) out.text(content.traceHeader);
  if (envelope.deduplicationId !== undefined) out.text(envelope.deduplicationId);
  if (envelope.groupId !== undefined) out.text(envelope.groupId);
  out.u8(content.attributes.length);
  for (const attribute of content.attributes) encodeAttribute(out, attribute);
  out.bytes(content.body);
  return out.view();
}

/** Throws RangeError when the bytes are not an envelope. The body is a view into `bytes`. */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  const input = new ByteReader(bytes);
  const version = input.u8();
  if (version !== VERSION) throw new RangeError(`envelope version ${version} is not known`);
  const flags = input.u8();
  const messageId = uuidText(input.raw(16));
  const sentAtMs = input.f64();
  const bodyMd5 = input.raw(16);
  const senderId = input.text();
  const traceHeader = flags & HAS_TRACE ? input.text() : undefined;
  const deduplicationId = flags & HAS_DEDUPLICATION_ID ? input.text() : undefined;
  const groupId = flags & HAS_GROUP_ID ? input.text() : undefined;
  const attributes: MessageAttribute[] = [];
  for (let count = input.u8(); count > 0; count--) attributes.push(decodeAttribute(input));
  const content: MessageContent = { body: input.bytes(), bodyMd5, attributes };
  if (traceHeader !== undefined) content.traceHeader = traceHeader;
  const envelope: Envelope = { messageId, sentAtMs, senderId, content };
  if (deduplicationId !== undefined) envelope.deduplicationId = deduplicationId;
  if (groupId !== undefined) envelope.groupId = groupId;
  return envelope;
}

/** Only the id, for the deduplication table. */
export function envelopeMessageId(bytes: Uint8Array): string {
  return uuidText(bytes.subarray(MESSAGE_ID_OFFSET, MESSAGE_ID_OFFSET + 16));
}

export function envelopeSentAtMs(bytes: Uint8Array): number {
  // Eight bytes copied cost less than a view made.
  for (let index = 0; index < 8; index++) doubleBytes[index] = bytes[SENT_AT_OFFSET + index] as number;
  return doubleValue[0] as number;
}

/** A copy under a new id and sent time: what a redrive makes of a message (developer guide, "redrive"). */
export function readdressEnvelope(bytes: Uint8Array, messageId: string, sentAtMs: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy.set(uuidBytes(messageId), MESSAGE_ID_OFFSET);
  new DataView(copy.buffer).setFloat64(SENT_AT_OFFSET, sentAtMs, true);
  return copy;
}

export function encodeAttribute(out: ByteWriter, attribute: MessageAttribute): void {
  out.text(attribute.name);
  out.text(attribute.dataType);
  const isText = typeof attribute.value === "string";
  out.u8(isText ? 0 : 1);
  if (typeof attribute.value === "string") out.text(attribute.value);
  else out.bytes(attribute.value);
}

export function decodeAttribute(input: ByteReader): MessageAttribute {
  const name = input.text();
  const dataType = input.text();
  const value = input.u8() === 0 ? input.text() : input.bytes();
  return { name, dataType, value };
}

const doubleBytes = new Uint8Array(8);
/** Layouts are little-endian, and so is every machine that Node runs on today. */
const doubleValue = new Float64Array(doubleBytes.buffer);

const uuidScratch = Buffer.alloc(16);
const uuidLetters = Buffer.alloc(36);
const LETTERS = Buffer.from("0123456789abcdef");
const HYPHEN = 45;
const HYPHENS = [8, 13, 18, 23];
/** Value of a hexadecimal digit by its character code; 16 for what is none. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 16 : value;
});

/** The bytes are good until the next call. */
export function uuidBytes(uuid: string): Uint8Array {
  // Digit by digit: five times as fast as taking the hyphens out and having a Buffer read the rest.
  assert(uuid.length === 36 && HYPHENS.every((at) => uuid.charCodeAt(at) === HYPHEN), () => `${uuid} is not a UUID`);
  let at = 0;
  let doubt = 0;
  for (let index = 0; index < 36; index += 2) {
    if (uuid.charCodeAt(index) === HYPHEN) index += 1;
    const high = DIGITS[uuid.charCodeAt(index)] ?? 16;
    const low = DIGITS[uuid.charCodeAt(index + 1)] ?? 16;
    doubt |= high | low;
    uuidScratch[at++] = (high << 4) | low;
  }
  assert(doubt < 16, () => `${uuid} is not a UUID`);
  return uuidScratch;
}

export function uuidText(bytes: Uint8Array): string {
  let at = 0;
  for (let index = 0; index < 16; index++) {
    if (index === 4 || index === 6 || index === 8 || index === 10) uuidLetters[at++] = HYPHEN;
    const value = bytes[index] as number;
    uuidLetters[at++] = LETTERS[value >> 4] as number;
    uuidLetters[at++] = LETTERS[value & 15] as number;
  }
  return uuidLetters.toString("latin1");
}
