// `idempotent(handler, …)`: the same handler, at most one effect a key. Knows nothing of queues, so that it fits around
// any handler that takes a message: the toolkit's, sqs-consumer's, one record of a Lambda batch.

import type { Clock } from "../../base/clock.ts";
import { askWhenFree } from "./ask-store.ts";
import { isDoneByDefault, runClaimed, withSignalOf } from "./claimed-run.ts";
import { bodyOf, fingerprintOf } from "./fingerprint.ts";
import { type GuardOptions, guardSettings, unnamedScopes } from "./guard-settings.ts";
import { IdempotencyError, inWords } from "./idempotency-error.ts";
import { problemWithKey } from "./key.ts";
import { saveable } from "./saved-result.ts";
import type { Begun, Claim, IdempotencyStore, RecordId } from "./store.ts";

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
  readonly #settings: Required<GuardOptions>;

  constructor(handler: Handler<Message, Result, Tx>, options: IdempotentOptions<Message, Result, Tx>) {
    this.#handler = handler;
    this.#options = options;
    this.#settings = guardSettings(options, () => defaultScope(options.store, handler));
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
    const { scope } = this.#settings;
    let key: unknown;
    try {
      key = this.#options.key(message);
    } catch (cause) {
      throw new IdempotencyError("KeyInvalid", { scope }, "The idempotency key could not be read from the message.", {
        cause,
      });
    }
    const problem = problemWithKey(key);
    if (problem !== undefined)
      throw new IdempotencyError("KeyInvalid", { scope }, `The message has no idempotency key: ${problem}.`);
    return { scope, key: key as string };
  }

  /** The claim, or that it is done; everything else is thrown. */
  async #begin(id: RecordId, message: Message): Promise<Begun<Tx>> {
    const { fingerprint = bodyOf, store } = this.#options;
    const { leaseMs, keepForMs } = this.#settings;
    const request = {
      leaseMs,
      keepForMs,
      fingerprint: fingerprint === false ? undefined : fingerprintOf(fingerprint(message)),
    };
    const begun = await askWhenFree<Begun<Tx>>(id, () => store.begin(id, request), this.#settings);
    if (begun.is === "mismatch")
      throw new IdempotencyError("KeyReused", id, `${inWords(id)} was used before with another body.`);
    return begun;
  }

  #run(id: RecordId, claim: Claim<Tx>, message: Message, context: unknown): Promise<Result> {
    const { isDone = isDoneByDefault } = this.#options;
    const saved = (result: Result) => saveable(result, inWords(id));
    return runClaimed({ id, claim, ...this.#settings, isDone, saved }, (lost) => {
      const signal = withSignalOf(context, lost);
      return this.#handler(message, context, { ...id, fence: claim.fence, tx: claim.tx, signal });
    });
  }
}

const defaultScope = unnamedScopes("idempotent");
