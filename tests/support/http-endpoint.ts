// A subscriber of the tests' own: an HTTP server on loopback that keeps what it is sent and answers what it is told to.

import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Posted {
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** A notification or confirmation, as JSON. */
export type Notice = Record<string, string>;

export class HttpEndpoint {
  readonly posts: Posted[] = [];
  /** Statuses of the next answers; 200 when there are none left. */
  readonly answers: number[] = [];
  readonly #server: http.Server;
  #arrived: () => void = () => undefined;

  private constructor(server: http.Server) {
    this.#server = server;
  }

  static async start(): Promise<HttpEndpoint> {
    const server = http.createServer();
    const endpoint = new HttpEndpoint(server);
    server.on("request", (request, response) => void endpoint.#take(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return endpoint;
  }

  /** `/` of it; any path will do. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** What came with this value of x-amz-sns-message-type, oldest first. */
  of(type: "SubscriptionConfirmation" | "Notification" | "UnsubscribeConfirmation"): Posted[] {
    return this.posts.filter(({ headers }) => headers["x-amz-sns-message-type"] === type);
  }

  /** Resolves once that many posts have come. */
  async until(count: number): Promise<void> {
    while (this.posts.length < count) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    this.posts.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(this.answers.shift() ?? 200).end();
    this.#arrived();
  }
}

export function noticeOf({ body }: Posted): Notice {
  return JSON.parse(body) as Notice;
}
