// What a subscriber without raw delivery gets: the notification around a published message, as JSON in SNS's own
// order and spacing, and the text that is signed. Sources: fanout.md A7 and A9; the developer guide, "Verifying the
// signatures of Amazon SNS messages".

import { isoTime } from "../../base/iso-time.ts";
import type { MessageAttribute } from "../command.ts";
import type { Copy } from "./copy-envelope.ts";
import { messageFor, type Publication } from "./publication.ts";

export type SignatureVersion = "1" | "2";

export interface Signature {
  version: SignatureVersion;
  /** Base64. */
  value: string;
  certUrl: string;
}

/** `baseUrl`: where the server is reached, without a slash at the end. FIFO notifications carry no signature. */
export function notificationText(
  copy: Pick<Copy, "publication" | "subscriptionArn" | "replayed">,
  protocol: string,
  baseUrl: string,
  signature: Signature | undefined,
): string {
  const { publication, subscriptionArn, replayed } = copy;
  const { messageId, sequenceNumber, topicArn, subject, attributes } = publication;
  const fields: [string, string | undefined][] = [
    ["Type", "Notification"],
    ["MessageId", messageId],
    ["SequenceNumber", sequenceNumber],
    ["TopicArn", topicArn],
    ["Subject", subject],
    ["Message", messageFor(publication, protocol)],
    ["Timestamp", timestampOf(publication)],
    ["SignatureVersion", signature?.version],
    ["Signature", signature?.value],
    ["SigningCertURL", signature?.certUrl],
    ["UnsubscribeURL", unsubscribeUrl(baseUrl, subscriptionArn)],
    ["Replayed", replayed ? "true" : undefined],
  ];
  const lines = presentFields(fields);
  if (attributes.length > 0) lines.push(`  "MessageAttributes" : {\n${attributes.map(attributeLine).join(",\n")}\n  }`);
  return `{\n${lines.join(",\n")}\n}`;
}

export interface Confirmation {
  type: "SubscriptionConfirmation" | "UnsubscribeConfirmation";
  messageId: string;
  token: string;
  topicArn: string;
  subscriptionArn: string;
  sentAtMs: number;
}

/** The document that asks an endpoint's owner to confirm, or tells of an unsigned Unsubscribe. */
export function confirmationText(
  confirmation: Confirmation,
  baseUrl: string,
  signature: Signature | undefined,
): string {
  const { type, messageId, token, topicArn, sentAtMs } = confirmation;
  const fields: [string, string | undefined][] = [
    ["Type", type],
    ["MessageId", messageId],
    ["Token", token],
    ["TopicArn", topicArn],
    ["Message", confirmationMessage(confirmation)],
    ["SubscribeURL", subscribeUrl(baseUrl, topicArn, token)],
    ["Timestamp", isoTime(sentAtMs)],
    ["SignatureVersion", signature?.version],
    ["Signature", signature?.value],
    ["SigningCertURL", signature?.certUrl],
  ];
  return `{\n${presentFields(fields).join(",\n")}\n}`;
}

/** Each signed field and its value on lines of their own, in byte order of the names. */
export function notificationToSign(publication: Publication, protocol: string): string {
  const { messageId, subject, topicArn } = publication;
  return lineByLine([
    ["Message", messageFor(publication, protocol)],
    ["MessageId", messageId],
    ["Subject", subject],
    ["Timestamp", timestampOf(publication)],
    ["TopicArn", topicArn],
    ["Type", "Notification"],
  ]);
}

export function confirmationToSign(confirmation: Confirmation, baseUrl: string): string {
  const { type, messageId, token, topicArn, sentAtMs } = confirmation;
  return lineByLine([
    ["Message", confirmationMessage(confirmation)],
    ["MessageId", messageId],
    ["SubscribeURL", subscribeUrl(baseUrl, topicArn, token)],
    ["Timestamp", isoTime(sentAtMs)],
    ["Token", token],
    ["TopicArn", topicArn],
    ["Type", type],
  ]);
}

export function subscribeUrl(baseUrl: string, topicArn: string, token: string): string {
  return `${baseUrl}/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=${token}`;
}

export function unsubscribeUrl(baseUrl: string, subscriptionArn: string): string {
  return `${baseUrl}/?Action=Unsubscribe&SubscriptionArn=${subscriptionArn}`;
}

function timestampOf({ publishedAtMs }: Publication): string {
  return isoTime(publishedAtMs);
}

function confirmationMessage({ type, topicArn, subscriptionArn }: Confirmation): string {
  const visit = "visit the SubscribeURL included in this message.";
  return type === "SubscriptionConfirmation"
    ? `You have chosen to subscribe to the topic ${topicArn}.\nTo confirm the subscription, ${visit}`
    : `You have chosen to deactivate subscription ${subscriptionArn}.\nTo cancel this operation and restore the subscription, ${visit}`;
}

function presentFields(fields: [string, string | undefined][]): string[] {
  const lines: string[] = [];
  for (const [name, value] of fields) if (value !== undefined) lines.push(`  "${name}" : ${JSON.stringify(value)}`);
  return lines;
}

function attributeLine({ name, dataType, value }: MessageAttribute): string {
  const text = typeof value === "string" ? value : toBase64(value);
  return `    ${JSON.stringify(name)} : {"Type":${JSON.stringify(dataType)},"Value":${JSON.stringify(text)}}`;
}

function lineByLine(fields: [string, string | undefined][]): string {
  return fields.map(([name, value]) => (value === undefined ? "" : `${name}\n${value}\n`)).join("");
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
