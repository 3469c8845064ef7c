// The refusals that SNS's operations share, with AWS's texts (fanout.md A4, A5, A6).

import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";

export function invalid(detail: string): Refusal {
  return refusal("InvalidParameter", `Invalid parameter: ${detail}`);
}

export function noValue(parameter: string): Refusal {
  return invalid(`${parameter} Reason: no value for required parameter`);
}

/** What the front of AWS's service says when a member of a structure is not there; `place` is its path. */
export function nullAt(place: string): Refusal {
  const constraint = "failed to satisfy constraint: Member must not be null";
  return refusal("ValidationError", `1 validation error detected: Value null at '${place}' ${constraint}`);
}

/** The first of the named texts that is absent or empty. */
export function checkRequired(values: Record<string, string | undefined>): Refusal | undefined {
  for (const name in values) {
    if (values[name] === undefined || values[name] === "") return noValue(name);
  }
  return undefined;
}

export function checkRequiredLists(values: Record<string, readonly unknown[] | undefined>): Refusal | undefined {
  for (const name in values) {
    if (values[name] === undefined || values[name]?.length === 0) return noValue(name);
  }
  return undefined;
}
