// The claim check: a payload that is too large for a message is kept in an object store, and the message carries a
// pointer to it. The format is that of the AWS extended client libraries, so that both ends may be another language's:
//
//   body       ["software.amazon.payloadoffloading.PayloadS3Pointer",{"s3BucketName":"…","s3Key":"…"}]
//   attribute  ExtendedPayloadSize (Number), the payload's bytes
//
// Read, but never written, are what older versions wrote: the class name com.amazon.sqs.javamessaging.MessageS3Pointer,
// the pointer object without its class name, and the attribute SQSLargePayloadSize.
//
// A pointer is only followed into buckets that the consumer allows: a body is written by whoever may send.

import { randomUUID } from "node:crypto";
import { InvalidMessage } from "./errors.ts";
import { MESSAGE_ATTRIBUTES_MAX } from "./limits.ts";
import { bytesOf } from "./message-bytes.ts";
import type { ObjectStore } from "./object-store.ts";
import type { RawMessage, SendEntry } from "./queue-port.ts";

export interface LargePayloadOptions {
  /** Where payloads are kept: S3, or anything with its three calls. */
  store: ObjectStore;
  /** Where a producer puts payloads. */
  bucket?: string;
  /** In front of the keys that a producer makes. Default none. */
  prefix?: string;
  /** Bytes of body and attributes above which the payload goes to the store. Default: the queue's MaximumMessageSize. */
  threshold?: number;
  /** Puts every payload there. Default false. */
  always?: boolean;
  /** Where a consumer may fetch from. Default: `bucket` with `prefix`. */
  allow?: readonly { bucket: string; prefix?: string }[];
  /** A consumer deletes the object once the message is deleted. Default true; false where several queues share it. */
  deleteObject?: boolean;
}

export interface Pointer {
  bucket: string;
  key: string;
}

const POINTER_CLASS = "software.amazon.payloadoffloading.PayloadS3Pointer";
const POINTER_CLASSES = [POINTER_CLASS, "com.amazon.sqs.javamessaging.MessageS3Pointer"];
const SIZE_ATTRIBUTE = "ExtendedPayloadSize";
const SIZE_ATTRIBUTES = [SIZE_ATTRIBUTE, "SQSLargePayloadSize"];

/** The entry itself, or one with a pointer after its body was put into the store. Rejects when the store does. */
export async function offload(
  entry: SendEntry,
  options: LargePayloadOptions,
  messageBytesMax: number,
): Promise<SendEntry> {
  const { store, bucket, prefix = "", threshold = messageBytesMax, always = false } = options;
  if (!always && bytesOf(entry) <= threshold) return entry;
  if (bucket === undefined) throw new Error("largePayload.bucket says where a producer puts payloads; it is missing.");
  if (Object.keys(entry.attributes ?? {}).length >= MESSAGE_ATTRIBUTES_MAX) {
    throw new Error(`A large message has room for ${MESSAGE_ATTRIBUTES_MAX - 1} attributes: one says how large it is.`);
  }
  const key = `${prefix}${randomUUID()}`;
  await store.put(bucket, key, entry.body);
  const size = String(Buffer.byteLength(entry.body, "utf8"));
  return {
    ...entry,
    body: JSON.stringify([POINTER_CLASS, { s3BucketName: bucket, s3Key: key }]),
    attributes: { ...entry.attributes, [SIZE_ATTRIBUTE]: { DataType: "Number", StringValue: size } },
  };
}

/** Undefined for a message that carries its payload itself. Throws InvalidMessage for a pointer that cannot be read. */
export function pointerOf(raw: RawMessage): Pointer | undefined {
  const isLarge = SIZE_ATTRIBUTES.some((name) => raw.MessageAttributes?.[name] !== undefined);
  if (!isLarge) return undefined;
  const pointer = parsePointer(raw.Body ?? "");
  if (pointer === undefined) throw new InvalidMessage("the pointer to the large payload cannot be read");
  return pointer;
}

/** Rejects with InvalidMessage when the pointer leads where the consumer does not go, or to nothing. */
export async function fetchPayload(
  pointer: Pointer,
  options: LargePayloadOptions,
  signal: AbortSignal,
): Promise<string> {
  const { store, bucket, prefix } = options;
  const own = bucket === undefined ? [] : [{ bucket, ...(prefix === undefined ? {} : { prefix }) }];
  const allowed = options.allow ?? own;
  const isAllowed = allowed.some(
    (place) => place.bucket === pointer.bucket && pointer.key.startsWith(place.prefix ?? ""),
  );
  if (!isAllowed) throw new InvalidMessage("the large payload is in a place that is not allowed", pointer);
  return store.get(pointer.bucket, pointer.key, signal);
}

function parsePointer(body: string): Pointer | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const [className, inner] = Array.isArray(parsed) ? parsed : [POINTER_CLASS, parsed];
  const { s3BucketName: bucket, s3Key: key } = (inner ?? {}) as { s3BucketName?: unknown; s3Key?: unknown };
  const isPointer = POINTER_CLASSES.includes(className) && typeof bucket === "string" && typeof key === "string";
  return isPointer ? { bucket, key } : undefined;
}
