// Parsed JSON as patterns and events use it. Numbers are doubles: integers that a double cannot hold are compared as
// the double they became.

export type Scalar = string | number | boolean | null;
export type Json = Scalar | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Jackson's bound, which AWS inherits. Deeper parts of an event are not looked at, deeper patterns are refused. */
export const JSON_DEPTH_MAX = 1000;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isScalar(value: Json): value is Scalar {
  return typeof value !== "object" || value === null;
}

/** The value, or undefined when `text` is not JSON. Of two equal keys the last one counts, as in AWS. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
