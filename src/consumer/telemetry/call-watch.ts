// What a consumer lets somebody watch: one call of its handler, from before it starts until every message's ending
// stands, which can be before the handler is over (a timeout) and without it having run (a body that cannot be decoded).

import type { Ending } from "../job.ts";
import type { RawMessage } from "../queue-port.ts";

export interface CallWatch {
  /** Calls the handler in the surroundings that it shall have. Not called when it is not to run. */
  run<Result>(call: () => Result): Result;
  /** Once for each message of the call. */
  ended(ending: Ending): void;
}

/** Of one message, or of a batch. */
export type WatchCall = (messages: readonly RawMessage[]) => CallWatch;
