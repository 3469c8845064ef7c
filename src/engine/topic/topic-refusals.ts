// The refusals of topics and subscriptions, with AWS's texts (fanout.md A4, A5).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { CatalogState } from "../catalog/catalog.ts";
import { type Refusal, refusal, topicDoesNotExist } from "../refusal.ts";
import { type SubscriptionKey, type SubscriptionRecord, subscriptionArn } from "./subscription-record.ts";
import { type TopicKey, type TopicRecord, topicArn } from "./topic-record.ts";

/** Attributes that come with the making of a thing are named as a whole; one that is set stands for itself. */
export type Occasion = "making" | "setting";

export function invalid(detail: string): Refusal {
  return refusal("InvalidParameter", `Invalid parameter: ${detail}`);
}

export function invalidAttribute(occasion: Occasion, detail: string): Refusal {
  return invalid(occasion === "making" ? `Attributes Reason: ${detail}` : detail);
}

export function requireTopic(catalog: CatalogState, topic: TopicKey): Result<TopicRecord, Refusal> {
  const record = catalog.resources.get("topic", topicArn(topic));
  return record === undefined ? refuse(topicDoesNotExist()) : accept(record);
}

export function requireSubscription(
  catalog: CatalogState,
  subscription: SubscriptionKey,
): Result<SubscriptionRecord, Refusal> {
  const record = catalog.resources.get("subscription", subscriptionArn(subscription));
  return record === undefined ? refuse(refusal("NotFound", "Subscription does not exist")) : accept(record);
}
