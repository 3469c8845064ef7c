// A front that is several processes. The main process listens and hands each connection to the next of them; one that
// ends takes its connections with it and is replaced, after a rest that doubles while they end soon.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { HttpFront } from "../http-front.ts";
import { authorityOf, listenFault } from "../listening.ts";
import type { LogSink } from "../log-sink.ts";
import type { WorkDoers } from "./asked-work.ts";
import { FrontProcess } from "./front-process.ts";
import type { FrontStart } from "./messages.ts";

const REST_MS_MIN = 100;
const REST_MS_MAX = 10_000;
/** A front that lived for this long ended for a reason of its own. */
const LIFE_MS_MIN = 60_000;
/** Connections that wait while no front serves; more are cut. */
const WAITING_MAX = 1024;

export interface FrontPoolOptions {
  processes: number;
  start: Omit<FrontStart, "authority">;
  doers: WorkDoers;
  log: LogSink;
}

export class FrontPool implements HttpFront {
  readonly #options: FrontPoolOptions;
  readonly #server: Server;
  readonly #fronts = new Set<FrontProcess>();
  /** Nothing has been read from them. */
  readonly #waiting: Socket[] = [];
  readonly #rests = new Set<NodeJS.Timeout>();
  #restMs = REST_MS_MIN;
  #authority = "";
  #isClosing = false;

  constructor(options: FrontPoolOptions) {
    this.#options = options;
    // What comes is the front's to read.
    this.#server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, (socket) =>
      this.#place(socket),
    );
  }

  /** Of those that serve or start. */
  get pids(): number[] {
    return [...this.#fronts].flatMap(({ pid }) => pid ?? []);
  }

  async listen(host: string, port: number): Promise<{ port: number }> {
    const taken = await new Promise<number>((resolve, reject) => {
      this.#server.once("error", (error: NodeJS.ErrnoException) => reject(listenFault(error, host, port)));
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
    this.#authority = authorityOf(host, taken);
    const starting = Array.from({ length: this.#options.processes }, () => this.#start().ready);
    try {
      await Promise.all(starting);
    } catch (error) {
      await this.close(0);
      throw error;
    }
    return { port: taken };
  }

  async close(drainMs: number): Promise<void> {
    this.#isClosing = true;
    this.#server.close();
    for (const rest of this.#rests) clearTimeout(rest);
    for (const socket of this.#waiting.splice(0)) socket.destroy();
    await Promise.all([...this.#fronts].map((front) => front.close(drainMs)));
  }

  #start(): FrontProcess {
    const { start, doers, log } = this.#options;
    const front = new FrontProcess({ ...start, authority: this.#authority }, doers, log);
    this.#fronts.add(front);
    front.ready.then(
      () => this.#placeWaiting(),
      () => {},
    );
    void front.ended.then((how) => this.#replace(front, how));
    return front;
  }

  #replace(front: FrontProcess, how: string): void {
    this.#fronts.delete(front);
    if (this.#isClosing) return;
    const livedMs = performance.now() - front.startedAtMs;
    this.#restMs = livedMs < LIFE_MS_MIN ? Math.min(2 * this.#restMs, REST_MS_MAX) : REST_MS_MIN;
    this.#options.log("warn", "A front process ended, and its connections with it. Another one is started.", {
      pid: front.pid,
      how,
      restMs: this.#restMs,
    });
    const rest = setTimeout(() => {
      this.#rests.delete(rest);
      this.#start();
    }, this.#restMs);
    this.#rests.add(rest);
  }

  #placeWaiting(): void {
    for (const socket of this.#waiting.splice(0)) this.#place(socket);
  }

  #place(socket: Socket): void {
    // The next in turn goes to the end.
    for (const front of this.#fronts) {
      if (!front.isReady) continue;
      this.#fronts.delete(front);
      this.#fronts.add(front);
      return front.give(socket);
    }
    if (this.#isClosing || this.#waiting.length >= WAITING_MAX) socket.destroy();
    else this.#waiting.push(socket);
  }
}
