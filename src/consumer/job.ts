// One call of a handler: opens its messages, calls, and says for each message how it ended. A message can end before
// the handler does (timeout, lost, held too long, stop): then its signal is aborted, its ending stands, and what the
// handler says later is ignored. `over` tells when the handler itself has ended, which is when its slot is free.

import type { Clock } from "../base/clock.ts";
import type { BatchHandler, Context, Delivery, Handler } from "./delivery.ts";
import { HandlerTimedOut, InvalidMessage, MessageLost } from "./errors.ts";
import type { HeldMessage } from "./held-message.ts";
import type { Opening } from "./open-message.ts";
import { deliveryOf, openMessage } from "./open-message.ts";
import type { CallWatch, WatchCall } from "./telemetry/call-watch.ts";
import { traceOf, withTrace } from "./trace.ts";
import type { Verdict } from "./verdict.ts";
import { verdictOf } from "./verdict.ts";

export type Ending =
  | { kind: "done" }
  | { kind: "verdict"; verdict: Verdict }
  | { kind: "invalid"; error: InvalidMessage }
  /** The handler threw, or opening the message failed for now. */
  | { kind: "failed"; error: unknown }
  /** Ended by us; `error` is one of errors.ts. */
  | { kind: "aborted"; error: Error };

export interface JobParts {
  clock: Clock;
  opening: Opening;
  handler?: Handler<never>;
  batchHandler?: BatchHandler<never>;
  around?: (message: Delivery<never>, next: () => Promise<unknown>) => Promise<unknown>;
  /** Absent: nobody looks. */
  watch?: WatchCall;
  timeoutMs: number | undefined;
  extend: (held: HeldMessage, durationMs: number) => Promise<void>;
  toMs: (duration: number | string) => number;
}

export class Job {
  readonly messages: readonly HeldMessage[];
  /** When the handler has ended. Never rejects. */
  readonly over: Promise<void>;
  readonly startedAtMs: number;
  /** Set while the handler runs although no message is left that it could say something about. */
  isLeaked = false;
  readonly #parts: JobParts;
  readonly #end: (held: HeldMessage, ending: Ending) => void;
  readonly #open = new Set<HeldMessage>();
  readonly #abort = new AbortController();
  #watches: Map<HeldMessage, CallWatch> | undefined;

  /** `end` is called once for each message. Starts at once. */
  constructor(messages: readonly HeldMessage[], parts: JobParts, end: (held: HeldMessage, ending: Ending) => void) {
    this.messages = messages;
    this.#parts = parts;
    this.#end = end;
    this.startedAtMs = parts.clock.nowMs();
    for (const held of messages) {
      this.#open.add(held);
      held.abort = (reason) => this.#abortOne(held, reason);
    }
    const { timeoutMs, clock } = parts;
    const timer =
      timeoutMs === undefined
        ? undefined
        : clock.setTimer(this.startedAtMs + timeoutMs, () => this.abortAll(new HandlerTimedOut(timeoutMs)));
    this.over = this.#run().finally(() => timer?.cancel());
  }

  abortAll(reason: Error): void {
    // The signal first: it carries the reason that ended everything.
    this.#abort.abort(reason);
    for (const held of [...this.#open]) this.#finish(held, { kind: "aborted", error: reason });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  #abortOne(held: HeldMessage, reason: Error): void {
    // The others of a batch are still worth working on.
    if (this.#open.size <= 1 || !(reason instanceof MessageLost)) this.abortAll(reason);
    else this.#finish(held, { kind: "aborted", error: reason });
  }

  #finish(held: HeldMessage, ending: Ending): void {
    if (!this.#open.delete(held)) return;
    held.abort = undefined;
    this.isLeaked = this.#open.size === 0 && ending.kind === "aborted";
    this.#end(held, ending);
    this.#watches?.get(held)?.ended(ending);
  }

  async #run(): Promise<void> {
    const opened: [HeldMessage, Delivery][] = [];
    for (const held of this.messages) {
      try {
        opened.push([held, await openMessage(held, this.#parts.opening, this.signal)]);
      } catch (error) {
        held.delivery ??= deliveryOf(held, held.raw.Body ?? "", undefined);
        const isInvalid = error instanceof InvalidMessage;
        this.#watch([held]);
        this.#finish(held, isInvalid ? { kind: "invalid", error } : { kind: "failed", error });
      }
    }
    if (this.#open.size === 0) return;
    const { batchHandler, handler } = this.#parts;
    if (batchHandler !== undefined) await this.#callBatch(batchHandler as BatchHandler, opened);
    else if (handler !== undefined) await this.#call(handler as Handler, opened[0] as [HeldMessage, Delivery]);
  }

  /** Those of them that have not ended yet. */
  #watch(messages: readonly HeldMessage[]): CallWatch | undefined {
    const open = this.#parts.watch === undefined ? [] : messages.filter((held) => this.#open.has(held));
    if (open.length === 0) return undefined;
    const watch = this.#parts.watch?.(open.map(({ raw }) => raw));
    this.#watches ??= new Map();
    if (watch !== undefined) for (const held of open) this.#watches.set(held, watch);
    return watch;
  }

  /** Calls a handler where what it sends finds the trace of `first`, or of the span around it. */
  #surrounded<Result>(messages: readonly HeldMessage[], first: HeldMessage, call: () => Result): Result {
    const watch = this.#watch(messages);
    return watch === undefined ? withTrace(traceOf(first.raw), call) : watch.run(call);
  }

  async #call(handler: Handler, [held, message]: [HeldMessage, Delivery]): Promise<void> {
    const trace = traceOf(held.raw);
    const context: Context = {
      signal: this.signal,
      attempt: held.attempt,
      deadline: () => new Date(held.leaseUntilMs),
      extend: (duration) => this.#parts.extend(held, this.#parts.toMs(duration)),
      trace,
    };
    const { around } = this.#parts;
    try {
      const call = async () => handler(message, context);
      const returned = await this.#surrounded([held], held, () =>
        around === undefined ? call() : around(message as Delivery<never>, call),
      );
      const verdict = verdictOf(returned);
      this.#finish(held, verdict === undefined ? { kind: "done" } : { kind: "verdict", verdict });
    } catch (error) {
      this.#finish(held, { kind: "failed", error });
    }
  }

  async #callBatch(handler: BatchHandler, opened: [HeldMessage, Delivery][]): Promise<void> {
    const failures = new Map<string, unknown>();
    const byDelivery = opened.map(([, message]) => message);
    const messages = opened.map(([held]) => held);
    const first = messages[0] as HeldMessage;
    try {
      const returned = await this.#surrounded(messages, first, async () =>
        handler(byDelivery, {
          signal: this.signal,
          deadline: () => new Date(Math.min(...opened.map(([held]) => held.leaseUntilMs))),
          fail: (message, error) =>
            void failures.set(message.id, error ?? new Error("The handler named this message as failed.")),
          trace: traceOf(first.raw),
        }),
      );
      const verdict = verdictOf(returned);
      if (verdict !== undefined) {
        for (const [held] of opened) this.#finish(held, { kind: "verdict", verdict });
        return;
      }
      for (const id of failuresReturned(returned)) {
        failures.set(id, failures.get(id) ?? new Error("The handler named this message as failed."));
      }
    } catch (error) {
      for (const [held] of opened) this.#finish(held, { kind: "failed", error });
      return;
    }
    const known = new Set(opened.map(([held]) => held.id));
    const unknown = [...failures.keys()].find((id) => !known.has(id));
    for (const [held] of opened) {
      // Lambda's rule: a failure that names nothing we know makes the whole batch suspect.
      if (unknown !== undefined) {
        const error = new Error(`The handler named "${unknown}" as failed, which is no message of the batch.`);
        this.#finish(held, { kind: "failed", error });
      } else if (failures.has(held.id)) this.#finish(held, { kind: "failed", error: failures.get(held.id) });
      else this.#finish(held, { kind: "done" });
    }
  }
}

/** Ids in Lambda's partial batch response; none when the handler returned something else. */
function failuresReturned(returned: unknown): string[] {
  const failures = (returned as { batchItemFailures?: unknown } | null | undefined)?.batchItemFailures;
  if (!Array.isArray(failures)) return [];
  return failures.map((failure) => String((failure as { itemIdentifier?: unknown })?.itemIdentifier));
}
