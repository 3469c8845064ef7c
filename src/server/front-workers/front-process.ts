// One front process, as the main process sees it: starting, then serving, then ended; closing is a way to end.

import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { Fault } from "../../base/fault.ts";
import type { LogSink } from "../log-sink.ts";
import { AskedWork, type WorkDoers } from "./asked-work.ts";
import { type FromFront, type FrontStart, LINK_FD, type ToFront } from "./messages.ts";

/** The bundle has it beside this module too: scripts/bundle-program.ts sees to it. */
const program = fileURLToPath(new URL("./front-program.js", import.meta.url));

/** What a front may take to end after it has nothing left to do. */
const END_MS = 2_000;

export class FrontProcess {
  readonly startedAtMs = performance.now();
  /** Resolves once it serves; rejects with a Fault when it ends first. */
  readonly ready: Promise<void>;
  /** Resolves with how it ended, in words. */
  readonly ended: Promise<string>;
  isReady = false;
  readonly #child: ChildProcess;
  /**
   * Handed over and not yet taken, the oldest first. They stay open here until then: node would leave those on their way
   * to a process that ends open for ever.
   */
  readonly #given: Socket[] = [];

  constructor(start: FrontStart, doers: WorkDoers, log: LogSink) {
    const child = fork(program, [], {
      stdio: ["ignore", "inherit", "inherit", "ipc", "pipe"],
      // Not the debugger's port and the like; what is meant for all processes is in NODE_OPTIONS.
      execArgv: [],
    });
    this.#child = child;
    // Undefined when there was no process to give it to.
    const pipe = child.stdio[LINK_FD] as Duplex | null | undefined;
    const work = pipe == null ? undefined : new AskedWork(pipe, doers);
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.isReady = false;
        work?.abandon();
        for (const socket of this.#given.splice(0)) socket.destroy();
        // One that was on its way keeps the channel open, which must not keep this process.
        child.channel?.unref();
        resolve(how);
      };
      child.on("error", (error) => {
        // Else a message could not be sent, which its end will explain.
        if (child.pid === undefined) end(error.message);
      });
      child.once("exit", (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
    this.ready = new Promise((resolve, reject) => {
      child.on("message", (message: FromFront) => {
        switch (message.kind) {
          case "log":
            return log(message.level, message.text, message.details);
          case "taken":
            return void this.#given.shift()?.destroy();
          case "ready":
            this.isReady = true;
            return resolve();
        }
      });
      void this.ended.then((how) => reject(startFault(how)));
    });
    this.ready.catch(() => {});
    this.#tell({ kind: "start", ...start });
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The socket is its own from now on. */
  give(socket: Socket): void {
    this.#given.push(socket);
    // What cannot be sent is closed when the process has ended, which is why.
    this.#child.send({ kind: "connection" } satisfies ToFront, socket, { keepOpen: true }, () => {});
  }

  /** As a front's close. Resolves when the process is gone. */
  async close(drainMs: number): Promise<void> {
    this.#tell({ kind: "close", drainMs });
    const deadline = setTimeout(() => this.#child.kill("SIGKILL"), drainMs + END_MS);
    await this.ended;
    clearTimeout(deadline);
  }

  #tell(message: ToFront): void {
    // Fails only when it has ended, which is seen anyway.
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}

function startFault(how: string): Fault {
  return new Fault(
    "SettingInvalid",
    `A front process ended before it served (${how}). Start with --workers 0 to serve from one process.`,
  );
}
