// A link shortener over HTTP: GET /CODE answers 302 and tells the world, through a topic, that the link was clicked.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PublishCommand, type SNSClient } from "@aws-sdk/client-sns";

/** An event in EventBridge's shape. */
export interface LinkEvent {
  version: "0";
  id: string;
  "detail-type": "link.created" | "link.clicked";
  source: "links";
  account: string;
  /** UTC, to the second. */
  time: string;
  region: string;
  resources: string[];
  detail: { code?: string };
}

export interface LinkService {
  endpoint: string;
  /** Makes a short link, and publishes `link.created`. */
  add(code: string, target: string): Promise<void>;
  stop(): void;
}

export async function startLinkService(publish: (event: LinkEvent) => Promise<void>): Promise<LinkService> {
  const targets = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const code = (request.url ?? "").slice(1);
    const target = targets.get(code);
    if (target === undefined) return void response.writeHead(404).end();
    // A click that cannot be told must not keep anybody from the page.
    await publish(linkEvent("link.clicked", { code })).catch((error) => console.error(error));
    // A browser that remembers the answer would not click again.
    response.writeHead(302, { location: target, "cache-control": "no-store" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(code, target) {
      targets.set(code, target);
      await publish(linkEvent("link.created", { code }));
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function linkEvent(type: LinkEvent["detail-type"], detail: LinkEvent["detail"]): LinkEvent {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": type,
    source: "links",
    account: "000000000000",
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region: "us-east-1",
    resources: [],
    detail,
  };
}

/** The topic stands where an event bus would: the body is the event. */
export function publisherTo(sns: SNSClient, TopicArn: string): (event: LinkEvent) => Promise<void> {
  return async (event) => void (await sns.send(new PublishCommand({ TopicArn, Message: JSON.stringify(event) })));
}
