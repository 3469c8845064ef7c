// How many subscriptions a topic takes, and how many of them with a filter.

import {
  FILTER_POLICIES_PER_TOPIC_MAX,
  SUBSCRIPTIONS_PER_FIFO_TOPIC_MAX,
  SUBSCRIPTIONS_PER_TOPIC_MAX,
} from "../limits.ts";
import { type Refusal, refusal } from "../refusal.ts";
import type { ShardState } from "../state.ts";
import { isFifoTopic, type TopicRecord, topicArn } from "./topic-record.ts";

/** Why the topic takes no further subscription; undefined when it does. */
export function refuseSubscriptionCount(
  state: ShardState,
  topic: TopicRecord,
  hasFilter: boolean,
): Refusal | undefined {
  const max = isFifoTopic(topic) ? SUBSCRIPTIONS_PER_FIFO_TOPIC_MAX : SUBSCRIPTIONS_PER_TOPIC_MAX;
  if (state.catalog.resources.childCount("subscription", topicArn(topic.topic)) >= max) {
    return refusal("SubscriptionLimitExceeded", `The topic already has the maximum of ${max} subscriptions`);
  }
  return hasFilter ? refuseFilterCount(state, topic) : undefined;
}

export function refuseFilterCount(state: ShardState, topic: TopicRecord): Refusal | undefined {
  let count = 0;
  for (const { attributes } of state.catalog.resources.childrenOf("subscription", topicArn(topic.topic))) {
    if (attributes.FilterPolicy !== undefined) count += 1;
  }
  if (count < FILTER_POLICIES_PER_TOPIC_MAX) return undefined;
  const text = `The topic already has the maximum of ${FILTER_POLICIES_PER_TOPIC_MAX} filter policies`;
  return refusal("FilterPolicyLimitExceeded", text);
}
