// What the catalog keeps of one topic. Attributes are kept as AWS spells them, and only those that were set: what a
// caller reads back besides is made when it is read.

import type { Scope } from "../command.ts";

export interface TopicKey extends Scope {
  name: string;
}

export interface TopicRecord {
  topic: TopicKey;
  /** As set: DisplayName, Policy, DeliveryPolicy, SignatureVersion, FifoTopic, ... */
  attributes: Record<string, string>;
  tags: Record<string, string>;
  createdAtMs: number;
  /** For the attribute SubscriptionsDeleted. */
  deletedSubscriptionCount: number;
  /** Since when messages are kept for replay; absent: they are not. */
  archivedSinceMs?: number;
}

export function topicArn(topic: TopicKey): string {
  return `arn:aws:sns:${topic.region}:${topic.account}:${topic.name}`;
}

export function isFifoTopic(record: TopicRecord): boolean {
  return record.attributes.FifoTopic === "true";
}
