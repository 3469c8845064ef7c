// HTTP endpoints that confirm their subscription and then answer, answer late, or are gone.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { SnsClient } from "./sns-client.ts";

export type EndpointKind = "answering" | "slow" | "dead";

const SLOW_MS = 2000;

/** Subscribes and confirms `count` endpoints of a kind; the answer ends them. A dead one refuses connections from then on. */
export async function subscribeEndpoints(
  sns: SnsClient,
  topicArn: string,
  kind: EndpointKind,
  count: number,
): Promise<() => void> {
  const tokens: string[] = [];
  let arrived = () => {};
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    request.on("end", () => {
      const isConfirmation = request.headers["x-amz-sns-message-type"] === "SubscriptionConfirmation";
      if (isConfirmation) tokens.push((JSON.parse(text) as { Token: string }).Token);
      setTimeout(() => response.end(), !isConfirmation && kind === "slow" ? SLOW_MS : 0);
      arrived();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  for (let index = 0; index < count; index++) {
    const Endpoint = `http://127.0.0.1:${port}/${index}`;
    const asked = { TopicArn: topicArn, Protocol: "http", Endpoint, ReturnSubscriptionArn: "true" };
    await sns.call("Subscribe", asked, "SubscriptionArn");
    while (tokens.length <= index) {
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
    const Token = tokens[index] as string;
    await sns.call("ConfirmSubscription", { TopicArn: topicArn, Token }, "SubscriptionArn");
  }
  const end = () => {
    server.close();
    server.closeAllConnections();
  };
  if (kind === "dead") end();
  return end;
}
