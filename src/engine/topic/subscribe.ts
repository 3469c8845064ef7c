// Subscribing, confirming and unsubscribing. A subscription is known by topic, protocol and endpoint: subscribing again
// answers with the one that is there, or is an error when it asks for something else (fanout.md A5).

import { accept, type Result, refuse } from "../../base/result.ts";
import { endpointName } from "../catalog/resources.ts";
import { CONFIRMATION_TOKEN_MS } from "../limits.ts";
import { type Refusal, refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import { decideRestoreSubscription, keepForRestoring } from "./restore-subscription.ts";
import { changedAttributes, hasAttributes, type SubscriptionShape } from "./subscription-attributes.ts";
import { refuseFilterCount, refuseSubscriptionCount } from "./subscription-limits.ts";
import {
  CONFIRMED_AT_ONCE,
  type SubscriptionProtocol,
  type SubscriptionRecord,
  subscriptionArn,
} from "./subscription-record.ts";
import type { TopicCommand } from "./topic-command.ts";
import { isFifoTopic, type TopicRecord, topicArn } from "./topic-record.ts";
import { invalid, requireSubscription, requireTopic } from "./topic-refusals.ts";

type CommandOf<Kind extends TopicCommand["kind"]> = Extract<TopicCommand, { kind: Kind }>;

/** What the host brings to a new subscription. */
export interface FreshIds {
  /** UUID. */
  subscriptionId: string;
  /** Hexadecimal. */
  token: string;
}

export function decideSubscribe(
  state: ShardState,
  command: CommandOf<"subscribe"> & FreshIds,
  record: Recorder,
): Result<SubscriptionRecord, Refusal> {
  const { protocol, endpoint } = command;
  const found = requireTopic(state.catalog, command.topic);
  if (!found.ok) return found;
  const topic = found.value;
  const mismatch = refuseKind(topic, protocol, endpoint);
  if (mismatch !== undefined) return refuse(mismatch);
  const shape: SubscriptionShape = { protocol, endpoint, topic };
  const attributes = changedAttributes({}, command.attributes, shape, "making");
  if (!attributes.ok) return attributes;
  const name = endpointName(topicArn(topic.topic), protocol, endpoint);
  const existing = state.catalog.resources.find("subscription", name);
  if (existing !== undefined) return again(state, existing, command, record);
  const full = refuseSubscriptionCount(state, topic, attributes.value.FilterPolicy !== undefined);
  if (full !== undefined) return refuse(full);
  const pending = !CONFIRMED_AT_ONCE.includes(protocol);
  const made: SubscriptionRecord = {
    subscription: { topic: command.topic, id: command.subscriptionId },
    protocol,
    endpoint,
    owner: command.owner,
    principal: command.principal,
    attributes: attributes.value,
    pending,
    confirmationWasAuthenticated: !pending,
    unsubscribeNeedsAuthentication: false,
    token: command.token,
    tokenExpiresAtMs: state.nowMs + CONFIRMATION_TOKEN_MS,
    createdAtMs: state.nowMs,
  };
  return accept(recordSubscription(made, record));
}

/** Any topic of the right account and region will do, as long as the token is good: also one that restores. */
export function decideConfirmSubscription(
  state: ShardState,
  command: CommandOf<"confirmSubscription">,
  record: Recorder,
): Result<SubscriptionRecord, Refusal> {
  const found = state.catalog.resources.find("subscription", command.token);
  if (found === undefined) return decideRestoreSubscription(state, command, record);
  if (found.tokenExpiresAtMs <= state.nowMs) return refuse(invalid("Token"));
  const { account, region } = found.subscription.topic;
  if (account !== command.scope.account || region !== command.scope.region) return refuse(invalid("Token"));
  if (!found.pending) return accept(found);
  const confirmed = {
    ...found,
    pending: false,
    confirmationWasAuthenticated: command.authenticated,
    unsubscribeNeedsAuthentication: command.authenticateOnUnsubscribe,
  };
  return accept(recordSubscription(confirmed, record));
}

export interface Unsubscribed {
  was: SubscriptionRecord;
  /** What its endpoint is told, to restore it; absent when it is not told. */
  restoreToken?: string;
}

/** The value is undefined when there was no subscription. */
export function decideUnsubscribe(
  state: ShardState,
  { subscription, authenticated, token }: CommandOf<"unsubscribe"> & Pick<FreshIds, "token">,
  record: Recorder,
): Result<Unsubscribed | undefined, Refusal> {
  const { resources } = state.catalog;
  const key = subscriptionArn(subscription);
  const existing = resources.get("subscription", key);
  if (existing === undefined) return accept(undefined);
  if (existing.unsubscribeNeedsAuthentication && !authenticated) {
    return refuse(refusal("AuthorizationError", "Unsubscribing from this subscription needs a signed request"));
  }
  // Once its token has expired it can never be confirmed: AWS has removed it by then, so it may go.
  if (existing.pending && existing.tokenExpiresAtMs > state.nowMs) {
    return refuse(invalid("SubscriptionArn Reason: Cannot unsubscribe a subscription that is pending confirmation"));
  }
  record({ kind: "ResourceForgotten", type: "subscription", key });
  const topic = resources.get("topic", topicArn(subscription.topic));
  if (topic !== undefined) {
    const changed = { ...topic, deletedSubscriptionCount: topic.deletedSubscriptionCount + 1 };
    record({ kind: "ResourceRecorded", entry: { type: "topic", key: topicArn(topic.topic), record: changed } });
  }
  // Whoever signs is known. Anybody may follow the link in a message, so the endpoint is asked whether it meant that.
  if (authenticated || existing.pending || CONFIRMED_AT_ONCE.includes(existing.protocol)) {
    return accept({ was: existing });
  }
  keepForRestoring(state, existing, token, record);
  return accept({ was: existing, restoreToken: token });
}

export function decideSetSubscriptionAttribute(
  state: ShardState,
  { subscription, name, value }: CommandOf<"setSubscriptionAttribute">,
  record: Recorder,
): Result<SubscriptionRecord, Refusal> {
  const found = requireSubscription(state.catalog, subscription);
  if (!found.ok) return found;
  const topic = requireTopic(state.catalog, subscription.topic);
  if (!topic.ok) return topic;
  const { protocol, endpoint, attributes: current } = found.value;
  const shape: SubscriptionShape = { protocol, endpoint, topic: topic.value };
  const attributes = changedAttributes(current, { [name]: value }, shape, "setting");
  if (!attributes.ok) return attributes;
  const addsFilter = current.FilterPolicy === undefined && attributes.value.FilterPolicy !== undefined;
  const full = addsFilter ? refuseFilterCount(state, topic.value) : undefined;
  if (full !== undefined) return refuse(full);
  return accept(recordSubscription({ ...found.value, attributes: attributes.value }, record));
}

/** Standard topics have no order for a FIFO queue; FIFO topics deliver to queues alone, of either kind. */
function refuseKind(topic: TopicRecord, protocol: SubscriptionProtocol, endpoint: string): Refusal | undefined {
  if (isFifoTopic(topic)) {
    return protocol === "sqs" ? undefined : invalid("Invalid parameter: Endpoint Reason: Please use FIFO SQS queue");
  }
  if (protocol !== "sqs" || !endpoint.endsWith(".fifo")) return undefined;
  return invalid("Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics");
}

function again(
  state: ShardState,
  existing: SubscriptionRecord,
  { attributes, token }: CommandOf<"subscribe"> & FreshIds,
  record: Recorder,
): Result<SubscriptionRecord, Refusal> {
  if (!hasAttributes(existing.attributes, attributes)) {
    return refuse(invalid("Attributes Reason: Subscription already exists with different attributes"));
  }
  if (!existing.pending || existing.tokenExpiresAtMs > state.nowMs) return accept(existing);
  // Nobody confirmed in time, and somebody still wants it.
  const renewed = { ...existing, token, tokenExpiresAtMs: state.nowMs + CONFIRMATION_TOKEN_MS };
  return accept(recordSubscription(renewed, record));
}

function recordSubscription(changed: SubscriptionRecord, record: Recorder): SubscriptionRecord {
  const key = subscriptionArn(changed.subscription);
  record({ kind: "ResourceRecorded", entry: { type: "subscription", key, record: changed } });
  return changed;
}
