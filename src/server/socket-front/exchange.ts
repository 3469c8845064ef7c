// One request and its answer, from the end of its head until the answer is written. The handler sees it as the request
// and as the caller, so that a request costs one object.

import type { Caller, FrontRequest, FrontResponse } from "../http-front.ts";
import type { HeadParser } from "./head-parser.ts";
import { RequestHeaders } from "./request-headers.ts";

const NO_BODY = new Uint8Array(0);

export class Exchange implements FrontRequest, Caller {
  readonly method: string;
  readonly target: string;
  readonly headers: FrontRequest["headers"];
  body: Uint8Array = NO_BODY;
  readonly secure: boolean;
  readonly localAuthority: string;
  /** There once the handler has answered. */
  response: FrontResponse | undefined = undefined;
  /** The connection ends behind it. */
  isLast: boolean;
  /** The client waits for our word before it sends the body. */
  awaitsContinue = false;
  /** The request behind it on the same connection. */
  next: Exchange | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #isAbandoned = false;

  /** Of the head that `head` has just read, between `from` and `end`; without one for what was no request. */
  constructor(
    head: HeadParser | undefined,
    bytes: Buffer,
    from: number,
    end: number,
    secure: boolean,
    localAuthority: string,
  ) {
    this.method = head?.method ?? "";
    this.target = head?.target ?? "";
    this.headers = head === undefined ? {} : new RequestHeaders(head, bytes, from, end);
    this.isLast = head === undefined || !head.keepsAlive;
    this.secure = secure;
    this.localAuthority = localAuthority;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAbandoned) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Nobody waits for the answer any more. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#controller?.abort();
  }
}
