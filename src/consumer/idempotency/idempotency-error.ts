// How a guarded handler says that it did not simply run. Thrown, because to a queue all of these mean "not done": the
// message stays, and comes back.

import type { RecordId } from "./store.ts";

export type IdempotencyErrorCode =
  /** The message has no usable key. The handler did not run: unprotected is worse than not at all. */
  | "KeyInvalid"
  /** The key is known, with another body. The handler did not run, and retrying will not help. */
  | "KeyReused"
  /** Somebody else is at it. The handler did not run; try again after `retryAfterMs`. */
  | "InProgress"
  /** The store could not be asked. The handler did not run. */
  | "StoreUnavailable"
  /** The handler ran, and meanwhile somebody else took over. Its result was not saved, nor its transaction. */
  | "OwnershipLost"
  /** The handler ran, and its transaction was refused: nothing of it happened, and the key is free again. See `cause`. */
  | "EffectsRefused"
  /** The handler ran, and whether its end was recorded is unknown. A retry finds out. */
  | "NotRecorded";

export class IdempotencyError extends Error {
  /** What happened, and whether the handler ran. */
  readonly code: IdempotencyErrorCode;
  /** The consumer's name. */
  readonly scope: string;
  /** The key, when there is one. */
  readonly key: string | undefined;
  /** `InProgress`: when asking again can help, milliseconds from now. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: IdempotencyErrorCode,
    id: { scope: string; key?: string },
    what: string,
    more: { cause?: unknown; retryAfterMs?: number } = {},
  ) {
    super(what, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "IdempotencyError";
    this.code = code;
    this.scope = id.scope;
    this.key = id.key;
    this.retryAfterMs = more.retryAfterMs;
  }
}

export function isIdempotencyError(error: unknown, code?: IdempotencyErrorCode): error is IdempotencyError {
  return error instanceof IdempotencyError && (code === undefined || error.code === code);
}

export function inWords(id: RecordId): string {
  return `Idempotency key "${id.key}" of "${id.scope}"`;
}
