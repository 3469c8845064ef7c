// Assertions stay on in production: a broken invariant must stop the shard before it reaches the disk.

export class AssertionFailed extends Error {
  readonly code = "AssertionFailed";
}

/** Throws when `condition` is false. `message` says what must hold, and may be a function when building it costs. */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (condition) return;
  throw new AssertionFailed(typeof message === "string" ? message : message());
}

/** For the end of an exhaustive switch: the compiler refuses it while a case is missing. */
export function unreachable(value: never): never {
  throw new AssertionFailed(`unreachable case: ${JSON.stringify(value)}`);
}
