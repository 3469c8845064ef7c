// HTTP endpoints that confirm their subscription and then answer, answer late, or are gone.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { EndpointThreadData, EndpointThreadMessage } from "./endpoint-thread.ts";
import type { SnsClient } from "./sns-client.ts";

export type EndpointKind = "answering" | "slow" | "dead";

const SLOW_MS = 2000;

export interface Endpoints {
  /** Notifications that all of them had. */
  readonly notified: number;
  end(): Promise<void>;
}

/** Subscribes and confirms `count` endpoints of a kind. A dead one refuses connections from then on. */
export async function subscribeEndpoints(
  sns: SnsClient,
  topicArn: string,
  kind: EndpointKind,
  count: number,
): Promise<Endpoints> {
  const notified = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: EndpointThreadData = { answerAfterMs: kind === "slow" ? SLOW_MS : 0, notified };
  const thread = new Worker(new URL("./endpoint-thread.js", import.meta.url), { workerData });
  const { port } = await told<{ port: number }>(thread);
  for (let index = 0; index < count; index++) {
    const Endpoint = `http://127.0.0.1:${port}/${index}`;
    const asked = { TopicArn: topicArn, Protocol: "http", Endpoint, ReturnSubscriptionArn: "true" };
    const confirmation = told<{ token: string }>(thread);
    await sns.call("Subscribe", asked, "SubscriptionArn");
    const { token: Token } = await confirmation;
    await sns.call("ConfirmSubscription", { TopicArn: topicArn, Token }, "SubscriptionArn");
  }
  const end = async () => void (await thread.terminate());
  if (kind === "dead") await end();
  return {
    get notified() {
      return Atomics.load(notified, 0);
    },
    end,
  };
}

/** The thread's next message. */
async function told<Message extends EndpointThreadMessage>(thread: Worker): Promise<Message> {
  const [message] = (await once(thread, "message")) as [Message];
  return message;
}
