// A topic's subscriptions as an operator sees them: what became of their deliveries, what waits, and what stands in the
// way. Looking changes nothing and counts nothing.

import { hidePassword } from "../base/hide-password.ts";
import type { TopicKey, WrittenStatement } from "../engine/index.ts";
import { isRaw, type SubscriptionProtocol, subscriptionArn, type TopicRecord, topicArn } from "../engine/index.ts";
import type { DeliveryRecord } from "./delivery-records.ts";
import type { MillpondHost } from "./start-host.ts";
import { type Route, routeOf } from "./topic-routes.ts";

/** Counts are since the server started. */
export interface SubscriptionReport extends DeliveryRecord {
  arn: string;
  protocol: SubscriptionProtocol;
  /** Without the password that its URL may have. */
  endpoint: string;
  /** It has not been confirmed, so it gets nothing. */
  pending: boolean;
  raw: boolean;
  /** As it was set. */
  filterPolicy?: string;
  filterPolicyScope?: string;
  deadLetterArn?: string;
  /** Messages that wait to be delivered, for the first time or again. */
  waitingCount: number;
  /** Why nothing that is published now gets there, or would not on AWS, in words. */
  problem?: string;
  /** What the queue's policy lacks, to be added as it is. */
  missingStatement?: WrittenStatement;
}

/** Undefined when there is no such topic. */
export function reportSubscriptions(host: MillpondHost, key: TopicKey): SubscriptionReport[] | undefined {
  const arn = topicArn(key);
  const topic = host.catalog.resources.get("topic", arn);
  if (topic === undefined) return undefined;
  return Array.from(host.catalog.resources.childrenOf("subscription", arn), (record) => {
    const route = routeOf(record);
    const { FilterPolicy, FilterPolicyScope } = record.attributes;
    return {
      arn: subscriptionArn(record.subscription),
      protocol: record.protocol,
      endpoint: hidePassword(record.endpoint),
      pending: record.pending,
      raw: isRaw(record),
      ...(FilterPolicy === undefined ? {} : { filterPolicy: FilterPolicy }),
      ...(FilterPolicyScope === undefined ? {} : { filterPolicyScope: FilterPolicyScope }),
      ...(route.deadLetterArn === undefined ? {} : { deadLetterArn: route.deadLetterArn }),
      waitingCount: waitingOf(host, route),
      ...(host.deliveryRecords.of(route.arn) ?? NOTHING_YET),
      ...obstacleOf(host, topic, route),
    };
  });
}

const NOTHING_YET: DeliveryRecord = { deliveredCount: 0, failedCount: 0, retriedCount: 0, failures: [] };

/** A queue's messages wait in the queue itself: they are delivered. */
function waitingOf(host: MillpondHost, { target }: Route): number {
  if (target.is === "queue") return 0;
  const place = host.catalog.internalQueue(target.spec.name);
  if (place === undefined) return 0;
  const { answer } = place.shard.run((state) => {
    const { readyCount = 0, delayedCount = 0, inFlightCount = 0 } = state.partitions.get(place.partition) ?? {};
    return readyCount + delayedCount + inFlightCount;
  });
  return answer;
}

function obstacleOf(
  host: MillpondHost,
  topic: TopicRecord,
  { target }: Route,
): Pick<SubscriptionReport, "problem" | "missingStatement"> {
  if (target.is !== "queue") return {};
  const place = host.catalog.place(target.queue);
  if (place === undefined) return { problem: "The queue does not exist." };
  return host.access.obstacleTo(topic, place.record) ?? {};
}
