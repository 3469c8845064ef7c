// The HTTP server of all endpoints of a case, in a thread of its own: what it does to read a notification must not keep
// the publisher's clock waiting. Tells its port first, then the token of each confirmation that it is asked for.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

export interface EndpointThreadData {
  /** Before each answer to a notification. */
  answerAfterMs: number;
  /** One number, shared: notifications that came whole. */
  notified: Int32Array;
}

export type EndpointThreadMessage = { port: number } | { token: string };

const { answerAfterMs, notified } = workerData as EndpointThreadData;
const tell = (message: EndpointThreadMessage) => parentPort?.postMessage(message);

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  request.on("end", () => {
    if (request.headers["x-amz-sns-message-type"] === "SubscriptionConfirmation") {
      tell({ token: (JSON.parse(text) as { Token: string }).Token });
      response.end();
      return;
    }
    Atomics.add(notified, 0, 1);
    if (answerAfterMs === 0) response.end();
    else setTimeout(() => response.end(), answerAfterMs);
  });
});
server.listen(0, "127.0.0.1", () => tell({ port: (server.address() as AddressInfo).port }));
