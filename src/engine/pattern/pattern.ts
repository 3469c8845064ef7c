// A compiled pattern: what every dialect comes down to, and all that the matcher sees.

import type { FieldTest } from "./value-test.ts";

/**
 * Alternatives, one of which must hold whole: `$or` is multiplied out. An alternative maps each field, its path joined
 * with dots, to its tests; every field must pass one of them.
 */
export interface Pattern {
  alternatives: readonly Alternative[];
}

export type Alternative = ReadonlyMap<string, readonly FieldTest[]>;
