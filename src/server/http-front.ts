// The port between sockets and the router: a front takes connections, reads whole requests and writes answers. It
// knows nothing of AWS. There are two behind this interface: socket-front/, on sockets, and node-http-front.ts, on node:http.

import type { Socket } from "node:net";

export interface FrontRequest {
  method: string;
  /** Path and query as received. */
  target: string;
  /** Names in lower case; values of repeated headers joined with commas. */
  headers: Record<string, string | undefined>;
  /** Complete, and the handler's to keep. */
  body: Uint8Array;
  secure: boolean;
  /** Host and port of the listening socket, for requests without a Host header. */
  localAuthority: string;
}

export interface FrontResponse {
  status: number;
  /** Without Content-Length, Date and Connection: those are the front's. */
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** The client at the other end of a request. */
export interface Caller {
  /**
   * Aborts when the client hangs up, or ends its sending side, before its answer was written. Made on first use, since only a waiting receive
   * needs it; reading it after the client left gives a signal that is aborted already.
   */
  readonly signal: AbortSignal;
}

/** Must not throw or reject; a front answers 500 without details when it does. */
export type FrontHandler = (request: FrontRequest, caller: Caller) => FrontResponse | Promise<FrontResponse>;

/** What the front shows to clients of TLS, as PEM. */
export interface TlsIdentity {
  certificate: string;
  key: string;
}

export interface HttpFrontOptions {
  handler: FrontHandler;
  requestBytesMax: number;
  /** The limit of requests that may be longer; undefined for all others. Absent: there are none. */
  longBodyBytesMax?: (request: { method: string; target: string }) => number | undefined;
  /** Speak TLS with this; absent: plain HTTP. */
  tls?: TlsIdentity;
  /** The answer to a body over the limit; `request.body` is empty. The connection closes behind it. */
  refuseTooLarge: (request: FrontRequest) => FrontResponse;
}

export interface HttpFront {
  /** Resolves once connections are accepted, with the real port. Throws a Fault (`PortTaken`, `SettingInvalid`). */
  listen(host: string, port: number): Promise<{ port: number }>;
  /**
   * Stops accepting at once, closes idle connections, lets requests being handled finish for at most `drainMs`,
   * then cuts what is left. Resolves when no connection remains.
   */
  close(drainMs: number): Promise<void>;
}

/** A front that can also serve connections which were accepted elsewhere. */
export interface AdoptingFront extends HttpFront {
  /** Instead of `listen`. `authority` is where clients connect to. */
  open(authority: string): void;
  /** Nothing has been read from the socket yet, and nobody else will. */
  adopt(socket: Socket): void;
}
