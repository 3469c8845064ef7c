// From the text of a body to what the handler gets. What cannot be decoded will not decode at the next try either:
// InvalidMessage.

import type { Envelope } from "./delivery.ts";
import { InvalidMessage } from "./errors.ts";
import type { RawMessage } from "./queue-port.ts";

/**
 * - `json`: the body parsed;
 * - `text`: the body as it is;
 * - `sns`: the message inside an SNS notification, parsed when it is JSON; the rest is `envelope`;
 * - `eventbridge`: the `detail` of an event; the rest is `envelope`;
 * - a function of your own: text and message to body. What it throws rejects the message.
 */
export type Decode = "json" | "text" | "sns" | "eventbridge" | ((text: string, raw: RawMessage) => unknown);

export interface Decoded {
  body: unknown;
  envelope?: Envelope;
}

export async function decodeBody(decode: Decode, text: string, raw: RawMessage): Promise<Decoded> {
  switch (decode) {
    case "text":
      return { body: text };
    case "json":
      return { body: parse(text) };
    case "sns":
      return decodeSns(parse(text));
    case "eventbridge":
      return decodeEvent(parse(text));
    default:
      try {
        return { body: await decode(text, raw) };
      } catch (error) {
        throw new InvalidMessage("the body could not be decoded", { error: String(error) }, error);
      }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidMessage("the body is not JSON", { error: (error as Error).message }, error);
  }
}

function decodeSns(notification: unknown): Decoded {
  if (!isRecord(notification) || notification["Type"] !== "Notification" || !isText(notification["Message"]))
    throw new InvalidMessage("the body is not an SNS notification; is raw delivery on?");
  const attributes: Record<string, string | Uint8Array> = {};
  const given = isRecord(notification["MessageAttributes"]) ? notification["MessageAttributes"] : {};
  for (const [name, attribute] of Object.entries(given)) {
    if (!isRecord(attribute)) continue;
    const value = String(attribute["Value"]);
    attributes[name] = attribute["Type"] === "Binary" ? Buffer.from(value, "base64") : value;
  }
  const envelope: Envelope = {
    kind: "sns",
    topicArn: textOf(notification["TopicArn"]),
    messageId: textOf(notification["MessageId"]),
    timestamp: textOf(notification["Timestamp"]),
    ...(isText(notification["Subject"]) ? { subject: notification["Subject"] } : {}),
    ...(isText(notification["SequenceNumber"]) ? { sequenceNumber: notification["SequenceNumber"] } : {}),
    attributes,
  };
  return { body: parseIfJson(notification["Message"]), envelope };
}

/** A topic carries texts of any kind; those that are JSON are meant as JSON. */
function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function decodeEvent(event: unknown): Decoded {
  if (!isRecord(event) || !isText(event["detail-type"]) || !("detail" in event))
    throw new InvalidMessage("the body is not an EventBridge event; is there an input transformer?");
  const envelope: Envelope = {
    kind: "eventbridge",
    id: textOf(event["id"]),
    source: textOf(event["source"]),
    detailType: event["detail-type"],
    account: textOf(event["account"]),
    region: textOf(event["region"]),
    time: textOf(event["time"]),
    resources: Array.isArray(event["resources"]) ? event["resources"].map(String) : [],
    ...(isText(event["replay-name"]) ? { replayName: event["replay-name"] } : {}),
  };
  return { body: event["detail"], envelope };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function textOf(value: unknown): string {
  return isText(value) ? value : "";
}
