// What every guard around a handler is told about its store, with defaults filled in and mistakes named.

import { type Clock, systemClock } from "../../base/clock.ts";
import { KEEP_FOR_MS_DEFAULT, LEASE_MS_DEFAULT } from "./lifetimes.ts";

export interface GuardOptions {
  scope?: string;
  keepForMs?: number;
  leaseMs?: number;
  busyWaitMs?: number;
  clock?: Clock;
}

/** Throws a RangeError for what cannot be. */
export function guardSettings(options: GuardOptions, defaultScope: () => string): Required<GuardOptions> {
  const {
    keepForMs = KEEP_FOR_MS_DEFAULT,
    leaseMs = LEASE_MS_DEFAULT,
    busyWaitMs = 0,
    clock = systemClock,
    scope = defaultScope(),
  } = options;
  if (!(leaseMs > 0)) throw new RangeError(`leaseMs is ${leaseMs}; it must be more than 0.`);
  if (!(keepForMs >= leaseMs))
    throw new RangeError(`keepForMs (${keepForMs}) must not be less than leaseMs (${leaseMs}).`);
  if (scope === "") throw new RangeError("scope is empty; name the consumer or leave it out.");
  return { keepForMs, leaseMs, busyWaitMs, clock, scope };
}

/**
 * One handler of a store may go without a name. A second one would find the first one's work and take it for its own.
 * `guard` is the name of the function that is told so.
 */
export function unnamedScopes(guard: string): (store: object, handler: unknown) => string {
  const unnamed = new WeakMap<object, unknown>();
  return (store, handler) => {
    const other = unnamed.get(store);
    if (other !== undefined && other !== handler)
      throw new TypeError(`Two handlers share this idempotency store: give each ${guard}() a scope of its own.`);
    unnamed.set(store, handler);
    return "default";
  };
}
