// From what was received to what a handler gets: fetch a large payload, decode, validate. Throws InvalidMessage for
// what will be no better at the next try; anything else that fails (the object store is down) is tried again.

import type { LargePayloadOptions } from "./claim-check.ts";
import { fetchPayload, pointerOf } from "./claim-check.ts";
import type { Decode } from "./decode.ts";
import { decodeBody } from "./decode.ts";
import type { Delivery } from "./delivery.ts";
import type { HeldMessage } from "./held-message.ts";
import type { RawMessage } from "./queue-port.ts";
import type { StandardSchema } from "./standard-schema.ts";
import { validate } from "./standard-schema.ts";

export interface Opening {
  decode: Decode;
  schema?: StandardSchema<unknown>;
  largePayload?: LargePayloadOptions;
}

export async function openMessage(held: HeldMessage, opening: Opening, signal: AbortSignal): Promise<Delivery> {
  const { raw } = held;
  const pointer = opening.largePayload === undefined ? undefined : pointerOf(raw);
  const text =
    pointer === undefined || opening.largePayload === undefined
      ? (raw.Body ?? "")
      : await fetchPayload(pointer, opening.largePayload, signal);
  // Events speak of the message even when its body cannot be read.
  held.delivery = deliveryOf(held, text, undefined);
  const { body, envelope } = await decodeBody(opening.decode, text, raw);
  const valid = opening.schema === undefined ? body : await validate(opening.schema, body);
  held.delivery = { ...held.delivery, body: valid, ...(envelope === undefined ? {} : { envelope }) };
  return held.delivery;
}

/** The message as far as it can be told without opening it. */
export function deliveryOf(held: HeldMessage, text: string, body: unknown): Delivery {
  const { raw } = held;
  const system = raw.Attributes ?? {};
  return {
    id: held.id,
    body,
    text,
    attempt: held.attempt,
    ...(system["MessageGroupId"] === undefined ? {} : { groupId: system["MessageGroupId"] }),
    ...(system["MessageDeduplicationId"] === undefined ? {} : { deduplicationId: system["MessageDeduplicationId"] }),
    ...(system["SequenceNumber"] === undefined ? {} : { sequenceNumber: system["SequenceNumber"] }),
    ...(system["SentTimestamp"] === undefined ? {} : { sentAtMs: Number(system["SentTimestamp"]) }),
    ...(system["ApproximateFirstReceiveTimestamp"] === undefined
      ? {}
      : { firstReceivedAtMs: Number(system["ApproximateFirstReceiveTimestamp"]) }),
    attributes: attributesOf(raw),
    raw,
  };
}

function attributesOf(raw: RawMessage): Record<string, string | Uint8Array> {
  const attributes: Record<string, string | Uint8Array> = {};
  for (const [name, { StringValue, BinaryValue }] of Object.entries(raw.MessageAttributes ?? {})) {
    attributes[name] = StringValue ?? BinaryValue ?? "";
  }
  return attributes;
}
