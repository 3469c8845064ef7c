// Every number of AWS that the engine or the wire holds a caller to, once. Sources: the SQS developer guide's
// quotas pages and the API reference, as of 2026. Milliseconds inside; the wire's seconds end at the wire. What running
// functions are held to is in function-limits.ts. The consumer toolkit, which ships without the engine, keeps the few
// that a client needs in src/consumer/limits.ts; a test holds the two together.

const KiB = 1024;
const MiB = 1024 * KiB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** One message, and the sum of a batch: raised from 256 KiB in August 2025. */
export const MESSAGE_BYTES_MAX = MiB;
export const MESSAGE_BYTES_MIN_SETTING = KiB;
export const BATCH_BYTES_MAX = MiB;
export const BATCH_ENTRIES_MAX = 10;
export const BATCH_ID_CHARACTERS_MAX = 80;

export const MESSAGE_ATTRIBUTES_MAX = 10;
export const MESSAGE_ATTRIBUTE_NAME_CHARACTERS_MAX = 256;
export const MESSAGE_ATTRIBUTE_TYPE_CHARACTERS_MAX = 256;
export const NUMBER_ATTRIBUTE_DIGITS_MAX = 38;

/** Message group id, deduplication id and receive request attempt id. */
export const FIFO_ID_CHARACTERS_MAX = 128;

export const DELAY_MS_MAX = 15 * MINUTE;
export const WAIT_MS_MAX = 20 * SECOND;
export const VISIBILITY_MS_MAX = 12 * HOUR;
export const RETENTION_MS_MIN = MINUTE;
export const RETENTION_MS_MAX = 14 * DAY;

export const DEFAULT_DELAY_MS = 0;
export const DEFAULT_WAIT_MS = 0;
export const DEFAULT_VISIBILITY_MS = 30 * SECOND;
export const DEFAULT_RETENTION_MS = 4 * DAY;

export const RECEIVE_MESSAGES_MAX = 10;
/** Both queue kinds; standard answers OverLimit to a short poll beyond it, FIFO answers nothing. */
export const IN_FLIGHT_MAX = 120_000;

export const DEDUPLICATION_WINDOW_MS = 5 * MINUTE;
export const RECEIVE_ATTEMPT_WINDOW_MS = 5 * MINUTE;

export const MAX_RECEIVE_COUNT_MIN = 1;
export const MAX_RECEIVE_COUNT_MAX = 1000;
export const REDRIVE_ALLOW_SOURCES_MAX = 10;

export const QUEUE_NAME_CHARACTERS_MAX = 80;
export const LIST_RESULTS_MAX = 1000;

/** What AWS makes callers wait on purpose; only with the `aws-delays` setting. */
export const DELETE_COOL_DOWN_MS = 60 * SECOND;
export const PURGE_COOL_DOWN_MS = 60 * SECOND;

export const MOVE_TASK_RATE_MIN = 1;
export const MOVE_TASK_RATE_MAX = 500;
export const MOVE_TASK_LIST_MAX = 10;
/** Finished move tasks that a queue remembers, newest first. */
export const MOVE_TASKS_REMEMBERED_MAX = 10;

export const TAGS_MAX = 50;
export const TAG_KEY_CHARACTERS_MAX = 128;
export const TAG_VALUE_CHARACTERS_MAX = 256;

export const POLICY_BYTES_MAX = 8192;
export const POLICY_STATEMENTS_MAX = 20;
export const POLICY_ACTIONS_MAX = 7;
export const PERMISSION_LABEL_CHARACTERS_MAX = 80;

export const KMS_REUSE_SECONDS_MIN = 60;
export const KMS_REUSE_SECONDS_MAX = 86_400;

/** A delivery to an HTTP endpoint, from connecting to the answer (SNS developer guide, "message delivery retries"). */
export const OUTBOUND_TIMEOUT_MS = 15 * SECOND;
/** What waits to be delivered outlasts every retry policy; the longest, a function's, is 23 days. */
export const DELIVERY_RETENTION_MS = 24 * 24 * HOUR;
/** How long a mail waits after each failed attempt: 2 at 10 s, 10 growing to 600 s, 38 at 600 s (the same guide). */
export const MAIL_RETRY_MS: readonly number[] = [
  ...[10, 10],
  ...[10, 16, 25, 39, 62, 97, 154, 242, 381, 600],
  ...Array<number>(38).fill(600),
].map((seconds) => seconds * SECOND);

/** Fair queues: a tenant is noisy with at least this many in flight and over this share of them. */
export const NOISY_GROUP_IN_FLIGHT_MIN = 30;
export const NOISY_GROUP_SHARE = 0.1;
export const NOISY_GROUP_SILENCE_MS = 5 * MINUTE;
/** A standard-queue message received this often goes behind fresh ones when it returns. */
export const RECEIVES_BEFORE_BACK_OF_QUEUE = 3;

/** Filter policies of SNS subscriptions. */
export const FILTER_POLICY_BYTES_MAX = 256 * KiB;
/** At the top; what is inside them counts as combinations. */
export const FILTER_POLICY_KEYS_MAX = 5;
export const FILTER_POLICY_COMBINATIONS_MAX = 150;
/** Ours: what `$or` may multiply out to. AWS names no number. */
export const PATTERN_ALTERNATIVES_MAX = 1000;

/** SNS (API reference, "Amazon SNS endpoints and quotas", as of 2026). One message, and the sum of a batch. */
export const PUBLISH_BYTES_MAX = 256 * KiB;
export const SUBJECT_CHARACTERS_MAX = 100;
export const TOPIC_NAME_CHARACTERS_MAX = 256;
export const TOPIC_LIST_RESULTS_MAX = 100;
export const DISPLAY_NAME_CHARACTERS_MAX = 100;
export const TOPIC_POLICY_BYTES_MAX = 30 * KiB;
/** Ours: AWS names no number. */
export const DELIVERY_POLICY_BYTES_MAX = 30 * KiB;
export const TOPICS_MAX = 100_000;
export const FIFO_TOPICS_MAX = 1000;
export const SUBSCRIPTIONS_PER_TOPIC_MAX = 12_500_000;
export const SUBSCRIPTIONS_PER_FIFO_TOPIC_MAX = 100;
export const FILTER_POLICIES_PER_TOPIC_MAX = 200;
export const CONFIRMATION_TOKEN_MS = 2 * DAY;
export const ARCHIVE_DAYS_MIN = 1;
export const ARCHIVE_DAYS_MAX = 365;
export const FEEDBACK_SAMPLE_PERCENT_MAX = 100;

/** How deliveries to HTTP endpoints are tried again (developer guide, "message delivery retries"). */
export const DELIVERY_DELAY_SECONDS_MIN = 1;
export const DELIVERY_DELAY_SECONDS_MAX = 3600;
export const DELIVERY_RETRIES_MAX = 100;
export const DELIVERY_TOTAL_SECONDS_MAX = 3600;
export const DEFAULT_DELIVERY_DELAY_SECONDS = 20;
export const DEFAULT_DELIVERY_RETRIES = 3;
