// Who gets a topic's messages. Derived from the topic's subscriptions and kept until one of them changes.

import type { PublishEntry, QueueKey } from "../engine/command.ts";
import {
  attributesEvent,
  bodyEvent,
  compilePattern,
  type InternalQueueSpec,
  isRaw,
  Matcher,
  parseQueueArn,
  type Resources,
  replayStatus,
  SNS_ATTRIBUTES,
  SNS_BODY,
  type SubscriptionRecord,
  subscriptionArn,
} from "../engine/index.ts";
import { DELIVERY_RETENTION_MS } from "../engine/limits.ts";

/** One confirmed subscription, read once. */
export interface Route {
  arn: string;
  record: SubscriptionRecord;
  raw: boolean;
  target: { is: "queue"; queue: QueueKey } | { is: "internal"; spec: InternalQueueSpec };
  /** Of the subscription's redrive policy. */
  deadLetterArn: string | undefined;
}

/** What is derived from a topic's subscriptions, for one state of them. */
interface Derived {
  resources: Resources;
  revision: number;
  unfiltered: Route[];
  byAttributes: Matcher<Route>;
  byBody: Matcher<Route>;
}

export class TopicRoutes {
  readonly #byTopic = new Map<string, Derived>();

  /** Subscriptions whose filter policy lets the message through: each filter is not asked alone (pattern/matcher.ts). */
  matching(resources: Resources, topicArn: string, entry: PublishEntry): Route[] {
    const { unfiltered, byAttributes, byBody } = this.#derived(resources, topicArn);
    if (byAttributes.size === 0 && byBody.size === 0) return unfiltered;
    const routes = unfiltered.slice();
    const attributes = byAttributes.size === 0 ? undefined : attributesEvent(entry.attributes);
    if (attributes !== undefined) routes.push(...byAttributes.match(attributes));
    const body = byBody.size === 0 ? undefined : bodyEvent(entry.messages.default);
    if (body !== undefined) routes.push(...byBody.match(body));
    return routes;
  }

  #derived(resources: Resources, topicArn: string): Derived {
    const revision = resources.revisionOf("subscription", topicArn);
    let derived = this.#byTopic.get(topicArn);
    if (derived === undefined || derived.resources !== resources || derived.revision !== revision) {
      derived = { resources, revision, unfiltered: [], byAttributes: new Matcher(), byBody: new Matcher() };
      for (const record of resources.childrenOf("subscription", topicArn)) {
        if (takesNew(record)) addRoute(derived, routeOf(record));
      }
      this.#byTopic.set(topicArn, derived);
    }
    return derived;
  }
}

/** Not those that wait to be confirmed, nor those that get everything from the archive. */
function takesNew(record: SubscriptionRecord): boolean {
  if (record.pending) return false;
  const policy = record.attributes.ReplayPolicy;
  if (policy === undefined) return true;
  return replayStatus(record) === "Completed" && parsedReplayPolicy(policy).endMs === undefined;
}

/** Of a policy that was checked when it was set. */
export function parsedReplayPolicy(text: string): { startMs: number; endMs: number | undefined } {
  const { StartingPoint, EndingPoint } = JSON.parse(text) as { StartingPoint: string; EndingPoint?: string };
  return { startMs: Date.parse(StartingPoint), endMs: EndingPoint === undefined ? undefined : Date.parse(EndingPoint) };
}

/** Does the subscription's own filter let it through? */
export function isWanted(record: SubscriptionRecord, entry: Pick<PublishEntry, "attributes" | "messages">): boolean {
  const { FilterPolicy: policy, FilterPolicyScope: scope } = record.attributes;
  if (policy === undefined) return true;
  const ofBody = scope === "MessageBody";
  const compiled = compilePattern(policy, ofBody ? SNS_BODY : SNS_ATTRIBUTES);
  const event = ofBody ? bodyEvent(entry.messages.default) : attributesEvent(entry.attributes);
  if (!compiled.ok || event === undefined) return false;
  const matcher = new Matcher<true>();
  matcher.add(true, compiled.value);
  return matcher.match(event).length > 0;
}

function addRoute(derived: Derived, route: Route): void {
  const { FilterPolicy: policy, FilterPolicyScope: scope } = route.record.attributes;
  if (policy === undefined) {
    derived.unfiltered.push(route);
    return;
  }
  const ofBody = scope === "MessageBody";
  const compiled = compilePattern(policy, ofBody ? SNS_BODY : SNS_ATTRIBUTES);
  // It was compiled when it was set. A policy that this version cannot read lets nothing through.
  if (compiled.ok) (ofBody ? derived.byBody : derived.byAttributes).add(route, compiled.value);
}

/** What internal queues of SNS are called: by this and the ARN of what they belong to. */
export const QUEUE_PREFIXES = {
  topic: "sns/topic/",
  archive: "sns/archive/",
  subscription: "sns/deliveries/",
} as const;

/** Of deliveries that are not plain copies. They outlast every retry policy. */
export function deliveryQueueOf(subscription: string): InternalQueueSpec {
  return {
    name: QUEUE_PREFIXES.subscription + subscription,
    attributes: { MessageRetentionPeriod: String(DELIVERY_RETENTION_MS / 1000) },
  };
}

/** What a FIFO topic keeps for replay. */
export function archiveQueueName(topic: string): string {
  return QUEUE_PREFIXES.archive + topic;
}

/** The topic's own partition. */
export function homeQueueName(topic: string): string {
  return QUEUE_PREFIXES.topic + topic;
}

/** ARN of the subscription's dead-letter queue. */
export function deadLetterArnOf(record: SubscriptionRecord): string | undefined {
  const policy = record.attributes.RedrivePolicy;
  if (policy === undefined) return undefined;
  return (JSON.parse(policy) as { deadLetterTargetArn?: string }).deadLetterTargetArn;
}

export function routeOf(record: SubscriptionRecord): Route {
  const arn = subscriptionArn(record.subscription);
  const parsed = record.protocol === "sqs" ? parseQueueArn(record.endpoint) : undefined;
  return {
    arn,
    record,
    raw: isRaw(record),
    target:
      parsed?.is === "queue" ? { is: "queue", queue: parsed.queue } : { is: "internal", spec: deliveryQueueOf(arn) },
    deadLetterArn: deadLetterArnOf(record),
  };
}
