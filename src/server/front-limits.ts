// What a client can make us hold, and for how long: the same for every front.

/** Query requests by GET carry the message in the request line. */
export const HEAD_BYTES_MAX = 64 * 1024;
/** How much of a body over the limit is read and thrown away before the connection is cut instead. */
export const DISCARD_BYTES_MAX = 32 * 1024 * 1024;
/**
 * How many requests of one connection may be under way: a client that sends ahead (pipelining) pays a few bytes for
 * each, we pay a request. At this many the connection is not read on until some are answered.
 */
export const UNDER_WAY_MAX = 64;

export interface FrontTimeouts {
  /** Between requests. */
  keepAliveMs: number;
  /** For a whole head, and for the first byte of a connection. */
  headersMs: number;
  requestMs: number;
  /** For clients that do not take their answers. */
  stalledMs: number;
  /** How often the others are looked at: a client may have that much more. */
  checkMs: number;
}

export const TIMEOUTS: FrontTimeouts = {
  // Longer than the idle time of common HTTP clients and load balancers, so that the other side closes first.
  keepAliveMs: 75_000,
  headersMs: 20_000,
  requestMs: 60_000,
  // Longer than any long poll, shorter than for ever.
  stalledMs: 120_000,
  checkMs: 5_000,
};
