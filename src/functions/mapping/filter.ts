// Filter criteria of a mapping: a message passes when any of the patterns matches its record, with the body as JSON
// where it is JSON. A message that passes none is deleted from the queue, so this errs on the side of passing.

import { compilePattern, EVENT_SOURCE_MAPPING, type Json, type JsonObject, Matcher } from "../../host/index.ts";
import type { LambdaRecord } from "./lambda-record.ts";

export type Filter = (record: LambdaRecord) => boolean;

/** Undefined when a pattern does not compile: then nothing may be taken from the queue, or it would be lost. */
export function compileFilter(patterns: readonly string[]): Filter | undefined {
  if (patterns.length === 0) return () => true;
  const matcher = new Matcher<number>();
  for (const [index, text] of patterns.entries()) {
    const compiled = compilePattern(text, EVENT_SOURCE_MAPPING);
    if (!compiled.ok) return undefined;
    matcher.add(index, compiled.value);
  }
  return (record) => bodiesOf(record.body).some((body) => matcher.match(withBody(record, body)).length > 0);
}

function withBody(record: LambdaRecord, body: Json): JsonObject {
  // Records are JSON by shape; the cast only says so.
  return { ...(record as unknown as JsonObject), body };
}

/**
 * An object or an array is what a pattern looks into. `12` and `"a"` are JSON as well as plain text, and nobody knows
 * which of the two AWS takes them for: either may match.
 */
function bodiesOf(text: string): Json[] {
  let parsed: Json;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [text];
  }
  return typeof parsed === "object" && parsed !== null ? [parsed] : [parsed, text];
}
