// `idempotent(handler, …)`: the same handler, at most one effect a key. Knows nothing of queues, so that it fits around
// any handler that takes a message: the toolkit's, sqs-consumer's, one record of a Lambda batch.

import { type Clock, systemClock } from "../../base/clock.ts";
import { verdictOf } from "../verdict.ts";
import { bodyOf, fingerprintOf } from "./fingerprint.ts";
import { IdempotencyError, inWords } from "./idempotency-error.ts";
import { problemWithKey } from "./key.ts";
import { HeldLease } from "./lease.ts";
import { KEEP_FOR_MS_DEFAULT, LEASE_MS_DEFAULT } from "./lifetimes.ts";
import { saveable } from "./saved-result.ts";
import { type Begun, type Claim, EffectsRefused, type IdempotencyStore, type RecordId } from "./store.ts";

/** What a handler is told about the run it is in. */
export interface Attempt<Tx> {
  /** The consumer's name. */
  readonly scope: string;
  /** Pass it on to whoever can use it, such as a payment provider. */
  readonly key: string;
  /** Grows with every run for this key: a system that remembers the highest can refuse a run that is late. */
  readonly fence: number;
  /** Effects given to it happen together with the key or not at all. Its shape is the store's. */
  readonly tx: Tx;
  /** Aborted when the key is lost to another worker; stop, since the result will not be saved. */
  readonly signal: AbortSignal;
}

export interface IdempotentOptions<Message, Result, Tx> {
  /** What makes two deliveries the same work: an id from the business, not the message's own id. */
  key: (message: Message) => string | undefined;
  /** Where keys are kept; several handlers may share it under scopes of their own. */
  store: IdempotencyStore<Tx>;
  /** The consumer's name. Needed where two consumers share a store, or the second would find its work done. */
  scope?: string;
  /** How long a key is remembered, milliseconds. Default 30 days: see KEEP_FOR_MS_DEFAULT. */
  keepForMs?: number;
  /** How long a crashed worker keeps others away, milliseconds. Renewed while the handler runs. Default one minute. */
  leaseMs?: number;
  /** What must be equal under one key. Default the message's body; false compares nothing. */
  fingerprint?: ((message: Message) => unknown) | false;
  /** How long to wait for another worker that is at it, milliseconds, before `InProgress`. Default 0. */
  busyWaitMs?: number;
  /**
   * False for a result that means "not done": the key is released and the transaction dropped. Default: everything is
   * done but the toolkit's verdicts `retryIn` and `reject`.
   */
  isDone?: (result: Result) => boolean;
  /** Answers in place of throwing when the handler did not run: KeyInvalid, KeyReused, InProgress, StoreUnavailable. */
  onConflict?: (error: IdempotencyError, message: Message) => Result | Promise<Result>;
  /** A duplicate was recognised and gets the saved result. */
  onReplay?: (saved: Result | undefined, message: Message) => void;
  /** Default the system's. A virtual one in tests. */
  clock?: Clock;
}

/** Between two looks at a record that somebody else holds. */
const LOOK_AGAIN_MS = 100;

/**
 * Wraps `handler` so that its work is done once for each key. Returns the handler's result; for a duplicate the saved one,
 * as JSON has it. Throws what the handler throws, after releasing the key, so that a retry runs it again; or an
 * IdempotencyError. The wrapped handler passes its second argument on as it is, and adds the attempt as a third.
 */
export function idempotent<Message, Result, Tx, Context = unknown>(
  handler: (message: Message, context: Context, attempt: Attempt<Tx>) => Result | Promise<Result>,
  options: IdempotentOptions<Message, Result, Tx>,
): (message: Message, context?: Context) => Promise<Result> {
  const guard = new Guard(handler as Handler<Message, Result, Tx>, options);
  return (message, context) => guard.handle(message, context);
}

type Handler<Message, Result, Tx> = (
  message: Message,
  context: unknown,
  attempt: Attempt<Tx>,
) => Result | Promise<Result>;

class Guard<Message, Result, Tx> {
  readonly #handler: Handler<Message, Result, Tx>;
  readonly #options: IdempotentOptions<Message, Result, Tx>;
  readonly #scope: string;
  readonly #keepForMs: number;
  readonly #leaseMs: number;
  readonly #clock: Clock;

  constructor(handler: Handler<Message, Result, Tx>, options: IdempotentOptions<Message, Result, Tx>) {
    this.#handler = handler;
    this.#options = options;
    this.#scope = options.scope ?? defaultScope(options.store, handler);
    this.#keepForMs = options.keepForMs ?? KEEP_FOR_MS_DEFAULT;
    this.#leaseMs = options.leaseMs ?? LEASE_MS_DEFAULT;
    this.#clock = options.clock ?? systemClock;
    if (!(this.#leaseMs > 0)) throw new RangeError(`leaseMs is ${this.#leaseMs}; it must be more than 0.`);
    if (!(this.#keepForMs >= this.#leaseMs))
      throw new RangeError(`keepForMs (${this.#keepForMs}) must not be less than leaseMs (${this.#leaseMs}).`);
    if (this.#scope === "") throw new RangeError("scope is empty; name the consumer or leave it out.");
  }

  async handle(message: Message, context: unknown): Promise<Result> {
    let id: RecordId;
    let begun: Begun<Tx>;
    try {
      id = this.#idOf(message);
      begun = await this.#begin(id, message);
    } catch (error) {
      if (error instanceof IdempotencyError && this.#options.onConflict !== undefined)
        return await this.#options.onConflict(error, message);
      throw error;
    }
    if (begun.is === "mine") return this.#run(id, begun.claim, message, context);
    const saved = begun.is === "done" && begun.result !== undefined ? JSON.parse(begun.result) : undefined;
    this.#options.onReplay?.(saved, message);
    return saved;
  }

  #idOf(message: Message): RecordId {
    const id = { scope: this.#scope };
    let key: unknown;
    try {
      key = this.#options.key(message);
    } catch (cause) {
      throw new IdempotencyError("KeyInvalid", id, "The idempotency key could not be read from the message.", {
        cause,
      });
    }
    const problem = problemWithKey(key);
    if (problem !== undefined)
      throw new IdempotencyError("KeyInvalid", id, `The message has no idempotency key: ${problem}.`);
    return { ...id, key: key as string };
  }

  /** The claim, or that it is done; everything else is thrown. */
  async #begin(id: RecordId, message: Message): Promise<Begun<Tx>> {
    const { fingerprint = bodyOf, busyWaitMs = 0 } = this.#options;
    const request = {
      leaseMs: this.#leaseMs,
      keepForMs: this.#keepForMs,
      fingerprint: fingerprint === false ? undefined : fingerprintOf(fingerprint(message)),
    };
    const giveUpAtMs = this.#clock.nowMs() + busyWaitMs;
    for (;;) {
      const begun = await this.#options.store.begin(id, request).catch((cause: unknown) => {
        const what = `The idempotency store could not be asked, so the handler did not run: ${describe(cause)}`;
        throw new IdempotencyError("StoreUnavailable", id, what, { cause });
      });
      if (begun.is === "mine" || begun.is === "done") return begun;
      if (begun.is === "mismatch")
        throw new IdempotencyError("KeyReused", id, `${inWords(id)} was used before with another body.`);
      const leftMs = giveUpAtMs - this.#clock.nowMs();
      if (leftMs <= 0) {
        const { retryAfterMs } = begun;
        const what = `${inWords(id)} is being worked on by another worker, for at most ${retryAfterMs} ms more unless it renews.`;
        throw new IdempotencyError("InProgress", id, what, { retryAfterMs });
      }
      await this.#sleep(Math.min(LOOK_AGAIN_MS, begun.retryAfterMs, leftMs));
    }
  }

  async #run(id: RecordId, claim: Claim<Tx>, message: Message, context: unknown): Promise<Result> {
    const lost = (cause?: unknown) => {
      const what = `${inWords(id)} was taken over by another worker: the result was not saved.`;
      return new IdempotencyError("OwnershipLost", id, what, { cause });
    };
    const lease = new HeldLease(claim, this.#leaseMs, this.#clock, lost);
    const signal = withSignalOf(context, lease.signal);
    let result: Result;
    try {
      result = await this.#handler(message, context, { ...id, fence: claim.fence, tx: claim.tx, signal });
    } catch (error) {
      lease.stop();
      // When it fails, the lease runs out by itself; what matters is what the handler said.
      await claim.release().catch(() => {});
      throw lease.isLost ? lost(error) : error;
    }
    if (!(this.#options.isDone ?? isDoneByDefault)(result)) {
      lease.stop();
      await claim.release().catch(() => {});
      return result;
    }
    if (!(await this.#complete(id, claim, lease, result))) throw lost();
    return result;
  }

  /** The lease is renewed until the end is recorded. False: the ownership was lost. */
  async #complete(id: RecordId, claim: Claim<Tx>, lease: HeldLease, result: Result): Promise<boolean> {
    try {
      return await claim.complete(saveable(result, inWords(id)), this.#keepForMs);
    } catch (cause) {
      if (cause instanceof EffectsRefused) {
        await claim.release().catch(() => {});
        const what = `${inWords(id)}: the transaction was refused, and nothing of it happened: ${cause.message}`;
        throw new IdempotencyError("EffectsRefused", id, what, { cause: cause.cause });
      }
      const what = `${inWords(id)}: the handler ran, but its end may not have been recorded: ${describe(cause)}`;
      throw new IdempotencyError("NotRecorded", id, what, { cause });
    } finally {
      lease.stop();
    }
  }

  #sleep(forMs: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimer(this.#clock.nowMs() + forMs, resolve));
  }
}

/** A rejected message can be repaired and moved back from the dead-letter queue: it has to run then. */
function isDoneByDefault(result: unknown): boolean {
  const verdict = verdictOf(result);
  return verdict === undefined || verdict.kind === "discard";
}

const unnamed = new WeakMap<object, unknown>();

/** One handler of a store may go without a name. A second one would find the first one's work and take it for its own. */
function defaultScope(store: object, handler: unknown): string {
  const other = unnamed.get(store);
  if (other !== undefined && other !== handler)
    throw new TypeError("Two handlers share this idempotency store: give each idempotent() a scope of its own.");
  unnamed.set(store, handler);
  return "default";
}

/** The toolkit's context has a signal of its own (timeout, stop); either may tell the handler to end. */
function withSignalOf(context: unknown, own: AbortSignal): AbortSignal {
  if (typeof context !== "object" || context === null || !("signal" in context)) return own;
  return context.signal instanceof AbortSignal ? AbortSignal.any([context.signal, own]) : own;
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
