// The test's end of a client process (client-program.ts).

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Journal } from "./journal.ts";

export const STANDARD = "jobs";
export const FIFO = "turns.fifo";
export const VISIBILITY_MS = 3000;

export type Order =
  | { is: "begin"; name: string; seed: number; endpoint: string }
  | { is: "moved"; endpoint: string }
  | { is: "drain" }
  | { is: "over" };

const PROGRAM = fileURLToPath(new URL("client-program.js", import.meta.url));

export class ClientProcess {
  readonly #child: ChildProcess;
  /** Rejects when the process ends without having handed in its journal. */
  readonly journal: Promise<Journal>;

  constructor() {
    this.#child = fork(PROGRAM, { execArgv: ["--enable-source-maps"], serialization: "advanced" });
    this.journal = new Promise((resolve, reject) => {
      this.#child.once("message", (journal) => resolve(journal as Journal));
      this.#child.once("exit", (code, signal) => {
        const fail = () => reject(new Error(`a client ended by itself: ${code ?? signal}`));
        // A long journal may still be in the channel when its sender is gone.
        if (this.#child.connected) this.#child.once("disconnect", fail);
        else setImmediate(fail);
      });
    });
    this.journal.catch(() => undefined);
  }

  tell(order: Order): void {
    if (this.#child.connected) this.#child.send(order);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
