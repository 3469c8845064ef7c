// What a function that is subscribed to a topic is invoked with (fanout.md A7): the notification's fields in other
// spellings, absent ones as null or empty.

import { isoTime } from "../../base/iso-time.ts";
import type { Copy } from "./copy-envelope.ts";
import { type Signature, toBase64, unsubscribeUrl } from "./notification.ts";
import { messageFor } from "./publication.ts";

/** `baseUrl` as in notifications. `signature` is of version 1, whatever the topic's: functions are shown that one. */
export function functionEventText(
  copy: Pick<Copy, "publication" | "subscriptionArn">,
  baseUrl: string,
  signature: Signature | undefined,
): string {
  const { publication, subscriptionArn } = copy;
  const { messageId, topicArn, subject, attributes, publishedAtMs } = publication;
  const MessageAttributes: Record<string, { Type: string; Value: string }> = {};
  for (const { name, dataType, value } of attributes) {
    MessageAttributes[name] = { Type: dataType, Value: typeof value === "string" ? value : toBase64(value) };
  }
  const Sns = {
    Type: "Notification",
    MessageId: messageId,
    TopicArn: topicArn,
    Subject: subject ?? null,
    Message: messageFor(publication, "lambda"),
    Timestamp: isoTime(publishedAtMs),
    SignatureVersion: "1",
    Signature: signature?.value ?? "",
    SigningCertUrl: signature?.certUrl ?? "",
    UnsubscribeUrl: unsubscribeUrl(baseUrl, subscriptionArn),
    MessageAttributes,
  };
  const record = { EventSource: "aws:sns", EventVersion: "1.0", EventSubscriptionArn: subscriptionArn, Sns };
  return JSON.stringify({ Records: [record] });
}
