// The attributes that SQS itself gives a message, as a receive shows them: all texts, absent where they do not apply.

import type { ReceivedMessage } from "../../engine/command.ts";

type Attribute = (message: ReceivedMessage) => string | undefined;

const attributes = new Map<string, Attribute>([
  ["SenderId", ({ senderId }) => senderId],
  ["SentTimestamp", ({ sentAtMs }) => String(sentAtMs)],
  ["ApproximateReceiveCount", ({ receiveCount }) => String(receiveCount)],
  ["ApproximateFirstReceiveTimestamp", ({ firstReceivedAtMs }) => String(firstReceivedAtMs)],
  ["SequenceNumber", ({ sequenceNumber }) => sequenceNumber],
  ["MessageDeduplicationId", ({ deduplicationId }) => deduplicationId],
  ["MessageGroupId", ({ groupId }) => groupId],
  ["AWSTraceHeader", ({ content }) => content.traceHeader],
  ["DeadLetterQueueSourceArn", ({ deadLetterSourceArn }) => deadLetterSourceArn],
]);

/** Names that mean nothing are ignored; a message with none of the attributes asked for shows no member. */
export function systemAttributeSelection(
  ...names: (readonly string[] | undefined)[]
): (message: ReceivedMessage) => Record<string, string> | undefined {
  const asked = new Set(names.flatMap((list) => list ?? []));
  if (asked.size === 0) return () => undefined;
  const wanted = [...attributes].filter(([name]) => asked.has("All") || asked.has(name));
  return (message) => {
    let shown: Record<string, string> | undefined;
    for (const [name, attribute] of wanted) {
      const value = attribute(message);
      if (value === undefined) continue;
      shown ??= {};
      shown[name] = value;
    }
    return shown;
  };
}
