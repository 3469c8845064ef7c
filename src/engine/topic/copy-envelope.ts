// A subscriber's copy of a published message, as the row of a queue keeps it: a few bytes that refer to the
// publication's, so that a thousand subscribers do not cost a thousand bodies. The first 26 bytes are laid out as in a
// message's own envelope (envelope.ts), whose version is 1.
//
//   u8 version=2 | u8 flags (1 raw, 2 FIFO queue, 4 inline, 8 replayed, 16 dead letter) | 16 message id | f64 sentAtMs
//   u32 distance | u32 publication bytes | text subscription ARN | [inline: the publication]
//
// `distance` is how far before this envelope, in the payload of the same log entry, the publication begins; the batch
// fills it in. A copy that leaves its entry (to another shard, or to be read) takes the publication along: inline.

import { assert } from "../../base/assert.ts";
import { ByteReader, ByteWriter } from "../../base/bytes.ts";
import { decodeEnvelope, uuidBytes, uuidText } from "../queue/envelope.ts";
import { decodePublication, type Publication } from "./publication.ts";

const VERSION = 2;
const RAW = 1;
const FIFO = 2;
const INLINE = 4;
const REPLAYED = 8;
const DEAD_LETTER = 16;
const FLAGS_OFFSET = 1;
const DISTANCE_OFFSET = 26;
const SIZE_OFFSET = 30;

export interface CopyHead {
  /** UUID: the copy's own id in its queue. */
  messageId: string;
  sentAtMs: number;
  subscriptionArn: string;
  raw: boolean;
  /** In a FIFO queue a copy shows the deduplication id. */
  fifo: boolean;
  replayed: boolean;
  /** In the subscription's dead-letter queue, since its own queue could not have it. */
  deadLetter: boolean;
}

export interface Copy extends CopyHead {
  publication: Publication;
}

const scratch = new ByteWriter(1024);

/** For a fact that follows the publication in the same entry. The bytes are good until the next call. */
export function encodeCopy(head: CopyHead, publicationBytes: number): Uint8Array {
  const out = scratch;
  out.reset();
  out.u8(VERSION);
  out.u8(
    (head.raw ? RAW : 0) |
      (head.fifo ? FIFO : 0) |
      (head.replayed ? REPLAYED : 0) |
      (head.deadLetter ? DEAD_LETTER : 0),
  );
  out.raw(uuidBytes(head.messageId));
  out.f64(head.sentAtMs);
  out.u32(0);
  out.u32(publicationBytes);
  out.text(head.subscriptionArn);
  return out.view();
}

export function isCopy(envelope: Uint8Array): boolean {
  return envelope[0] === VERSION;
}

/** Refers to a publication elsewhere in its entry. */
export function isReference(envelope: Uint8Array): boolean {
  return isCopy(envelope) && ((envelope[FLAGS_OFFSET] as number) & INLINE) === 0;
}

/** Says where the publication is: `distance` bytes before the envelope. */
export function pointCopy(envelope: Uint8Array, distance: number): void {
  view(envelope).setUint32(DISTANCE_OFFSET, distance, true);
}

/** An envelope that stands alone, given the payload that it is in: itself, or a copy with its publication. */
export function standalone(payload: Uint8Array, offset: number, bytes: number): Uint8Array {
  const envelope = payload.subarray(offset, offset + bytes);
  return isReference(envelope) ? inline(envelope, publicationOf(payload, offset, envelope)) : envelope;
}

/** The bytes of the publication that a reference at `offset` means. Throws RangeError when it points nowhere. */
export function publicationOf(payload: Uint8Array, offset: number, envelope: Uint8Array): Uint8Array {
  const data = view(envelope);
  const start = offset - data.getUint32(DISTANCE_OFFSET, true);
  const end = start + data.getUint32(SIZE_OFFSET, true);
  if (start < 0 || end > offset || start === offset) {
    throw new RangeError(`the copy at offset ${offset} refers to bytes ${start} to ${end}`);
  }
  return payload.subarray(start, end);
}

/** Throws RangeError when the bytes are not a copy with its publication. */
export function decodeCopy(bytes: Uint8Array): Copy {
  const input = new ByteReader(bytes);
  const version = input.u8();
  const flags = input.u8();
  if (version !== VERSION || (flags & INLINE) === 0)
    throw new RangeError("these bytes are no copy with its publication");
  const messageId = uuidText(input.raw(16));
  const sentAtMs = input.f64();
  input.u32();
  const publicationBytes = input.u32();
  const subscriptionArn = input.text();
  return {
    messageId,
    sentAtMs,
    subscriptionArn,
    raw: (flags & RAW) !== 0,
    fifo: (flags & FIFO) !== 0,
    replayed: (flags & REPLAYED) !== 0,
    deadLetter: (flags & DEAD_LETTER) !== 0,
    publication: decodePublication(input.raw(publicationBytes)),
  };
}

/** Of an envelope that stands alone, of either version: what a FIFO queue would know it by. */
export function envelopeDeduplicationId(bytes: Uint8Array): string | undefined {
  if (!isCopy(bytes)) return decodeEnvelope(bytes).deduplicationId;
  const { publication, replayed, deadLetter } = decodeCopy(bytes);
  // What is replayed is wanted again, and of a dead-letter queue's several subscribers each has lost its own copy.
  return replayed || deadLetter ? undefined : publication.deduplicationId;
}

/** The publication of a copy that stands alone, as it is stored. */
export function copiedPublication(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.length - view(bytes).getUint32(SIZE_OFFSET, true));
}

function inline(reference: Uint8Array, publication: Uint8Array): Uint8Array {
  assert(isReference(reference), "only references are made inline");
  const bytes = new Uint8Array(reference.length + publication.length);
  bytes.set(reference);
  bytes.set(publication, reference.length);
  bytes[FLAGS_OFFSET] = (reference[FLAGS_OFFSET] as number) | INLINE;
  pointCopy(bytes, 0);
  return bytes;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
