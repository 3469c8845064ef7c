// Posts to endpoints over http and https. Each endpoint has connections of its own, kept alive and bounded in number,
// so that one that does not answer holds up nobody else. An exchange ends with the answer's status: the rest of the
// answer is read so that the connection can be used again, up to a bound, and dropped.

import { setMaxListeners } from "node:events";
import http from "node:http";
import https from "node:https";
import { isIP, type Socket } from "node:net";
import type { OutboundPost, OutboundResult } from "../../host/index.ts";
import { AddressDenied, GuardedLookup, type Resolve } from "./guarded-lookup.ts";
import type { NetworkRules } from "./network-rules.ts";
import { type PostTarget, readPostTarget } from "./post-target.ts";

const KiB = 1024;
/** More of an answer is not read: the connection is closed instead. */
const ANSWER_BYTES_MAX = 64 * KiB;
const SOCKETS_PER_ENDPOINT_MAX = 64;
/** As many as a subscription uses at once: with fewer, each burst would open connections and close them again. */
const IDLE_SOCKETS_PER_ENDPOINT_MAX = 10;
/** Less than the 5 s after which many servers close an idle connection. */
const IDLE_MS = 4_000;
const CONNECT_MS = 5_000;

export interface HttpPosterOptions {
  rules: NetworkRules;
  /** Certificates to trust, as PEM; absent: those that come with Node. */
  ca?: string[];
  connectMs?: number;
  resolve?: Resolve;
}

/** What agents are given with a request, besides what Node knows of. */
type EndpointOptions = { endpoint?: string };

class HttpAgent extends http.Agent {
  override getName(options?: http.ClientRequestArgs & EndpointOptions): string {
    return `${super.getName(options)}|${options?.endpoint}`;
  }
}

class HttpsAgent extends https.Agent {
  override getName(options?: https.RequestOptions & EndpointOptions): string {
    return `${super.getName(options)}|${options?.endpoint}`;
  }
}

export class HttpPoster {
  readonly #options: HttpPosterOptions;
  readonly #httpAgent: http.Agent;
  readonly #httpsAgent: https.Agent;

  constructor(options: HttpPosterOptions) {
    this.#options = options;
    const { lookup } = new GuardedLookup(options.rules, options.resolve);
    const shared = {
      keepAlive: true,
      maxSockets: SOCKETS_PER_ENDPOINT_MAX,
      maxFreeSockets: IDLE_SOCKETS_PER_ENDPOINT_MAX,
      timeout: IDLE_MS,
      lookup,
    };
    this.#httpAgent = new HttpAgent(shared);
    this.#httpsAgent = new HttpsAgent({ ...shared, ...(options.ca === undefined ? {} : { ca: options.ca }) });
  }

  /** Never rejects. */
  async post(post: OutboundPost, signal: AbortSignal): Promise<OutboundResult> {
    const target = readPostTarget(post.url);
    if (target === undefined) return failed("The endpoint is not an http or https URL.", true);
    // Sockets ask no lookup about an address, so it is looked at here.
    const denied = isIP(target.host) === 0 ? undefined : this.#options.rules.refuse(target.host);
    if (denied !== undefined) return failed(denied, true);
    const deadlineMs = performance.now() + post.timeoutMs;
    const first = await this.#exchange(target, post, post.timeoutMs, signal);
    if (first !== "stale") return first;
    const again = await this.#exchange(target, post, deadlineMs - performance.now(), signal);
    return again === "stale" ? failed("The endpoint closes connections without an answer.", false) : again;
  }

  /** Closes every connection; requests under way fail. */
  close(): void {
    this.#httpAgent.destroy();
    this.#httpsAgent.destroy();
  }

  /** `stale`: the endpoint closed a kept connection when it was used again, most likely without having read the request. */
  #exchange(
    target: PostTarget,
    post: OutboundPost,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<OutboundResult | "stale"> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(failed(STOPPING, false));
      let request: http.ClientRequest;
      try {
        request = this.#request(target, post);
      } catch (error) {
        // Header values that HTTP cannot carry.
        return resolve(failed(`The request cannot be made: ${(error as Error).message}.`, true));
      }
      let answer: OutboundResult | undefined;
      let isSettled = false;
      const settle = (result: OutboundResult | "stale", isReusable = false) => {
        // A connection that is given back may serve another request by the time that this one's last events come.
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        if (!isReusable) request.destroy();
        // Once there is a status, nothing that happens to the rest of the answer matters.
        resolve(answer ?? result);
      };
      const onAbort = () => settle(failed(STOPPING, false));
      const timer = setTimeout(() => settle(failed(inTime(post.timeoutMs), false)), timeoutMs);
      // One signal stops many exchanges at once; Node warns of more than ten as of a leak.
      setMaxListeners(0, signal);
      signal.addEventListener("abort", onAbort);
      request.on("socket", (socket) => limitConnecting(socket, this.#options.connectMs ?? CONNECT_MS));
      request.on("error", (error) => {
        const isCut = ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");
        settle(
          isCut && request.reusedSocket ? "stale" : failed(inWords(error, target), error instanceof AddressDenied),
        );
      });
      request.on("close", () => settle(failed("The endpoint closed the connection without an answer.", false)));
      request.on("response", (response) => {
        const answered: OutboundResult = { is: "answered", status: response.statusCode ?? 0 };
        answer = answered;
        drain(response, (isWhole) => settle(answered, isWhole));
      });
      request.end(post.body);
    });
  }

  #request(target: PostTarget, post: OutboundPost): http.ClientRequest {
    const { secure, host, port, path, authority, authorization } = target;
    const options: http.RequestOptions & EndpointOptions = {
      method: "POST",
      host,
      port,
      path,
      endpoint: post.url,
      agent: secure ? this.#httpsAgent : this.#httpAgent,
      headers: {
        Host: authority,
        ...post.headers,
        ...(authorization === undefined ? {} : { Authorization: authorization }),
        "Content-Length": Buffer.byteLength(post.body),
      },
    };
    return secure ? https.request(options) : http.request(options);
  }
}

const STOPPING = "The server is stopping.";

function failed(reason: string, forGood: boolean): OutboundResult {
  return { is: "failed", reason, forGood };
}

function inTime(timeoutMs: number): string {
  return `The endpoint did not answer within ${timeoutMs / 1000} s.`;
}

function limitConnecting(socket: Socket, connectMs: number): void {
  if (!socket.connecting) return;
  const timer = setTimeout(
    () => socket.destroy(new Error(`There was no connection within ${connectMs / 1000} s`)),
    connectMs,
  );
  socket.once("connect", () => clearTimeout(timer));
  socket.once("close", () => clearTimeout(timer));
}

/** The first call of `done` counts: with true when the whole answer was read, so that its connection can be used again. */
function drain(response: http.IncomingMessage, done: (isWhole: boolean) => void): void {
  let bytes = 0;
  response.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) done(false);
  });
  response.on("end", () => done(true));
  response.on("error", () => done(false));
  response.on("close", () => done(false));
}

function inWords(error: Error, { host }: PostTarget): string {
  if (error instanceof AddressDenied) return error.message;
  // Several addresses were tried: they rarely fail for different reasons.
  const cause = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  const { code } = cause as NodeJS.ErrnoException;
  switch (code) {
    case "ENOTFOUND":
      return `The name ${host} is not known.`;
    case "EAI_AGAIN":
      return `The name ${host} could not be looked up just now.`;
    case "ECONNREFUSED":
      return `${host} refused the connection: nothing listens there.`;
    case "ECONNRESET":
      return `${host} cut the connection.`;
    default:
      return `The connection to ${host} failed: ${cause.message}.`;
  }
}
