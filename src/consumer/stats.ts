// Counters since the start, and what is in hand now.

export interface ConsumerStats {
  /** `new` before `start`; `paused` by `pause` (not by `pauseWhen`); `stopped` for good. */
  state: "new" | "running" | "paused" | "stopping" | "stopped";
  /** `closed` also when the consumer has no breaker. */
  breaker: "closed" | "open" | "probing";
  /** Receive requests that were made, those that failed included. */
  receives: number;
  /** Receives that were answered with no message. */
  emptyReceives: number;
  /** Messages that receives brought, redeliveries counted again. */
  received: number;
  /** Messages that were worked on and deleted. */
  done: number;
  /** Messages that were deleted on the verdict `discard`. */
  discarded: number;
  /**
   * Messages that `reject`, a body that cannot be decoded or a schema took out of the queue: to the dead-letter queue, or
   * out of reach where there is none.
   */
  rejected: number;
  /** Failed or sent back by `retryIn`. */
  retried: number;
  /** Messages whose handler took longer than `timeout`; they are in `retried` too. */
  timedOut: number;
  /** Messages whose visibility timeout ended, or could not be extended, while they were held. */
  lost: number;
  /** Returned to the queue without having been worked on. */
  givenBack: number;
  /** Delete requests, each of up to ten messages. */
  deleteCalls: number;
  /** Messages that are done and could not be deleted; they come again. */
  deleteFailed: number;
  /** Requests that changed visibility timeouts, each of up to ten messages, without those of heartbeats. */
  visibilityCalls: number;
  /** Requests that extended held messages, each of up to ten; those that failed are not counted. */
  heartbeats: number;
  /** Handler calls that run now, `leaked` ones included; one with a batch counts once. */
  running: number;
  /** Handler calls that run on although their messages were given up; they keep their slots. */
  leaked: number;
  /** Messages that are held and wait for a slot. */
  waiting: number;
  /** Receives that are open now. */
  polling: number;
  /** Milliseconds that a handler takes for a message, a moving average; 0 before the first one ended. */
  handlerMs: number;
}

export function newStats(): ConsumerStats {
  return {
    state: "new",
    breaker: "closed",
    receives: 0,
    emptyReceives: 0,
    received: 0,
    done: 0,
    discarded: 0,
    rejected: 0,
    retried: 0,
    timedOut: 0,
    lost: 0,
    givenBack: 0,
    deleteCalls: 0,
    deleteFailed: 0,
    visibilityCalls: 0,
    heartbeats: 0,
    running: 0,
    leaked: 0,
    waiting: 0,
    polling: 0,
    handlerMs: 0,
  };
}
