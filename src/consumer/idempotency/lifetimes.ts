// How long keys and leases live unless told otherwise, with the reason beside the number.

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The longest that SQS keeps a message, in the source queue and once more in its dead-letter queue. */
const RETENTION_DAYS_MAX = 14;
/** For the repair after the dead-letter queue was noticed: a redriven message has to find its key still there. */
const MARGIN_DAYS = 2;

/**
 * 30 days. A message that was worked off but not deleted can come back for as long as its queue keeps it, then sit in the
 * dead-letter queue for as long again, and be moved back at the last moment. A key that is gone by then does not protect.
 */
export const KEEP_FOR_MS_DEFAULT = (RETENTION_DAYS_MAX + RETENTION_DAYS_MAX + MARGIN_DAYS) * DAY_MS;

/** Renewed while the handler runs, so this is only how long a crashed worker keeps others away. */
export const LEASE_MS_DEFAULT = MINUTE_MS;
