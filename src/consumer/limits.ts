// SQS's numbers that a client has to keep to. The server has its own copy in src/engine/limits.ts, because the toolkit
// works without the server and is shipped to people who never run it.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Entries of one batch request, and messages of one receive. */
export const BATCH_ENTRIES_MAX = 10;
/** One message, and the sum of a batch. */
export const BATCH_BYTES_MAX = 1_048_576;
export const MESSAGE_ATTRIBUTES_MAX = 10;
export const WAIT_SECONDS_MAX = 20;
/** From the receive on, whatever is asked for later: SQS takes a message back after this long. */
export const HELD_MS_MAX = 12 * HOUR;
/** We stop this much earlier, so that it is us who hand a message back and not SQS who takes it. */
export const HELD_MARGIN_MS = 5 * MINUTE;
/** A message held this long is worth a warning. */
export const HELD_WARNING_MS = 10 * HOUR;
/** For queues that may not be described: SQS's default. */
export const DEFAULT_VISIBILITY_MS = 30 * SECOND;
