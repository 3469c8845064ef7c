// Checks of input against the bounds of AWS's model, which Lambda makes before anything else.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import { constraintViolated, type Refusal } from "../../engine/refusal.ts";

/** Undefined when the value is within the bounds, or not given. */
export function refuseRange(value: number | undefined, member: string, min: number, max: number): Refusal | undefined {
  if (value === undefined || (value >= min && value <= max)) return undefined;
  const constraint =
    value < min
      ? `Member must have value greater than or equal to ${min}`
      : `Member must have value less than or equal to ${max}`;
  return constraintViolated(value, member, constraint);
}

export function refuseOther(
  value: string | undefined,
  member: string,
  allowed: readonly string[],
): Refusal | undefined {
  if (value === undefined || allowed.includes(value)) return undefined;
  return constraintViolated(value, member, `Member must satisfy enum value set: [${allowed.join(", ")}]`);
}

export function refuseMismatch(value: string | undefined, member: string, pattern: RegExp): Refusal | undefined {
  if (value === undefined || pattern.test(value)) return undefined;
  const shown = pattern.source.replace(/^\^(?:\(\?:)?|\)?\$$/g, "");
  return constraintViolated(value, member, `Member must satisfy regular expression pattern: ${shown}`);
}

export function needed<Value>(value: Value | undefined, member: string): Result<Value, Refusal> {
  return value === undefined ? refuse(constraintViolated(null, member, "Member must not be null")) : accept(value);
}
