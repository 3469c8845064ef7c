// What an operation knows of the request besides its input: who calls, from which region, under which address, and
// the two headers that matter. The same for every service and protocol.

import type { Scope } from "../../engine/command.ts";

export interface Call {
  /** The caller's account and region; a queue URL or an ARN may name another account. */
  readonly scope: Scope;
  /** The scope's two parts. */
  account: string;
  region: string;
  /** Whether the signature named the region; when not, a queue URL's host may. */
  regionIsSigned: boolean;
  /** Absent for anonymous requests. */
  accessKey: string | undefined;
  /** Where URLs in answers begin, without a slash at the end. Asked by few operations, so worked out late. */
  urlBase: () => string;
  /** Parts of the path that the request was sent to; a queue's address when it is not empty. */
  pathParts: readonly string[];
  /** X-Amzn-Trace-Id, when it is not empty. */
  traceHeader: string | undefined;
  /**
   * True only if every text of the input consists of the characters from space to DEL: there is nothing forbidden in
   * it then, and it has as many bytes as characters.
   */
  isPlain: boolean;
}
