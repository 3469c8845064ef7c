// What the server hands to the wire and gets back: one HTTP request and one HTTP response as plain values. The wire
// never sees a socket; Content-Length, Date and connection headers are the server's.

export interface WireRequest {
  method: string;
  /** Path and query as received. */
  target: string;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  body: Uint8Array;
  /** Whether the socket speaks TLS. */
  secure: boolean;
  /** Host and port of the socket, used when there is no Host header. */
  localAuthority: string;
}

export interface WireResponse {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

export interface WireSettings {
  /** Whether X-Forwarded-Proto, -Host and -Port come from a proxy of ours. */
  trustForwarded: boolean;
  /** Base of the queue URLs in answers; without it they follow the Host header of each request. */
  publicUrl?: string;
  /** For callers whose signature names no region. */
  defaultRegion: string;
  /** A fresh UUID, for request ids. */
  uuid: () => string;
}

/**
 * The longest request body that is read: 1 MiB of text is 3 MiB percent-encoded and may be 6 MiB as JSON escapes. The
 * server should stop reading here; the wire refuses what is longer.
 */
export const REQUEST_BYTES_MAX = 8 * 1024 * 1024;

/** What a front knows of a request whose body is still to come. */
export type RequestHead = Pick<WireRequest, "method" | "target">;
