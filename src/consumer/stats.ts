// Counters since the start, and what is in hand now.

export interface ConsumerStats {
  state: "new" | "running" | "paused" | "stopping" | "stopped";
  breaker: "closed" | "open" | "probing";
  receives: number;
  emptyReceives: number;
  received: number;
  done: number;
  discarded: number;
  rejected: number;
  /** Failed or sent back by `retryIn`. */
  retried: number;
  timedOut: number;
  lost: number;
  /** Returned to the queue without having been worked on. */
  givenBack: number;
  /** Delete requests, and messages whose delete failed for good. */
  deleteCalls: number;
  deleteFailed: number;
  visibilityCalls: number;
  heartbeats: number;
  /** Handlers that run now, those of them whose message was given up, and messages that wait for a slot. */
  running: number;
  leaked: number;
  waiting: number;
  /** Receives that are open now. */
  polling: number;
  /** A moving average; 0 before the first handler ended. */
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
