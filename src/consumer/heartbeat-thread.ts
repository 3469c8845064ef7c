// The heartbeat in a thread of its own, with a client of its own: it goes on beating while a handler blocks the event
// loop. This half lives in the consumer's thread and passes messages; heartbeat-worker.ts is the other.

import { Worker } from "node:worker_threads";
import type { HeartbeatNews, HeartbeatPort, HeartbeatSettings, Lease } from "./heartbeat.ts";
import type { ClientConnection, QueuePort } from "./queue-port.ts";

export type ToThread =
  | { kind: "connect"; connection: ClientConnection; settings: HeartbeatSettings }
  | { kind: "hold"; lease: Lease }
  | { kind: "update"; key: number; change: { receipt?: string; untilMs: number } }
  | { kind: "release"; key: number }
  | { kind: "close" };

export type FromThread = { kind: "news"; news: HeartbeatNews } | { kind: "released"; key: number } | { kind: "closed" };

/** Temporary credentials are passed on anew this long before they end. */
const RENEW_BEFORE_MS = 5 * 60_000;
const RENEW_AFTER_FAILURE_MS = 30_000;

export class ThreadHeartbeat implements HeartbeatPort {
  readonly #worker: Worker;
  readonly #tell: (news: HeartbeatNews) => void;
  readonly #releasing = new Map<number, () => void>();
  readonly #closed: Promise<void>;
  #renewal: NodeJS.Timeout | undefined;
  #isClosing = false;
  #hasEnded = false;

  private constructor(worker: Worker, tell: (news: HeartbeatNews) => void) {
    this.#worker = worker;
    this.#tell = tell;
    worker.on("message", (message: FromThread) => this.#take(message));
    worker.on("error", (error) => tell({ kind: "failed", messageIds: [], error }));
    this.#closed = new Promise((resolve) => worker.once("exit", () => resolve()));
    void this.#closed.then(() => this.#ended());
  }

  /** Rejects when the client cannot say how it is connected. */
  static async start(
    port: QueuePort,
    settings: HeartbeatSettings,
    tell: (news: HeartbeatNews) => void,
  ): Promise<ThreadHeartbeat> {
    if (port.connection === undefined) {
      throw new Error("heartbeat.thread needs an AWS SDK client: another one cannot be opened again in a thread.");
    }
    const connection = await port.connection();
    const heartbeat = new ThreadHeartbeat(new Worker(new URL("./heartbeat-worker.js", import.meta.url)), tell);
    heartbeat.#connect(port, settings, connection);
    return heartbeat;
  }

  hold(lease: Lease): void {
    this.#send({ kind: "hold", lease });
  }

  update(key: number, change: { receipt?: string; untilMs: number }): void {
    this.#send({ kind: "update", key, change });
  }

  release(key: number): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((resolve) => {
      this.#releasing.set(key, resolve);
      this.#send({ kind: "release", key });
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#renewal);
    this.#send({ kind: "close" });
    await this.#closed;
  }

  #connect(port: QueuePort, settings: HeartbeatSettings, connection: ClientConnection): void {
    this.#send({ kind: "connect", connection, settings });
    const { credentialsExpireAtMs } = connection;
    if (credentialsExpireAtMs === undefined) return;
    const renewInMs = Math.max(RENEW_AFTER_FAILURE_MS, credentialsExpireAtMs - Date.now() - RENEW_BEFORE_MS);
    this.#renewLater(port, settings, renewInMs);
  }

  #renewLater(port: QueuePort, settings: HeartbeatSettings, inMs: number): void {
    // Credentials end by the world's clock, also where a test moves the consumer's.
    this.#renewal = setTimeout(() => {
      port.connection?.().then(
        (connection) => this.#connect(port, settings, connection),
        (error: unknown) => {
          this.#tell({ kind: "failed", messageIds: [], error });
          this.#renewLater(port, settings, RENEW_AFTER_FAILURE_MS);
        },
      );
    }, inMs).unref();
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromThread): void {
    if (message.kind === "news") this.#tell(message.news);
    if (message.kind === "released") {
      this.#releasing.get(message.key)?.();
      this.#releasing.delete(message.key);
    }
  }

  /** A thread that has ended extends nothing any more. Messages then come back when their visibility timeout ends. */
  #ended(): void {
    this.#hasEnded = true;
    for (const resolve of this.#releasing.values()) resolve();
    this.#releasing.clear();
    if (this.#isClosing) return;
    this.#tell({
      kind: "failed",
      messageIds: [],
      error: new Error("The heartbeat's thread ended; nothing is extended."),
    });
  }
}
