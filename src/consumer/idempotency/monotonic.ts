// `monotonic(handler, …)`: the handler sees only versions of an entity that are newer than the newest it has handled. For
// states that overwrite each other and arrive in any order: by a standard queue, by two paths, or again.

import type { Clock } from "../../base/clock.ts";
import type { Verdict } from "../verdict.ts";
import { discard } from "../verdict.ts";
import { askWhenFree } from "./ask-store.ts";
import { isDoneByDefault, runClaimed, withSignalOf } from "./claimed-run.ts";
import { guardSettings, unnamedScopes } from "./guard-settings.ts";
import { IdempotencyError } from "./idempotency-error.ts";
import { problemWithKey } from "./key.ts";
import type { BegunNewer, RecordId, VersionStore } from "./store.ts";
import { versionOf } from "./version.ts";

/** What a handler is told about the version that it is given. */
export interface VersionAttempt<Tx> {
  /** The consumer's name. */
  readonly scope: string;
  /** What the version is of. */
  readonly entity: string;
  /** Newer than all that were handled before. */
  readonly version: bigint;
  /** Grows with every run for this entity: a system that remembers the highest can refuse a run that is late. */
  readonly fence: number;
  /** Effects given to it happen together with the version or not at all. Its shape is the store's. */
  readonly tx: Tx;
  /** Aborted when the entity is lost to another worker; stop, since the version will not be saved. */
  readonly signal: AbortSignal;
}

export interface MonotonicOptions<Message, Result, Tx> {
  /** What the message is about: an id from the business, such as the order's. */
  entity: (message: Message) => string | undefined;
  /**
   * Grows with every state of the entity: a counter of the row, a FIFO sequence number, a time of one clock in
   * milliseconds. Whole and not negative; a text of digits may be longer than a number is exact.
   */
  version: (message: Message) => bigint | number | string | undefined;
  /** Where versions are kept: `postgresStore`, `postgresLeaseStore`, `redisStore` or `memoryStore`. */
  store: VersionStore<Tx>;
  /** The consumer's name. Needed where two consumers share a store, or one would skip what the other has handled. */
  scope?: string;
  /**
   * How long an entity's version is remembered after the last one, milliseconds. Default 30 days: longer than any of its
   * older states can live in a queue. See KEEP_FOR_MS_DEFAULT.
   */
  keepForMs?: number;
  /** How long a crashed worker keeps others away, milliseconds. Renewed while the handler runs. Default one minute. */
  leaseMs?: number;
  /** How long to wait for another worker that is at the entity, milliseconds, before `InProgress`. Default 0. */
  busyWaitMs?: number;
  /** False for a result that means "not done": the version is not saved. Default: all but `retryIn` and `reject`. */
  isDone?: (result: Result) => boolean;
  /** Answers in place of throwing when the handler did not run: KeyInvalid, InProgress, StoreUnavailable. */
  onConflict?: (error: IdempotencyError, message: Message) => Result | Promise<Result>;
  /** An older or equal version was skipped; `newest` is the one that was handled. */
  onStale?: (newest: bigint, message: Message) => void;
  clock?: Clock;
}

/**
 * Wraps `handler` so that of one entity it sees one version at a time, each newer than the last. An older or equal one is
 * skipped: the answer is the verdict `discard`, so that `consume` deletes the message and counts it in
 * `stats().discarded`. Throws what the handler throws, and then the version counts as not handled; or an IdempotencyError:
 * `InProgress` while another delivery of the entity is at work, `StoreUnavailable` when nobody can say what is newest.
 * Both mean "try again", never "skip".
 *
 * A crash between the effect and the version's being saved: effects that went through `tx` are undone with it, so nothing
 * happened. Any other effect has happened, and the store does not know. The message comes back and the handler sees the
 * same version again; and until then an older one that arrives late is still taken for newer than the last that was saved,
 * and puts the entity back to it. It ends with the newest all the same, because that message was not deleted. Where not
 * even for a moment an old state may show, use `tx`, or compare `version` where the effect is written. The same goes for a
 * worker that is taken for dead and writes after its lease has run out: look at `signal`, or compare `version` or `fence`
 * there.
 */
export function monotonic<Message, Result, Tx, Context = unknown>(
  handler: (message: Message, context: Context, attempt: VersionAttempt<Tx>) => Result | Promise<Result>,
  options: MonotonicOptions<Message, Result, Tx>,
): (message: Message, context?: Context) => Promise<Result | Verdict> {
  const { store, isDone = isDoneByDefault, onConflict, onStale } = options;
  const settings = guardSettings(options, () => defaultScope(store, handler));
  const { scope, leaseMs, keepForMs, clock } = settings;

  async function begin(message: Message) {
    const { id, version } = identify(message, scope, options);
    const ask = () => store.beginNewer(storedAs(id), { version, leaseMs, keepForMs });
    return { id, version, begun: await askWhenFree<BegunNewer<Tx>>(id, ask, settings) };
  }

  return async (message, context) => {
    let started: Awaited<ReturnType<typeof begin>>;
    try {
      started = await begin(message);
    } catch (error) {
      if (error instanceof IdempotencyError && onConflict !== undefined) return await onConflict(error, message);
      throw error;
    }
    const { id, version, begun } = started;
    if (begun.is === "stale") {
      onStale?.(begun.newest, message);
      return discard(`version ${version} of ${id.key} is not newer than ${begun.newest}`);
    }
    const { claim } = begun;
    const { fence, tx } = claim;
    const run = { id, claim, leaseMs, keepForMs, clock, isDone, saved: () => version.toString() };
    return runClaimed(run, (lost) => {
      const signal = withSignalOf(context, lost);
      return handler(message, context as Context, { scope, entity: id.key, version, fence, tx, signal });
    });
  };
}

const defaultScope = unnamedScopes("monotonic");

/** Apart from the keys of `idempotent`, which may be in the same store under the same name. */
function storedAs({ scope, key }: RecordId): RecordId {
  return { scope: `newest of ${scope}`, key };
}

function identify<Message>(
  message: Message,
  scope: string,
  options: Pick<MonotonicOptions<Message, never, never>, "entity" | "version">,
): { id: RecordId; version: bigint } {
  const read = (what: string, of: (message: Message) => unknown) => {
    try {
      return of(message);
    } catch (cause) {
      throw new IdempotencyError("KeyInvalid", { scope }, `The ${what} could not be read from the message.`, { cause });
    }
  };
  const entity = read("entity", options.entity);
  const problem = problemWithKey(entity);
  if (problem !== undefined)
    throw new IdempotencyError("KeyInvalid", { scope }, `The message names no entity: ${problem}.`);
  const id = { scope, key: entity as string };
  const version = versionOf(read("version", options.version));
  if (typeof version === "string")
    throw new IdempotencyError("KeyInvalid", id, `The message has no usable version of ${id.key}: ${version}.`);
  return { id, version };
}
