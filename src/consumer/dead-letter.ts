// Puts a rejected message into the dead-letter queue now. SQS has no such request, so a copy is sent there and the
// message deleted afterwards: a crash in between leaves both, never neither. The copy carries why, where it came from
// and the id that it had, as far as ten attributes and the size limit leave room. Being a copy it has no source queue
// of its own: a redrive has to name the destination.

import { BATCH_BYTES_MAX, MESSAGE_ATTRIBUTES_MAX } from "./limits.ts";
import { bytesOf } from "./message-bytes.ts";
import type { QueuePort, RawAttribute, RawMessage, SendEntry } from "./queue-port.ts";

export interface Rejection {
  why: string;
  detail?: object | undefined;
  sourceArn: string;
}

/** Most telling first: what there is no room for is left out from the end. */
const WHY = "millpond-rejected";
const SOURCE = "millpond-source-queue";
const MESSAGE_ID = "millpond-source-message-id";
const DETAIL = "millpond-rejected-detail";

const TEXT_CHARACTERS_MAX = 1024;

/** Rejects when the dead-letter queue did not take it. */
export async function sendToDeadLetterQueue(
  port: QueuePort,
  deadLetterUrl: string,
  raw: RawMessage,
  rejection: Rejection,
): Promise<void> {
  const { failed } = await port.send(deadLetterUrl, [entryFor(raw, rejection)]);
  const [failure] = failed;
  if (failure !== undefined)
    throw new Error(`the dead-letter queue answered ${failure.code}: ${failure.message ?? ""}`);
}

function entryFor(raw: RawMessage, { why, detail, sourceArn }: Rejection): SendEntry {
  const system = raw.Attributes ?? {};
  const entry: SendEntry = {
    id: "0",
    body: raw.Body ?? "",
    attributes: { ...raw.MessageAttributes },
    ...(system["MessageGroupId"] === undefined ? {} : { groupId: system["MessageGroupId"] }),
    // The id, not the producer's deduplication id: that may have been used in the dead-letter queue already.
    ...(system["MessageDeduplicationId"] === undefined ? {} : { deduplicationId: raw.MessageId ?? "" }),
    ...(system["AWSTraceHeader"] === undefined ? {} : { traceHeader: system["AWSTraceHeader"] }),
  };
  const texts: [string, string | undefined][] = [
    [WHY, why],
    [SOURCE, sourceArn],
    [MESSAGE_ID, raw.MessageId],
    [DETAIL, detail === undefined ? undefined : jsonOf(detail)],
  ];
  for (const [name, text] of texts) {
    if (text) addIfRoom(entry, name, text.slice(0, TEXT_CHARACTERS_MAX));
  }
  return entry;
}

function addIfRoom(entry: SendEntry, name: string, text: string): void {
  const attributes: Record<string, RawAttribute> = { ...entry.attributes };
  attributes[name] = { DataType: "String", StringValue: withoutForbidden(text) };
  const hasRoom = Object.keys(attributes).length <= MESSAGE_ATTRIBUTES_MAX;
  if (hasRoom && bytesOf({ body: entry.body, attributes }) <= BATCH_BYTES_MAX) entry.attributes = attributes;
}

/** SQS refuses most control characters; an error's text may hold any. */
function withoutForbidden(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\ud800-\udfff]/gu, "?") || "?";
}

function jsonOf(detail: object): string {
  try {
    return JSON.stringify(detail);
  } catch {
    return String(detail);
  }
}
