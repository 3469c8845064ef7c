// Queue tags (sqs.md §3.7).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { CommandOf } from "../command.ts";
import { TAG_KEY_CHARACTERS_MAX, TAG_VALUE_CHARACTERS_MAX, TAGS_MAX } from "../limits.ts";
import { invalidParameter, type Refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import { requireQueue } from "./catalog.ts";
import type { QueueRecord } from "./queue-record.ts";

const TAG_CHARACTERS = /^[\p{L}\p{N}\p{Z}\s_.:/=+\-@]*$/u;

export function decideTagQueue(
  state: ShardState,
  command: CommandOf<"tagQueue">,
  record: Recorder,
): Result<QueueRecord, Refusal> {
  const found = requireQueue(state.catalog, command.queue);
  if (!found.ok) return found;
  const problem = refuseTags(command.queue.name, command.tags, found.value.tags);
  if (problem !== undefined) return refuse(problem);
  return accept(recordTags(found.value, { ...found.value.tags, ...command.tags }, record));
}

/** Removing a tag that is not there is fine. */
export function decideUntagQueue(
  state: ShardState,
  command: CommandOf<"untagQueue">,
  record: Recorder,
): Result<QueueRecord, Refusal> {
  const found = requireQueue(state.catalog, command.queue);
  if (!found.ok) return found;
  const gone = new Set(command.tagKeys);
  const kept = Object.entries(found.value.tags).filter(([key]) => !gone.has(key));
  return accept(recordTags(found.value, Object.fromEntries(kept), record));
}

export function refuseTags(
  queueName: string,
  tags: Record<string, string>,
  current: Record<string, string>,
): Refusal | undefined {
  for (const [key, value] of Object.entries(tags)) {
    if (key.length === 0 || key.length > TAG_KEY_CHARACTERS_MAX) {
      return invalidParameter("Tag keys must be between 1 and 128 characters in length.");
    }
    if (value.length > TAG_VALUE_CHARACTERS_MAX) {
      return invalidParameter("Tag values must be between 0 and 256 characters in length.");
    }
    if (key.toLowerCase().startsWith("aws:")) {
      return invalidParameter("Tag keys must not start with 'aws:', which is reserved for AWS use.");
    }
    if (!TAG_CHARACTERS.test(key)) {
      return invalidParameter(
        "Tag keys may only contain unicode letters, digits, whitespace, or one of these symbols: _ . : / = + - @",
      );
    }
    if (!TAG_CHARACTERS.test(value)) {
      return invalidParameter(
        "Tag values may only contain unicode letters, digits, whitespace, or one of these symbols: _ . : / = + - @",
      );
    }
  }
  const count = Object.keys({ ...current, ...tags }).length;
  return count > TAGS_MAX ? invalidParameter(`Too many tags added for queue ${queueName}.`) : undefined;
}

function recordTags(current: QueueRecord, tags: Record<string, string>, record: Recorder): QueueRecord {
  const changed = { ...current, tags };
  record({ kind: "QueueRecorded", record: changed });
  return changed;
}
