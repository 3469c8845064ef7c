// HTTP endpoints that a topic delivers to: one that answers, one that takes its time, and one that is gone.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfirmSubscriptionCommand, type SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";

export type Behaviour = "answering" | "slow" | "dead";

const SLOW_MS = 2000;

export interface Endpoint {
  /** Notifications that came. */
  count(): number;
  close(): void;
}

/** Subscribed and confirmed when it resolves; a dead one refuses connections from then on. */
export async function subscribeEndpoint(sns: SNSClient, TopicArn: string, behaviour: Behaviour): Promise<Endpoint> {
  let count = 0;
  let confirmed = (): void => undefined;
  const confirmation = new Promise<void>((resolve) => {
    confirmed = resolve;
  });
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    request.on("end", () => {
      if (request.headers["x-amz-sns-message-type"] === "SubscriptionConfirmation") {
        response.end();
        const { Token } = JSON.parse(text) as { Token: string };
        void sns.send(new ConfirmSubscriptionCommand({ TopicArn, Token })).then(confirmed);
        return;
      }
      count += 1;
      answer(response, behaviour);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await sns.send(new SubscribeCommand({ TopicArn, Protocol: "http", Endpoint: `http://127.0.0.1:${port}/` }));
  await confirmation;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  if (behaviour === "dead") close();
  return { count: () => count, close };
}

function answer(response: ServerResponse, behaviour: Behaviour): void {
  if (behaviour === "slow") setTimeout(() => response.end(), SLOW_MS);
  else response.end();
}
