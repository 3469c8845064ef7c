// Why a message's signal was aborted. Handlers see these as `signal.reason`; events carry them.

/** The handler took longer than `timeout`. The message is tried again; the slot stays taken until the handler ends. */
export class HandlerTimedOut extends Error {
  readonly code = "HandlerTimedOut";
  constructor(timeoutMs: number) {
    super(`The handler took longer than ${timeoutMs} ms.`);
  }
}

/** The message is no longer ours: its visibility timeout ended, or the queue refused to extend it. */
export class MessageLost extends Error {
  readonly code = "MessageLost";
}

/** Held as long as `heartbeat.max` or SQS's 12 hours allow. The message is handed back to be tried again. */
export class HeldTooLong extends Error {
  readonly code = "HeldTooLong";
  constructor(heldMs: number) {
    super(`The message was held for ${Math.round(heldMs / 1000)} s, which is as long as it may be.`);
  }
}

/** A stop waited as long as it was told to. The message is given back at once. */
export class ConsumerStopped extends Error {
  readonly code = "ConsumerStopped";
  constructor() {
    super("The consumer was stopped before the handler had ended.");
  }
}

/** What was received cannot be what the handler expects, now or later: it is rejected, not tried again. */
export class InvalidMessage extends Error {
  readonly code = "InvalidMessage";
  /** What more can be said of it, for the dead-letter queue. */
  readonly detail: object | undefined;
  constructor(message: string, detail?: object, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.detail = detail;
  }
}
