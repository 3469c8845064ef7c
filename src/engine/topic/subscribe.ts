// Subscribing, confirming and unsubscribing. A subscription is known by topic, protocol and endpoint: subscribing again
// answers with the one that is there, or is an error when it asks for something else (fanout.md A5).

import { accept, type Result, refuse } from "../../base/result.ts";
import {
  CONFIRMATION_TOKEN_MS,
  FILTER_POLICIES_PER_TOPIC_MAX,
  SUBSCRIPTIONS_PER_FIFO_TOPIC_MAX,
  SUBSCRIPTIONS_PER_TOPIC_MAX,
} from "../limits.ts";
import { type Refusal, refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import { changedAttributes, hasAttributes, type SubscriptionShape } from "./subscription-attributes.ts";
import type { SubscriptionProtocol, SubscriptionRecord } from "./subscription-record.ts";
import { subscriptionArn } from "./subscription-record.ts";
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

/** Endpoints of these prove themselves: nobody else could have given them a place to deliver to. */
const CONFIRMED_AT_ONCE: readonly SubscriptionProtocol[] = ["sqs", "lambda", "sms"];

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
  const existing = findSubscription(state, topic, protocol, endpoint);
  if (existing !== undefined) return again(state, existing, command, record);
  const full = refuseCount(state, topic, attributes.value.FilterPolicy !== undefined);
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

/** Any topic of the right account and region will do, as long as the token is good. */
export function decideConfirmSubscription(
  state: ShardState,
  command: CommandOf<"confirmSubscription">,
  record: Recorder,
): Result<SubscriptionRecord, Refusal> {
  const found = findByToken(state, command.token);
  if (found === undefined || found.tokenExpiresAtMs <= state.nowMs) return refuse(invalid("Token"));
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

/** The value is the subscription that went, undefined when there was none. */
export function decideUnsubscribe(
  state: ShardState,
  { subscription, authenticated }: CommandOf<"unsubscribe">,
  record: Recorder,
): Result<SubscriptionRecord | undefined, Refusal> {
  const { resources } = state.catalog;
  const key = subscriptionArn(subscription);
  const existing = resources.get("subscription", key);
  if (existing === undefined) return accept(undefined);
  if (existing.unsubscribeNeedsAuthentication && !authenticated) {
    return refuse(refusal("AuthorizationError", "Unsubscribing from this subscription needs a signed request"));
  }
  record({ kind: "ResourceForgotten", type: "subscription", key });
  const topic = resources.get("topic", topicArn(subscription.topic));
  if (topic !== undefined) {
    const changed = { ...topic, deletedSubscriptionCount: topic.deletedSubscriptionCount + 1 };
    record({ kind: "ResourceRecorded", entry: { type: "topic", key: topicArn(topic.topic), record: changed } });
  }
  return accept(existing);
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

function refuseCount(state: ShardState, topic: TopicRecord, hasFilter: boolean): Refusal | undefined {
  const max = isFifoTopic(topic) ? SUBSCRIPTIONS_PER_FIFO_TOPIC_MAX : SUBSCRIPTIONS_PER_TOPIC_MAX;
  if (state.catalog.resources.childCount("subscription", topicArn(topic.topic)) >= max) {
    return refusal("SubscriptionLimitExceeded", `The topic already has the maximum of ${max} subscriptions`);
  }
  return hasFilter ? refuseFilterCount(state, topic) : undefined;
}

function refuseFilterCount(state: ShardState, topic: TopicRecord): Refusal | undefined {
  let count = 0;
  for (const { attributes } of state.catalog.resources.childrenOf("subscription", topicArn(topic.topic))) {
    if (attributes.FilterPolicy !== undefined) count += 1;
  }
  if (count < FILTER_POLICIES_PER_TOPIC_MAX) return undefined;
  const text = `The topic already has the maximum of ${FILTER_POLICIES_PER_TOPIC_MAX} filter policies`;
  return refusal("FilterPolicyLimitExceeded", text);
}

function findSubscription(
  state: ShardState,
  topic: TopicRecord,
  protocol: SubscriptionProtocol,
  endpoint: string,
): SubscriptionRecord | undefined {
  for (const other of state.catalog.resources.childrenOf("subscription", topicArn(topic.topic))) {
    if (other.protocol === protocol && other.endpoint === endpoint) return other;
  }
  return undefined;
}

/** Looks through all of them: confirmations are rare. */
function findByToken(state: ShardState, token: string): SubscriptionRecord | undefined {
  for (const record of state.catalog.resources.values("subscription")) if (record.token === token) return record;
  return undefined;
}

function recordSubscription(changed: SubscriptionRecord, record: Recorder): SubscriptionRecord {
  const key = subscriptionArn(changed.subscription);
  record({ kind: "ResourceRecorded", entry: { type: "subscription", key, record: changed } });
  return changed;
}
