// What a topic's kind asks of a message: FIFO topics order by group and recognise repeats, standard topics do neither
// (fanout.md A6).

import type { PublishEntry } from "../command.ts";
import { type Refusal, refusal } from "../refusal.ts";
import { isFifoTopic, type TopicRecord } from "./topic-record.ts";

export function refusePublish(topic: TopicRecord, entry: PublishEntry): Refusal | undefined {
  if (!isFifoTopic(topic)) {
    if (entry.deduplicationId === undefined) return undefined;
    return invalid(
      "MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type",
    );
  }
  if (entry.groupId === undefined) return invalid("The MessageGroupId parameter is required for FIFO topics");
  if (deduplicationIdOf(topic, entry) === undefined) {
    return invalid(
      "The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
    );
  }
  return undefined;
}

/** The one given, or with content-based deduplication the message's digest; undefined on standard topics. */
export function deduplicationIdOf(topic: TopicRecord, entry: PublishEntry): string | undefined {
  if (!isFifoTopic(topic)) return undefined;
  if (entry.deduplicationId !== undefined) return entry.deduplicationId;
  return topic.attributes.ContentBasedDeduplication === "true" ? entry.contentDeduplicationId : undefined;
}

function invalid(what: string): Refusal {
  return refusal("InvalidParameter", `Invalid parameter: ${what}`);
}
