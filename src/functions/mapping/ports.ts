// What a mapping needs of the world around it: a queue to take messages from, a function to hand them to, and somebody
// to tell when it has followed a change.

import type { MappingRecord, ReceivedMessage } from "../../engine/command.ts";

/** What became of one call of a function. */
export type InvokeOutcome =
  /** It ran: well, or with `functionError` (`Unhandled`, `Handled`), whose payload then describes the error. */
  | { is: "answered"; payload: Uint8Array; functionError?: string }
  /** Nothing ran: too many at once. It may be tried again. */
  | { is: "throttled"; reason: string }
  /** Nothing ran, or nothing came back: there is no such function, the machine cannot run it, it was being stopped. */
  | { is: "failed"; reason: string };

/** Calls a function with an event and waits for its answer. `functionArn` is as the mapping has it, qualifier included. */
export type InvokeFunction = (
  functionArn: string,
  payload: Uint8Array,
  options: { signal: AbortSignal },
) => Promise<InvokeOutcome>;

/**
 * The queue of a mapping. Rejects with a Fault while the queue's shard cannot serve, and with a SourceProblem when the
 * queue refuses.
 */
export interface SourceQueue {
  isFifo: boolean;
  /** At most 10. Waits up to `waitMs` for the first; aborting ends the wait with nothing taken and nothing counted. */
  receive(request: ReceiveRequest, signal: AbortSignal): Promise<ReceivedMessage[]>;
  /** How many were not deleted: on a FIFO queue, those whose visibility timeout had run out. */
  delete(receiptHandles: string[]): Promise<number>;
  /** Holds what is held for this long from now on. */
  hold(receiptHandles: string[], visibilityTimeoutMs: number): Promise<void>;
  visibilityTimeoutMs(): Promise<number>;
  /** Messages that could be received now. */
  backlog(): Promise<number>;
}

export interface ReceiveRequest {
  messagesMax: number;
  waitMs: number;
  /** Absent: the queue's own. */
  visibilityTimeoutMs?: number;
}

/** The queue refuses: it is gone, or holds as many messages in flight as it may. */
export class SourceProblem extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "SourceProblem";
    this.code = code;
  }
}

/** What a mapping is when it has followed a change of its record. */
export type ReachedState = "Enabled" | "Disabled" | "Deleted";

/**
 * Told once for each record with a transitional state, when the pollers have followed it: `Enabled` when no batch is
 * under way with an older configuration, `Disabled` and `Deleted` when none is under way at all. Never called from
 * within `follow`.
 */
export type OnReached = (record: MappingRecord, state: ReachedState) => void;
