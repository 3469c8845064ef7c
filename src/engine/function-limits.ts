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
