// What a consumer tells those who listen. Listeners are called at once and in order; one that throws stops neither the
// consumer nor the other listeners. Errors that nobody listens to become warnings of the process.

import type { StopReport } from "./consumer.ts";
import type { Delivery } from "./delivery.ts";

export interface ConsumerEvents {
  /** The queue was found; receiving begins unless the consumer was paused before. */
  started: { queueUrl: string };
  /** `why` is what `pause` was given, or `pauseWhen`. */
  paused: { why: string };
  /** Receives and handlers go on after a pause. */
  resumed: Record<never, never>;
  /** Nothing is left to do: what `stop` resolves with. */
  stopped: StopReport;
  /** A receive was answered with this many messages, also 0. */
  received: { count: number };
  /** Worked on and deleted. `handlerMs`: milliseconds in the handler. */
  done: { message: Delivery; handlerMs: number };
  /** Deleted without being done: the verdict `discard`. */
  discarded: { message: Delivery; why: string };
  /** Goes back to the queue for `delayMs` milliseconds; `error` is what the handler threw, absent for `retryIn`. */
  retried: { message: Delivery; delayMs: number; error?: unknown; why?: string };
  /** `to` is where it went; absent when there is no dead-letter queue and it was put out of reach instead. */
  rejected: { messageId: string; why: string; detail?: object; to?: string };
  /** The handler took longer than `timeoutMs`, milliseconds. A `retried` follows. */
  timedOut: { message: Delivery; timeoutMs: number };
  /** A handler ended after its message had been given up; what it returned was ignored. */
  late: { message: Delivery; error?: unknown };
  /** Somebody else may have the message now. */
  lost: { messageId: string; error: Error };
  /** Held for so many milliseconds, near the 12 hours after which SQS takes a message back. */
  heldLong: { messageId: string; heldMs: number };
  /** These messages could not be extended this time; it is tried again before their time is over. */
  heartbeatFailed: { messageIds: string[]; error: unknown };
  /** The queue did not delete a message that is done; it will be delivered again. */
  deleteFailed: { messageId: string; code: string; message?: string };
  /** So many failures in so many tries of the window. Nothing is tried before `untilMs`, milliseconds since 1970. */
  breakerOpened: { failures: number; samples: number; untilMs: number };
  /** A probe succeeded: messages flow again. */
  breakerClosed: Record<never, never>;
  /** Anything else that failed; the consumer goes on. `doing` is what it was at. */
  error: { error: unknown; doing: string };
}

type Listener<Name extends keyof ConsumerEvents> = (event: ConsumerEvents[Name]) => void;

export class Emitter {
  readonly #listeners = new Map<string, Set<Listener<never>>>();

  /** Returns what takes the listener off again. */
  on<Name extends keyof ConsumerEvents>(name: Name, listener: Listener<Name>): () => void {
    const ofName = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, ofName);
    ofName.add(listener as Listener<never>);
    return () => void ofName.delete(listener as Listener<never>);
  }

  emit<Name extends keyof ConsumerEvents>(name: Name, event: ConsumerEvents[Name]): void {
    const listeners = this.#listeners.get(name);
    if (name === "error" && !listeners?.size) warn(event as ConsumerEvents["error"]);
    for (const listener of listeners ?? []) {
      try {
        (listener as Listener<Name>)(event);
      } catch (error) {
        // A failing "error" listener has nobody left to be told to.
        if (name !== "error") this.emit("error", { error, doing: `calling a listener of "${name}"` });
      }
    }
  }
}

function warn({ error, doing }: ConsumerEvents["error"]): void {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  process.emitWarning(`${doing}: ${message ?? code ?? name ?? String(error)}`, { type: "MillpondConsumerWarning" });
}
