// Making, changing and deleting topics. CreateTopic is idempotent: a topic that already is what was asked for is
// answered with; an attribute or tag that it has otherwise, or was never given, is an error (fanout.md A4).

import { canonicalJson } from "../../base/canonical-json.ts";
import { accept, type Result, refuse } from "../../base/result.ts";
import { FIFO_TOPICS_MAX, TOPIC_NAME_CHARACTERS_MAX, TOPICS_MAX } from "../limits.ts";
import { type Refusal, refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import type { SubscriptionRecord } from "./subscription-record.ts";
import { subscriptionArn } from "./subscription-record.ts";
import { asksForFifo, mergeTopicAttributes, readTopicAttributes, withFifoDefaults } from "./topic-attributes.ts";
import type { TopicCommand } from "./topic-command.ts";
import { isFifoTopic, type TopicKey, type TopicRecord, topicArn } from "./topic-record.ts";
import { invalid, requireTopic } from "./topic-refusals.ts";
import { refuseTopicTags } from "./topic-tags.ts";

type CommandOf<Kind extends TopicCommand["kind"]> = Extract<TopicCommand, { kind: Kind }>;

const FIFO_SUFFIX = ".fifo";

export function decideCreateTopic(
  state: ShardState,
  command: CommandOf<"createTopic">,
  record: Recorder,
): Result<TopicRecord, Refusal> {
  const { topic, tags } = command;
  const fifo = asksForFifo(command.attributes);
  if (!isTopicName(topic.name, fifo)) return refuse(invalid("Topic Name"));
  const attributes = readTopicAttributes(command.attributes, fifo, "making");
  if (!attributes.ok) return attributes;
  const existing = state.catalog.resources.get("topic", topicArn(topic));
  if (existing !== undefined) return sameTopic(existing, attributes.value, tags);
  const problem = refuseTopicTags(tags, {}) ?? refuseCount(state, topic, fifo);
  if (problem !== undefined) return refuse(problem);
  const created: TopicRecord = {
    topic,
    attributes: mergeTopicAttributes({}, attributes.value),
    tags,
    createdAtMs: state.nowMs,
    deletedSubscriptionCount: 0,
  };
  return accept(recordTopic(state, created, record));
}

export function decideSetTopicAttribute(
  state: ShardState,
  { topic, name, value }: CommandOf<"setTopicAttribute">,
  record: Recorder,
): Result<TopicRecord, Refusal> {
  const found = requireTopic(state.catalog, topic);
  if (!found.ok) return found;
  const changes = readTopicAttributes({ [name]: value }, isFifoTopic(found.value), "setting");
  if (!changes.ok) return changes;
  const attributes = mergeTopicAttributes(found.value.attributes, changes.value);
  return accept(recordTopic(state, { ...found.value, attributes }, record));
}

/** The subscriptions go with it: they are the value, empty when there was no such topic. */
export function decideDeleteTopic(
  state: ShardState,
  { topic }: CommandOf<"deleteTopic">,
  record: Recorder,
): Result<SubscriptionRecord[], Refusal> {
  const arn = topicArn(topic);
  const { resources } = state.catalog;
  const existing = resources.get("topic", arn);
  if (existing === undefined) return accept([]);
  if (existing.attributes.ArchivePolicy !== undefined) {
    return refuse(refusal("InvalidState", "Invalid state: A topic with an ArchivePolicy can not be deleted"));
  }
  const subscriptions = [...resources.childrenOf("subscription", arn)];
  for (const { subscription } of subscriptions) {
    record({ kind: "ResourceForgotten", type: "subscription", key: subscriptionArn(subscription) });
  }
  for (const { was } of [...resources.childrenOf("unsubscribed", arn)]) {
    record({ kind: "ResourceForgotten", type: "unsubscribed", key: subscriptionArn(was.subscription) });
  }
  record({ kind: "ResourceForgotten", type: "topic", key: arn });
  return accept(subscriptions);
}

/** Archiving begins when its policy does, and a change of the policy does not begin it anew. */
export function recordTopic(state: ShardState, changed: TopicRecord, record: Recorder): TopicRecord {
  const { archivedSinceMs, ...rest } = changed;
  const isArchived = changed.attributes.ArchivePolicy !== undefined;
  const kept: TopicRecord = isArchived ? { ...rest, archivedSinceMs: archivedSinceMs ?? state.nowMs } : rest;
  record({ kind: "ResourceRecorded", entry: { type: "topic", key: topicArn(kept.topic), record: kept } });
  return kept;
}

function isTopicName(name: string, fifo: boolean): boolean {
  const stem = fifo && name.endsWith(FIFO_SUFFIX) ? name.slice(0, -FIFO_SUFFIX.length) : name;
  if (fifo && stem === name) return false;
  return /^[A-Za-z0-9_-]+$/.test(stem) && name.length <= TOPIC_NAME_CHARACTERS_MAX;
}

function sameTopic(
  existing: TopicRecord,
  given: Record<string, string>,
  tags: Record<string, string>,
): Result<TopicRecord, Refusal> {
  const current = withFifoDefaults(existing);
  for (const [name, text] of Object.entries(given)) {
    const set = current[name];
    if (set === undefined || canonicalJson(set) !== canonicalJson(text)) {
      return refuse(invalid("Attributes Reason: Topic already exists with different attributes"));
    }
  }
  if (Object.entries(tags).some(([key, value]) => existing.tags[key] !== value)) {
    return refuse(invalid("Tags Reason: Topic already exists with different tags"));
  }
  return accept(existing);
}

function refuseCount(state: ShardState, { account, region }: TopicKey, fifo: boolean): Refusal | undefined {
  const max = fifo ? FIFO_TOPICS_MAX : TOPICS_MAX;
  const { resources } = state.catalog;
  const home = topicArn({ account, region, name: "" }).slice(0, -1);
  // Counting by kind is for those who are near a limit.
  if (resources.childCount("topic", home) < max) return undefined;
  let count = 0;
  for (const other of resources.childrenOf("topic", home)) if (isFifoTopic(other) === fifo) count += 1;
  if (count < max) return undefined;
  return refusal("TopicLimitExceeded", `The account already owns the maximum of ${max} ${fifo ? "FIFO " : ""}topics`);
}
