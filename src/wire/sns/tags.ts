// Tags as requests list them; a key may come once.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { invalid, nullAt } from "./refusals.ts";

export function readTags(given: readonly { Key?: string; Value?: string }[]): Result<Record<string, string>, Refusal> {
  const tags: Record<string, string> = Object.create(null);
  for (const [index, { Key: key, Value: value }] of given.entries()) {
    if (key === undefined) return refuse(nullAt(`tags.${index + 1}.member.key`));
    if (value === undefined) return refuse(nullAt(`tags.${index + 1}.member.value`));
    if (key in tags) return refuse(invalid("Duplicated keys are not allowed."));
    tags[key] = value;
  }
  return accept(tags);
}
