// Every number of AWS that running a function holds a caller or the function to, once. Sources: the Lambda quotas page
// and recorded answers, as of 2026. Beside limits.ts because functions are a service of their own.

const KiB = 1024;
const MiB = 1024 * KiB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A synchronous request, and what an event source mapping may send. */
export const FUNCTION_REQUEST_BYTES_MAX = 6 * MiB;
/** A synchronous answer: AWS's own text names this number, 100 bytes over the round one. */
export const FUNCTION_RESPONSE_BYTES_MAX = 6_291_556;
export const FUNCTION_TIMEOUT_MS_MAX = 15 * MINUTE;
/** What a cold start may take before the invocation's own time begins to run. */
export const FUNCTION_INIT_MS_MAX = 10 * SECOND;
export const FUNCTION_MEMORY_MB_MIN = 128;
export const FUNCTION_MEMORY_MB_MAX = 10_240;
/** The end of an invocation's log that a caller may ask for. */
export const FUNCTION_LOG_TAIL_BYTES = 4 * KiB;
/** A zip that comes with the request. */
export const FUNCTION_ZIP_BYTES_MAX = 50 * MiB;
export const FUNCTION_CODE_BYTES_MAX = 250 * MiB;
/** What an asynchronous call may carry. */
export const FUNCTION_EVENT_BYTES_MAX = MiB;
export const FUNCTION_NAME_CHARACTERS_MAX = 64;
export const FUNCTION_TIMEOUT_MS_DEFAULT = 3 * SECOND;
export const FUNCTION_STORAGE_MB_MIN = 512;
export const FUNCTION_STORAGE_MB_MAX = 10_240;
/** Names and values of the variables together. */
export const FUNCTION_ENVIRONMENT_BYTES_MAX = 4 * KiB;
export const FUNCTION_TAGS_MAX = 50;
export const FUNCTION_POLICY_BYTES_MAX = 20 * KiB;
/** Whole requests that bring a zip, in base64: AWS's own texts name these numbers. */
export const CREATE_FUNCTION_REQUEST_BYTES_MAX = 70_167_211;
export const UPDATE_FUNCTION_CODE_REQUEST_BYTES_MAX = 69_905_067;
/** Entries of a page of any list. */
export const FUNCTION_PAGE_ITEMS_MAX = 50;
export const MAPPING_PAGE_ITEMS_MAX = 100;

/** Asynchronous calls: further tries after the function failed, and how long after the failure. */
export const EVENT_RETRIES_MAX = 2;
export const EVENT_RETRY_MS: readonly number[] = [MINUTE, 2 * MINUTE];
export const EVENT_AGE_MS_MIN = MINUTE;
export const EVENT_AGE_MS_MAX = 6 * 60 * MINUTE;
/** When it could not be run at all (throttled): the first and the longest wait. */
export const EVENT_THROTTLED_MS_MIN = SECOND;
export const EVENT_THROTTLED_MS_MAX = 5 * MINUTE;
/** What a dead-letter queue is told of an error. */
export const EVENT_ERROR_MESSAGE_BYTES_MAX = KiB;

export const MAPPING_BATCH_SIZE_DEFAULT = 10;
export const MAPPING_BATCH_SIZE_MAX = 10_000;
export const MAPPING_FIFO_BATCH_SIZE_MAX = 10;
/** Larger batches need a window to fill in. */
export const MAPPING_BATCH_SIZE_WITHOUT_WINDOW_MAX = 10;
export const MAPPING_WINDOW_MS_MAX = 5 * MINUTE;
export const MAPPING_CONCURRENCY_MIN = 2;
export const MAPPING_CONCURRENCY_MAX = 1000;
export const MAPPING_POLLERS_MIN = 2;
export const MAPPING_POLLERS_MAX = 10_000;
/** Of the least, and what the most is when only the least is said. */
export const MAPPING_MINIMUM_POLLERS_MAX = 200;
export const MAPPING_POLLERS_DEFAULT_MAX = 200;
export const MAPPING_FILTERS_MAX = 10;
export const MAPPING_FILTER_CHARACTERS_MAX = 4096;

// Event source mappings (Lambda developer guide, "configuring scaling behavior for SQS event source mappings").

/** Batches of one mapping at once: at first, after a long idle time, and at most. */
export const MAPPING_LANES_AT_START = 5;
export const MAPPING_LANES_IDLE = 2;
export const MAPPING_LANES_MAX = 1250;
/** Ramp while there is a backlog. */
export const MAPPING_LANES_PER_MINUTE = 300;
/** Provisioned mode: what one poller carries, its ramp and ceiling. */
export const PROVISIONED_LANES_PER_POLLER = 10;
export const PROVISIONED_LANES_PER_MINUTE = 1000;
export const PROVISIONED_LANES_MAX = 20_000;
/** With a batching window, what is kept from other consumers beyond window and function timeout. */
export const WINDOW_VISIBILITY_SPARE_MS = 30 * SECOND;
