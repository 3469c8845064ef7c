// Required parameters. AWS treats an empty text like an absent one, and names the parameter as the caller wrote it.

import type { Refusal } from "../../engine/refusal.ts";
import { missingParameter } from "../../engine/refusal.ts";

export function isMissing(value: string | undefined): value is undefined | "" {
  return value === undefined || value === "";
}

/** The first of the named texts that is absent or empty. */
export function checkRequired(values: Record<string, string | undefined>): Refusal | undefined {
  for (const name in values) {
    if (isMissing(values[name])) return missingParameter(name);
  }
  return undefined;
}

export function checkRequiredList(values: readonly unknown[] | undefined, name: string): Refusal | undefined {
  return values === undefined || values.length === 0 ? missingParameter(name) : undefined;
}

export function checkRequiredMap(values: object | undefined, name: string): Refusal | undefined {
  return values === undefined || Object.keys(values).length === 0 ? missingParameter(name) : undefined;
}
