// Tags of functions and mappings. Unlike with topics, the limit is told as a wrong parameter.

import { accept, type Result, refuse } from "../../base/result.ts";
import { FUNCTION_TAGS_MAX } from "../function-limits.ts";
import { TAG_KEY_CHARACTERS_MAX, TAG_VALUE_CHARACTERS_MAX } from "../limits.ts";
import type { Refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import type { FunctionCommand } from "./function-command.ts";
import { type FunctionRecord, recordFunction } from "./function-record.ts";
import { invalidParameter, requireFunction } from "./function-refusals.ts";

type CommandOf<Kind extends FunctionCommand["kind"]> = Extract<FunctionCommand, { kind: Kind }>;

export function decideTagFunction(
  state: ShardState,
  { function: key, tags }: CommandOf<"tagFunction">,
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const found = requireFunction(state.catalog, key);
  if (!found.ok) return found;
  const problem = refuseTags(tags, found.value.tags);
  if (problem !== undefined) return refuse(problem);
  return accept(recordFunction({ ...found.value, tags: { ...found.value.tags, ...tags } }, record));
}

/** Removing a tag that is not there is fine. */
export function decideUntagFunction(
  state: ShardState,
  { function: key, tagKeys }: CommandOf<"untagFunction">,
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const found = requireFunction(state.catalog, key);
  if (!found.ok) return found;
  const kept = Object.entries(found.value.tags).filter(([name]) => !tagKeys.includes(name));
  return accept(recordFunction({ ...found.value, tags: Object.fromEntries(kept) }, record));
}

export function refuseTags(tags: Record<string, string>, current: Record<string, string>): Refusal | undefined {
  for (const [key, value] of Object.entries(tags)) {
    if (key.length === 0 || key.length > TAG_KEY_CHARACTERS_MAX || value.length > TAG_VALUE_CHARACTERS_MAX) {
      return invalidParameter("The tag keys and values have a maximum length of 128 and 256 Unicode characters");
    }
    if (key.toLowerCase().startsWith("aws:")) {
      return invalidParameter("System tags cannot be added/updated by requester");
    }
  }
  if (Object.keys({ ...current, ...tags }).length <= FUNCTION_TAGS_MAX) return undefined;
  return invalidParameter("Number of tags exceeds resource tag limit.");
}
