// Why messages failed last, by message id, whichever mapping they failed in: for whoever reads a dead-letter queue by
// cause, maybe days later. Bounded: the oldest go first. A journal, when there is one, keeps them over a restart.

/** Some hundred bytes each. */
const KEPT_MAX = 10_000;

export interface FailureReason {
  atMs: number;
  kind: string;
  reason: string;
  functionArn: string;
}

export interface ReasonJournal {
  /** Oldest first; the reason is that of all the ids. */
  entries(): Iterable<[messageIds: string[], reason: FailureReason]>;
  /** Returns at once. */
  append(messageIds: readonly string[], reason: FailureReason): void;
  /** Resolves when all of it is with the system. */
  close(): Promise<void>;
}

export class FailureReasons {
  readonly #byMessage = new Map<string, FailureReason>();
  readonly #journal: ReasonJournal | undefined;

  constructor(journal?: ReasonJournal) {
    this.#journal = journal;
    for (const [ids, reason] of journal?.entries() ?? []) this.#keep(ids, reason);
  }

  get(messageId: string): FailureReason | undefined {
    return this.#byMessage.get(messageId);
  }

  /** `reason` is shared by all of them. */
  add(messageIds: readonly string[], reason: FailureReason): void {
    this.#keep(messageIds, reason);
    this.#journal?.append(messageIds, reason);
  }

  /** They went well after all. The journal still has them; nobody will ask. */
  forget(messageIds: readonly string[]): void {
    if (this.#byMessage.size === 0) return;
    for (const id of messageIds) this.#byMessage.delete(id);
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }

  #keep(messageIds: readonly string[], reason: FailureReason): void {
    for (const id of messageIds) {
      // Behind the others: a message that fails again is of interest again.
      this.#byMessage.delete(id);
      this.#byMessage.set(id, reason);
    }
    for (const id of this.#byMessage.keys()) {
      if (this.#byMessage.size <= KEPT_MAX) return;
      this.#byMessage.delete(id);
    }
  }
}
