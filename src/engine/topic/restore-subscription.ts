// A subscription that was cancelled without a signature is kept for as long as a token is good: its endpoint is told,
// and ConfirmSubscription with the token that it is told brings the subscription back as it was (fanout.md A9).

import { accept, type Result, refuse } from "../../base/result.ts";
import { endpointName } from "../catalog/resources.ts";
import { CONFIRMATION_TOKEN_MS } from "../limits.ts";
import type { Refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import { refuseSubscriptionCount } from "./subscription-limits.ts";
import { type SubscriptionRecord, subscriptionArn } from "./subscription-record.ts";
import type { TopicCommand } from "./topic-command.ts";
import { topicArn } from "./topic-record.ts";
import { invalid } from "./topic-refusals.ts";

type Confirm = Extract<TopicCommand, { kind: "confirmSubscription" }>;

/** In place of a subscription that has just gone. Those whose time is over go with this. */
export function keepForRestoring(state: ShardState, was: SubscriptionRecord, token: string, record: Recorder): void {
  const { nowMs, catalog } = state;
  const expired: string[] = [];
  // They expire in the order in which they were made.
  for (const { was: older, tokenExpiresAtMs } of catalog.resources.values("unsubscribed")) {
    if (tokenExpiresAtMs > nowMs) break;
    expired.push(subscriptionArn(older.subscription));
  }
  for (const key of expired) record({ kind: "ResourceForgotten", type: "unsubscribed", key });
  const kept = { was, token, tokenExpiresAtMs: nowMs + CONFIRMATION_TOKEN_MS };
  const key = subscriptionArn(was.subscription);
  record({ kind: "ResourceRecorded", entry: { type: "unsubscribed", key, record: kept } });
}

/** The token becomes the subscription's own, so that following the link again changes nothing. */
export function decideRestoreSubscription(
  state: ShardState,
  { token, scope }: Pick<Confirm, "token" | "scope">,
  record: Recorder,
): Result<SubscriptionRecord, Refusal> {
  const { resources } = state.catalog;
  const kept = resources.find("unsubscribed", token);
  if (kept === undefined || kept.tokenExpiresAtMs <= state.nowMs) return refuse(invalid("Token"));
  const { was, tokenExpiresAtMs } = kept;
  const { topic: key } = was.subscription;
  const topic = resources.get("topic", topicArn(key));
  if (topic === undefined || key.account !== scope.account || key.region !== scope.region) {
    return refuse(invalid("Token"));
  }
  // Somebody subscribed the endpoint again meanwhile: that one is confirmed, since the token came from the endpoint.
  const newer = resources.find("subscription", endpointName(topicArn(key), was.protocol, was.endpoint));
  if (newer === undefined) {
    const full = refuseSubscriptionCount(state, topic, was.attributes.FilterPolicy !== undefined);
    if (full !== undefined) return refuse(full);
    const deletedSubscriptionCount = Math.max(0, topic.deletedSubscriptionCount - 1);
    const changed = { ...topic, deletedSubscriptionCount };
    record({ kind: "ResourceRecorded", entry: { type: "topic", key: topicArn(key), record: changed } });
  }
  record({ kind: "ResourceForgotten", type: "unsubscribed", key: subscriptionArn(was.subscription) });
  const restored: SubscriptionRecord = { ...(newer ?? was), pending: false, token, tokenExpiresAtMs };
  const arn = subscriptionArn(restored.subscription);
  record({ kind: "ResourceRecorded", entry: { type: "subscription", key: arn, record: restored } });
  return accept(restored);
}
