// What became of each subscription's deliveries since the server started: counts, and the last failures with their
// reason and where the message went. For people who ask why nothing arrives; nothing depends on it.

const FAILURES_KEPT = 20;

export interface DeliveryFailure {
  atMs: number;
  /** In words. */
  reason: string;
  /** The published message's id. */
  messageId: string;
  /** Tried again later, put into the dead-letter queue, or gone. */
  outcome: "retried" | "deadLettered" | "dropped";
  /** ARN of the dead-letter queue that has it. */
  deadLetterArn?: string;
}

export interface DeliveryRecord {
  deliveredCount: number;
  /** Given up; attempts that will be repeated are not in it. */
  failedCount: number;
  retriedCount: number;
  /** Oldest first, at most 20. */
  failures: DeliveryFailure[];
}

export class DeliveryRecords {
  readonly #bySubscription = new Map<string, DeliveryRecord>();

  /** Of one subscription; undefined when nothing has been delivered or failed yet. */
  of(subscriptionArn: string): DeliveryRecord | undefined {
    return this.#bySubscription.get(subscriptionArn);
  }

  delivered(subscriptionArn: string): void {
    this.#record(subscriptionArn).deliveredCount += 1;
  }

  failed(subscriptionArn: string, failure: DeliveryFailure): void {
    const record = this.#record(subscriptionArn);
    if (failure.outcome === "retried") record.retriedCount += 1;
    else record.failedCount += 1;
    record.failures.push(failure);
    if (record.failures.length > FAILURES_KEPT) record.failures.shift();
  }

  forget(subscriptionArn: string): void {
    this.#bySubscription.delete(subscriptionArn);
  }

  #record(subscriptionArn: string): DeliveryRecord {
    let record = this.#bySubscription.get(subscriptionArn);
    if (record === undefined) {
      record = { deliveredCount: 0, failedCount: 0, retriedCount: 0, failures: [] };
      this.#bySubscription.set(subscriptionArn, record);
    }
    return record;
  }
}
