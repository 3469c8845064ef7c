// The main process's side of a link: does what one front asks, and answers. When the front is gone, what waits for its
// sake is cancelled, and answers are dropped like those of a client that hung up.

import type { Duplex } from "node:stream";
import { isFault } from "../../base/fault.ts";
import type { Command } from "../../engine/command.ts";
import type { Host } from "../../host/host.ts";
import type { Caller, FrontHandler, FrontRequest } from "../http-front.ts";
import { Link } from "./link.ts";
import type { Answered, Asked } from "./messages.ts";

/** Who does the work. */
export interface WorkDoers {
  execute: Host["execute"];
  /** Answers requests that are not AWS operations. */
  handle: FrontHandler;
}

export class AskedWork {
  readonly #doers: WorkDoers;
  readonly #link: Link<Answered, Asked>;
  /** Of the commands that wait. */
  readonly #waiting = new Map<number, AbortController>();
  #isAbandoned = false;

  constructor(pipe: Duplex, doers: WorkDoers) {
    this.#doers = doers;
    this.#link = new Link(pipe, (message) => this.#take(message));
  }

  /** The front is gone. */
  abandon(): void {
    this.#isAbandoned = true;
    for (const controller of this.#waiting.values()) controller.abort();
  }

  #take(message: Asked): void {
    const { id } = message;
    switch (message.kind) {
      case "command":
        return void this.#execute(id, message.command);
      case "request":
        return void this.#handle(id, message.request);
      case "hungUp":
        return this.#waiting.get(id)?.abort();
    }
  }

  async #execute(id: number, command: Command): Promise<void> {
    try {
      const caller = command.kind === "receiveMessages" ? new RemoteCaller(() => this.#wait(id)) : undefined;
      const outcome = await this.#doers.execute(command, caller);
      this.#link.send({ kind: "outcome", id, of: command.kind, outcome });
    } catch (error) {
      this.#fail(id, error);
    }
    this.#waiting.delete(id);
  }

  async #handle(id: number, request: FrontRequest): Promise<void> {
    try {
      const { status, headers, body } = await this.#doers.handle(request, new RemoteCaller(() => this.#wait(id)));
      this.#link.send({ kind: "response", id, response: { status, headers, body } });
    } catch (error) {
      this.#fail(id, error);
    }
    this.#waiting.delete(id);
  }

  /** A command has begun to wait. */
  #wait(id: number): AbortSignal {
    const controller = new AbortController();
    if (this.#isAbandoned) controller.abort();
    this.#waiting.set(id, controller);
    this.#link.send({ kind: "waits", id });
    return controller.signal;
  }

  #fail(id: number, error: unknown): void {
    if (isFault(error)) this.#link.send({ kind: "fault", id, code: error.code, message: error.message });
    else this.#link.send({ kind: "failure", id, stack: error instanceof Error ? `${error.stack}` : String(error) });
  }
}

/** The host reads the signal of what begins to wait; the front need not watch any other client. */
class RemoteCaller implements Caller {
  readonly #wait: () => AbortSignal;

  constructor(wait: () => AbortSignal) {
    this.#wait = wait;
  }

  get signal(): AbortSignal {
    return this.#wait();
  }
}
