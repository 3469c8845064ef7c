// Tags of topics. The tag actions know a missing topic as a missing resource (fanout.md A2, A4).

import { accept, type Result, refuse } from "../../base/result.ts";
import { TAG_KEY_CHARACTERS_MAX, TAG_VALUE_CHARACTERS_MAX, TAGS_MAX } from "../limits.ts";
import { type Refusal, refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import type { TopicCommand } from "./topic-command.ts";
import { type TopicKey, type TopicRecord, topicArn } from "./topic-record.ts";
import { invalid } from "./topic-refusals.ts";

type CommandOf<Kind extends TopicCommand["kind"]> = Extract<TopicCommand, { kind: Kind }>;

const TAG_CHARACTERS = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

export function decideTagTopic(
  state: ShardState,
  { topic, tags }: CommandOf<"tagTopic">,
  record: Recorder,
): Result<TopicRecord, Refusal> {
  const found = requireTagged(state, topic);
  if (!found.ok) return found;
  const problem = refuseTopicTags(tags, found.value.tags);
  if (problem !== undefined) return refuse(problem);
  return accept(recordTags(found.value, { ...found.value.tags, ...tags }, record));
}

/** Removing a tag that is not there is fine. */
export function decideUntagTopic(
  state: ShardState,
  { topic, tagKeys }: CommandOf<"untagTopic">,
  record: Recorder,
): Result<TopicRecord, Refusal> {
  const found = requireTagged(state, topic);
  if (!found.ok) return found;
  const kept = Object.entries(found.value.tags).filter(([key]) => !tagKeys.includes(key));
  return accept(recordTags(found.value, Object.fromEntries(kept), record));
}

export function listTopicTags(
  state: ShardState,
  { topic }: CommandOf<"listTopicTags">,
): Result<{ tags: Record<string, string> }, Refusal> {
  const found = requireTagged(state, topic);
  return found.ok ? accept({ tags: found.value.tags }) : found;
}

export function refuseTopicTags(tags: Record<string, string>, current: Record<string, string>): Refusal | undefined {
  for (const [key, value] of Object.entries(tags)) {
    if (key.length === 0 || key.length > TAG_KEY_CHARACTERS_MAX || !TAG_CHARACTERS.test(key)) {
      return invalid("Tag Reason: The provided tag key is not valid");
    }
    if (key.toLowerCase().startsWith("aws:")) {
      return invalid("Tag Reason: Tag keys that start with 'aws:' are reserved");
    }
    if (value.length > TAG_VALUE_CHARACTERS_MAX || !TAG_CHARACTERS.test(value)) {
      return invalid("Tag Reason: The provided tag value is not valid");
    }
  }
  if (Object.keys({ ...current, ...tags }).length <= TAGS_MAX) return undefined;
  return refusal("TagLimitExceeded", `Could not complete request: tag quota of ${TAGS_MAX} per resource exceeded`);
}

function requireTagged(state: ShardState, topic: TopicKey): Result<TopicRecord, Refusal> {
  const record = state.catalog.resources.get("topic", topicArn(topic));
  return record === undefined ? refuse(refusal("ResourceNotFound", "Resource does not exist")) : accept(record);
}

function recordTags(current: TopicRecord, tags: Record<string, string>, record: Recorder): TopicRecord {
  const changed = { ...current, tags };
  record({ kind: "ResourceRecorded", entry: { type: "topic", key: topicArn(current.topic), record: changed } });
  return changed;
}
