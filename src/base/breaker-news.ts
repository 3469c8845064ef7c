// What a worker tells the `millpond work` that started it, over Node's IPC channel: that a circuit breaker of one of its
// consumers opened or closed. Shared by the two ends, which know nothing else of each other.

/** The supervisor sets it, to this value, for workers that it listens to. Without it nothing is sent to a parent. */
export const SUPERVISOR_VARIABLE = "MILLPOND_SUPERVISOR";
export const SUPERVISOR_LISTENS = "ipc";

export interface BreakerNews {
  readonly millpond: "breakerOpened" | "breakerClosed";
  /** Tells apart the consumers of one process; counted from 1. */
  readonly consumer: number;
}

/** A worker may use the channel for messages of its own; those are none of ours. */
export function isBreakerNews(message: unknown): message is BreakerNews {
  if (typeof message !== "object" || message === null) return false;
  const { millpond, consumer } = message as Partial<Record<keyof BreakerNews, unknown>>;
  return (millpond === "breakerOpened" || millpond === "breakerClosed") && Number.isInteger(consumer);
}
