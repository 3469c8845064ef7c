// Why messages failed last, by message id: for whoever reads a dead-letter queue by cause. In memory and bounded: the
// oldest entries go first, and a restart forgets all.

const KEPT_MAX = 1000;

export interface FailureReason {
  atMs: number;
  kind: string;
  reason: string;
  functionArn: string;
}

export class FailureReasons {
  readonly #byMessage = new Map<string, FailureReason>();

  get(messageId: string): FailureReason | undefined {
    return this.#byMessage.get(messageId);
  }

  /** `reason` is shared by all of them. */
  add(messageIds: readonly string[], reason: FailureReason): void {
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

  /** They went well after all. */
  forget(messageIds: readonly string[]): void {
    if (this.#byMessage.size === 0) return;
    for (const id of messageIds) this.#byMessage.delete(id);
  }
}
