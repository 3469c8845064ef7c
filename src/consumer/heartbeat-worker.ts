// What runs in the heartbeat's thread: the ordinary Heartbeat, on the system's clock and a client of its own.

import { parentPort } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { systemClock } from "../base/clock.ts";
import { connectQueue } from "./aws-client.ts";
import { Heartbeat, type HeartbeatNews } from "./heartbeat.ts";
import type { FromThread, ToThread } from "./heartbeat-thread.ts";
import type { QueuePort } from "./queue-port.ts";

assert(parentPort !== null, "heartbeat-worker runs as a worker thread");
const parent = parentPort;

let heartbeat: Heartbeat | undefined;
let connected: Promise<QueuePort> | undefined;

/** Changes its connection when credentials are renewed. */
const port: Pick<QueuePort, "changeVisibility"> = {
  async changeVisibility(queueUrl, entries) {
    assert(connected !== undefined, "connect comes first");
    return (await connected).changeVisibility(queueUrl, entries);
  },
};

parent.on("message", (message: ToThread) => {
  switch (message.kind) {
    case "connect":
      connected = connectQueue(message.connection);
      // A failure shows at the next beat.
      connected.catch(() => undefined);
      heartbeat ??= new Heartbeat(port as QueuePort, systemClock, message.settings, tell);
      break;
    case "hold":
      heartbeat?.hold(message.lease);
      break;
    case "update":
      heartbeat?.update(message.key, message.change);
      break;
    case "release":
      void heartbeat?.release(message.key).then(() => send({ kind: "released", key: message.key }));
      break;
    case "close":
      void heartbeat?.close().then(() => parent.close());
      break;
  }
});

function tell(news: HeartbeatNews): void {
  // Not every error can be copied to another thread; its words can.
  send({ kind: "news", news: news.kind === "failed" ? { ...news, error: wordsOf(news.error) } : news });
}

function wordsOf(error: unknown): Error {
  const { message, name, code } = error as Partial<Error> & { code?: string };
  return Object.assign(new Error(message ?? code ?? String(error)), { name: name ?? code ?? "Error" });
}

function send(message: FromThread): void {
  parent.postMessage(message);
}
