// Subscription attributes: which can be set, what values they take, and what a caller reads back (fanout.md A5, A11,
// A12). Values are checked before any is kept.

import { canonicalJson } from "../../base/canonical-json.ts";
import { accept, type Result, refuse } from "../../base/result.ts";
import { jsonFault } from "../pattern/json-fault.ts";
import { parseQueueArn } from "../queue-arn.ts";
import type { Refusal } from "../refusal.ts";
import { effectiveSubscriptionPolicyText, subscriptionPolicyProblem } from "./delivery-policy.ts";
import { filterPolicyProblem, isFilterPolicyScope } from "./filter-policy.ts";
import type { SubscriptionProtocol, SubscriptionRecord } from "./subscription-record.ts";
import { replayStatus, subscriptionArn } from "./subscription-record.ts";
import { isFifoTopic, type TopicRecord, topicArn } from "./topic-record.ts";
import { invalidAttribute, type Occasion } from "./topic-refusals.ts";

type Attributes = Record<string, string>;

/** What the values are for. */
export interface SubscriptionShape {
  protocol: SubscriptionProtocol;
  endpoint: string;
  topic: TopicRecord;
}

const NAMES = new Set([
  "DeliveryPolicy",
  "FilterPolicy",
  "FilterPolicyScope",
  "RawMessageDelivery",
  "RedrivePolicy",
  "ReplayPolicy",
  "SubscriptionRoleArn",
]);

/** What a subscription has without being told: asking for it is asking for nothing. */
const DEFAULTS: Attributes = { RawMessageDelivery: "false", FilterPolicyScope: "MessageAttributes" };

/** `given` merged into `current`, checked as a whole; an empty text removes an attribute. */
export function changedAttributes(
  current: Attributes,
  given: Attributes,
  shape: SubscriptionShape,
  occasion: Occasion,
): Result<Attributes, Refusal> {
  const changes: Attributes = {};
  for (const [name, text] of Object.entries(given)) {
    if (!NAMES.has(name)) return refuse(invalidAttribute(occasion, "AttributeName"));
    const problem = text === "" ? undefined : problemOf(name, text, shape);
    if (problem !== undefined) return refuse(invalidAttribute(occasion, problem));
    changes[name] = keptText(name, text);
  }
  const merged = Object.fromEntries(Object.entries({ ...current, ...changes }).filter(([, text]) => text !== ""));
  // Whether a policy is a good one hangs on its scope, so either's change is a reason to look.
  const { FilterPolicy: filter, FilterPolicyScope: scope } = merged;
  const isNew = changes.FilterPolicy !== undefined || changes.FilterPolicyScope !== undefined;
  const problem = filter === undefined || !isNew ? undefined : filterPolicyProblem(filter, scope);
  return problem === undefined ? accept(merged) : refuse(invalidAttribute(occasion, problem));
}

/** Whether a subscription that has `current` already is what `given` asks for. */
export function hasAttributes(current: Attributes, given: Attributes): boolean {
  return Object.entries(given).every(([name, text]) => {
    return canonicalJson(current[name] ?? DEFAULTS[name] ?? "") === canonicalJson(keptText(name, text));
  });
}

/** Everything that GetSubscriptionAttributes answers. */
export function describedSubscription(record: SubscriptionRecord, topic: TopicRecord | undefined): Attributes {
  const { protocol, attributes } = record;
  const { FilterPolicy, FilterPolicyScope, ...others } = attributes;
  const status = replayStatus(record);
  return {
    RawMessageDelivery: "false",
    ...others,
    ...(status === undefined ? {} : { ReplayStatus: status }),
    ...(FilterPolicy === undefined
      ? {}
      : { FilterPolicy, FilterPolicyScope: FilterPolicyScope ?? "MessageAttributes" }),
    ...(isHttp(protocol)
      ? {
          EffectiveDeliveryPolicy: effectiveSubscriptionPolicyText(
            topic?.attributes.DeliveryPolicy,
            attributes.DeliveryPolicy,
          ),
        }
      : {}),
    SubscriptionArn: subscriptionArn(record.subscription),
    TopicArn: topicArn(record.subscription.topic),
    Protocol: protocol,
    Endpoint: record.endpoint,
    Owner: record.owner,
    SubscriptionPrincipal: record.principal,
    PendingConfirmation: String(record.pending),
    ConfirmationWasAuthenticated: String(record.confirmationWasAuthenticated),
  };
}

/** A policy that asks for nothing is none: `{}` is how the developer guide removes one. */
function keptText(name: string, text: string): string {
  if (name === "FilterPolicy") return /^\s*\{\s*\}\s*$/.test(text) ? "" : text;
  return name === "RawMessageDelivery" ? text.toLowerCase() : text;
}

/** What is wrong with one value by itself, filter policies aside. */
function problemOf(name: string, text: string, shape: SubscriptionShape): string | undefined {
  switch (name) {
    case "RawMessageDelivery":
      return rawProblem(text, shape);
    case "FilterPolicyScope":
      if (isFilterPolicyScope(text)) return undefined;
      return `FilterPolicyScope: Invalid value [${text}]. Please use either MessageBody or MessageAttributes`;
    case "RedrivePolicy":
      return redriveProblem(text, shape);
    case "DeliveryPolicy": {
      if (!isHttp(shape.protocol))
        return `DeliveryPolicy: Delivery protocol [${shape.protocol}] has no delivery policy`;
      const problem = subscriptionPolicyProblem(text);
      return problem === undefined ? undefined : `DeliveryPolicy: ${problem}`;
    }
    case "ReplayPolicy":
      return replayProblem(text, shape);
    default:
      return undefined;
  }
}

function rawProblem(text: string, { protocol }: SubscriptionShape): string | undefined {
  const lower = text.toLowerCase();
  if (lower !== "true" && lower !== "false") {
    return `RawMessageDelivery: Invalid value [${text}]. Must be true or false.`;
  }
  if (lower === "false" || protocol === "sqs" || isHttp(protocol)) return undefined;
  return `RawMessageDelivery: Delivery protocol [${protocol}] does not support raw message delivery.`;
}

function redriveProblem(text: string, { endpoint, topic }: SubscriptionShape): string | undefined {
  const policy = parse(text);
  if (policy === undefined) return `RedrivePolicy: failed to parse JSON. ${jsonFault(text)}`;
  // `maxReceiveCount` is what people bring along from queues.
  const unknown = Object.keys(policy).find((name) => name !== "deadLetterTargetArn");
  if (unknown !== undefined) return `RedrivePolicy: invalid JSON. Attribute ${unknown} is unknown.`;
  const { deadLetterTargetArn: arn } = policy as { deadLetterTargetArn?: unknown };
  const target = parseQueueArn(String(arn));
  if (target.is !== "queue") return "RedrivePolicy: deadLetterTargetArn is an invalid arn";
  const { account, region, name } = target.queue;
  if (account !== topic.topic.account || region !== topic.topic.region) {
    return "RedrivePolicy: deadLetterTargetArn must be in the same account and Region as the subscription";
  }
  if (isFifoTopic(topic) && endpoint.endsWith(".fifo") && !name.endsWith(".fifo")) {
    return "RedrivePolicy: must use a FIFO queue as DLQ for a FIFO Subscription to a FIFO Topic.";
  }
  return undefined;
}

/** That the topic has an archive to replay, and from when. */
function replayProblem(text: string, { topic }: SubscriptionShape): string | undefined {
  const policy = parse(text) as { PointType?: unknown; StartingPoint?: unknown; EndingPoint?: unknown } | undefined;
  if (policy === undefined) return "ReplayPolicy: failed to parse JSON.";
  if (topic.attributes.ArchivePolicy === undefined) return "ReplayPolicy: the topic has no ArchivePolicy";
  if (policy.PointType !== "Timestamp") return "ReplayPolicy: PointType must be Timestamp";
  if (!isTime(policy.StartingPoint)) return "ReplayPolicy: StartingPoint is not a valid timestamp";
  if (policy.EndingPoint !== undefined && !isTime(policy.EndingPoint)) {
    return "ReplayPolicy: EndingPoint is not a valid timestamp";
  }
  return undefined;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

function isTime(value: unknown): boolean {
  return typeof value === "string" && TIME.test(value);
}

function isHttp(protocol: SubscriptionProtocol): boolean {
  return protocol === "http" || protocol === "https";
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
