// The parent's end of the load generator: one order at a time, each answered or failed.

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Reply } from "../load/main.ts";
import type { Order, ResultOf } from "../load/orders.ts";
import { pin } from "./processes.ts";

const program = fileURLToPath(new URL("../load/main.js", import.meta.url));
const ORDER_MS_MAX = 300_000;

export class LoadProcess {
  readonly #core: number | undefined;
  #child: ChildProcess | undefined;

  /** Pinned to `core`, when there is one. */
  constructor(core: number | undefined) {
    this.#core = core;
  }

  /** Rejects with what the load generator says was wrong; a hanging server counts as wrong. */
  ask<Asked extends Order>(order: Asked): Promise<ResultOf[Asked["kind"]]> {
    const child = this.#child ?? this.#start();
    return new Promise((resolve, reject) => {
      const finish = (then: () => void) => {
        clearTimeout(timer);
        child.off("message", onMessage);
        child.off("exit", onExit);
        then();
      };
      const onMessage = (reply: Reply) =>
        finish(() =>
          "error" in reply ? reject(new Error(reply.error)) : resolve(reply.result as ResultOf[Asked["kind"]]),
        );
      const onExit = (code: number | null) => {
        this.#child = undefined;
        finish(() => reject(new Error(`the load generator ended with ${code}`)));
      };
      const timer = setTimeout(() => {
        this.stop();
        finish(() => reject(new Error(`no result after ${ORDER_MS_MAX / 1000} s`)));
      }, ORDER_MS_MAX);
      child.on("message", onMessage);
      child.on("exit", onExit);
      child.send(order);
    });
  }

  stop(): void {
    this.#child?.removeAllListeners();
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #start(): ChildProcess {
    const child = fork(program, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    if (this.#core !== undefined) pin(child.pid as number, this.#core);
    this.#child = child;
    return child;
  }
}
