// What happened in a mapping since it was started: counts, sizes, durations, failures by kind, the last errors. In
// memory; made when there is something to tell, so that a mapping that sleeps costs nothing.

import type { HeldMessage } from "./batch.ts";
import type { FailureReasons } from "./failure-reasons.ts";
import type { Settlement } from "./settlement.ts";

const DURATIONS_KEPT = 1000;
const ERRORS_KEPT = 10;
const KINDS_MAX = 50;
const OTHER_KINDS = "(other)";

export interface MappingCounts {
  /** Messages. */
  received: number;
  filteredOut: number;
  invoked: number;
  deleted: number;
  failed: number;
  /** Succeeded, but held too long to be deleted: they will be seen again. */
  deletedTooLate: number;
  /** Calls of the function that ended. */
  batches: number;
  batchesFailed: number;
  batchesPartlyFailed: number;
  /** Attempts that were turned away. */
  throttles: number;
}

export interface Quantiles {
  p50: number;
  p99: number;
  max: number;
}

export interface MappingError {
  atMs: number;
  kind: string;
  reason: string;
  /** Messages that it concerned; 0 when it came before there were any. */
  messages: number;
}

export interface MappingStory {
  counts: MappingCounts;
  /** Of the last thousand batches. Absent without any. */
  batchSize?: Quantiles;
  /** From call to answer, waits between throttled attempts included. */
  durationMs?: Quantiles;
  /** From sending to the call, of the oldest message of the batch at its first receive or later. */
  waitedMs?: Quantiles;
  /** Messages by kind of failure, most frequent first. */
  failures: { kind: string; messages: number }[];
  /** Newest first. */
  lastErrors: MappingError[];
}

export class MappingTeller {
  readonly #counts: MappingCounts = {
    received: 0,
    filteredOut: 0,
    invoked: 0,
    deleted: 0,
    failed: 0,
    deletedTooLate: 0,
    batches: 0,
    batchesFailed: 0,
    batchesPartlyFailed: 0,
    throttles: 0,
  };
  readonly #sizes = new Recent();
  readonly #durations = new Recent();
  readonly #waits = new Recent();
  readonly #failures = new Map<string, number>();
  readonly #errors: MappingError[] = [];
  readonly #reasons: FailureReasons;

  constructor(reasons: FailureReasons) {
    this.#reasons = reasons;
  }

  received(messages: number): void {
    this.#counts.received += messages;
  }

  filteredOut(messages: number): void {
    this.#counts.filteredOut += messages;
  }

  throttled(): void {
    this.#counts.throttles += 1;
  }

  deleted(messages: readonly HeldMessage[], tooLate: number): void {
    this.#counts.deleted += messages.length - tooLate;
    this.#counts.deletedTooLate += tooLate;
  }

  /** A batch came to its end. */
  settled(
    messages: readonly HeldMessage[],
    settlement: Settlement,
    functionArn: string,
    fromMs: number,
    toMs: number,
  ): void {
    const { succeeded, failed, failure, isWhole } = settlement;
    const counts = this.#counts;
    counts.batches += 1;
    counts.invoked += messages.length;
    counts.failed += failed.length;
    this.#sizes.add(messages.length);
    this.#durations.add(toMs - fromMs);
    this.#waits.add(messages.reduce((longest, { sentAtMs }) => Math.max(longest, fromMs - sentAtMs), 0));
    this.#reasons.forget(succeeded.map(({ id }) => id));
    if (failure === undefined) return;
    if (isWhole) counts.batchesFailed += 1;
    else counts.batchesPartlyFailed += 1;
    const { kind, reason } = failure;
    this.#countKind(kind, failed.length);
    this.#reasons.add(
      failed.map(({ id }) => id),
      { atMs: toMs, kind, reason, functionArn },
    );
    this.error({ atMs: toMs, kind, reason, messages: failed.length });
  }

  /** Also what keeps the mapping from receiving. */
  error(error: MappingError): void {
    const [newest] = this.#errors;
    // The same again, as when every lane meets a queue that is gone: once is enough.
    if (error.messages === 0 && newest?.kind === error.kind && newest.reason === error.reason) {
      newest.atMs = error.atMs;
      return;
    }
    this.#errors.unshift(error);
    if (this.#errors.length > ERRORS_KEPT) this.#errors.pop();
  }

  tell(): MappingStory {
    const batchSize = this.#sizes.quantiles();
    const durationMs = this.#durations.quantiles();
    const waitedMs = this.#waits.quantiles();
    return {
      counts: { ...this.#counts },
      ...(batchSize === undefined ? {} : { batchSize }),
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(waitedMs === undefined ? {} : { waitedMs }),
      failures: [...this.#failures]
        .map(([kind, messages]) => ({ kind, messages }))
        .sort((a, b) => b.messages - a.messages),
      lastErrors: [...this.#errors],
    };
  }

  /** Error types come from functions: their number is bounded. */
  #countKind(kind: string, messages: number): void {
    const known = this.#failures.has(kind) || this.#failures.size < KINDS_MAX ? kind : OTHER_KINDS;
    this.#failures.set(known, (this.#failures.get(known) ?? 0) + messages);
  }
}

/** The newest of many numbers. */
class Recent {
  readonly #values: number[] = [];
  #next = 0;

  add(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % DURATIONS_KEPT;
  }

  quantiles(): Quantiles | undefined {
    if (this.#values.length === 0) return undefined;
    const sorted = [...this.#values].sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}
