// The host, the admin API and the certificate as a front process sees them: all in the main process, behind a link.

import type { Duplex } from "node:stream";
import { assert } from "../../base/assert.ts";
import { Fault } from "../../base/fault.ts";
import type { CommandKind, CommandOf, Outcome } from "../../engine/command.ts";
import type { ExecuteOptions } from "../../host/host.ts";
import type { FrontRequest, FrontResponse } from "../http-front.ts";
import { Link } from "./link.ts";
import type { Answered, Asked } from "./messages.ts";

interface Pending {
  resolve(value: Outcome | FrontResponse): void;
  reject(error: Error): void;
  options: ExecuteOptions | undefined;
}

export class RemoteHost {
  readonly #link: Link<Asked, Answered>;
  readonly #pending = new Map<number, Pending>();
  #asked = 0;

  constructor(pipe: Duplex) {
    this.#link = new Link(pipe, (message) => this.#take(message));
  }

  /** As the host's own; a Fault arrives as the same Fault. */
  execute<Kind extends CommandKind>(command: CommandOf<Kind>, options?: ExecuteOptions): Promise<Outcome<Kind>> {
    const id = ++this.#asked;
    this.#link.send({ kind: "command", id, command });
    return this.#answerTo(id, options) as Promise<Outcome<Kind>>;
  }

  /** Has the main process answer it. */
  forward({ method, target, headers, body, secure, localAuthority }: FrontRequest): Promise<FrontResponse> {
    const id = ++this.#asked;
    // The headers that the server reads are fields; others are looked for on demand, which ends here.
    const request = { method, target, headers: { ...headers }, body, secure, localAuthority };
    this.#link.send({ kind: "request", id, request });
    return this.#answerTo(id, undefined) as Promise<FrontResponse>;
  }

  #answerTo(id: number, options: ExecuteOptions | undefined): Promise<Outcome | FrontResponse> {
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject, options }));
  }

  #take(message: Answered): void {
    const { id } = message;
    const pending = this.#pending.get(id);
    assert(pending !== undefined, "only what was asked is answered, and once");
    if (message.kind === "waits") return this.#watch(id, pending);
    this.#pending.delete(id);
    switch (message.kind) {
      case "outcome":
        return pending.resolve(message.outcome);
      case "response":
        return pending.resolve(message.response);
      case "fault":
        return pending.reject(new Fault(message.code, message.message));
      case "failure": {
        const error = new Error("The main process failed.");
        error.stack = message.stack;
        return pending.reject(error);
      }
    }
  }

  /** Only now is the signal read, which is when a caller makes it. */
  #watch(id: number, { options }: Pending): void {
    const signal = options?.signal;
    const hangUp = () => {
      if (this.#pending.has(id)) this.#link.send({ kind: "hungUp", id });
    };
    if (signal?.aborted) hangUp();
    else signal?.addEventListener("abort", hangUp, { once: true });
  }
}
