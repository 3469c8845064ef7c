// The Node runtime's one connection to the Runtime API. A few lines of HTTP/1.1 over a socket instead of a client: the
// answer asks for the next invocation at once, by a header of our own, which saves half the work on both sides. The API
// answers in order and always names the length, so that is all that is understood.

import type { Socket } from "node:net";
import { createConnection } from "node:net";

export interface RuntimeConnection {
  next(): void;
  /** `path` below /2018-06-01/runtime/. */
  postAndNext(path: string, body: string, errorType: string | undefined): void;
  /** `done` is called when the API has taken it. */
  post(path: string, body: string, errorType: string, done: () => void): void;
  /** Whether the connection keeps the event loop alive. */
  hold(): void;
  release(): void;
}

const HEAD_END = "\r\n\r\n";
const PREFIX = "/2018-06-01/runtime/";

/** The process ends when the connection does: then nobody waits for it any more. */
export function connect(
  authority: string,
  onInvocation: (headers: Map<string, string>, body: Buffer) => void,
): RuntimeConnection {
  const [host = "", port] = authority.split(":");
  const socket: Socket = createConnection({ host, port: Number(port), noDelay: true });
  const onTaken: (() => void)[] = [];
  let received: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    for (let answer = cutAnswer(received); answer !== undefined; answer = cutAnswer(received)) {
      received = answer.rest;
      if (answer.headers.has("lambda-runtime-aws-request-id")) onInvocation(answer.headers, answer.body);
      else (onTaken.shift() ?? next)();
    }
  });
  socket.on("error", () => {});
  socket.on("close", () => process.exit(1));
  const next = () => {
    socket.write(`GET ${PREFIX}invocation/next HTTP/1.1\r\nhost: ${authority}${HEAD_END}`);
  };
  const post = (path: string, body: string, errorType: string | undefined, more: string) => {
    const error = errorType === undefined ? "" : `\r\nlambda-runtime-function-error-type: ${headerSafe(errorType)}`;
    socket.write(
      `POST ${PREFIX}${path} HTTP/1.1\r\nhost: ${authority}\r\ncontent-type: application/json` +
        `\r\ncontent-length: ${Buffer.byteLength(body)}${error}${more}${HEAD_END}${body}`,
    );
  };
  return {
    next,
    // Refused (too large, say), it is answered without an invocation: then the question is asked by itself.
    postAndNext: (path, body, errorType) => post(path, body, errorType, "\r\nmillpond-and-next: 1"),
    post(path, body, errorType, done) {
      onTaken.push(done);
      post(path, body, errorType, "");
    },
    hold: () => void socket.ref(),
    release: () => void socket.unref(),
  };
}

interface Answer {
  headers: Map<string, string>;
  body: Buffer;
  rest: Buffer;
}

function cutAnswer(received: Buffer): Answer | undefined {
  const headBytes = received.indexOf(HEAD_END);
  if (headBytes < 0) return undefined;
  const headers = new Map<string, string>();
  for (const line of received.toString("latin1", 0, headBytes).split("\r\n")) {
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const bodyAt = headBytes + HEAD_END.length;
  const bodyEnd = bodyAt + Number(headers.get("content-length") ?? 0);
  if (received.length < bodyEnd) return undefined;
  return { headers, body: received.subarray(bodyAt, bodyEnd), rest: received.subarray(bodyEnd) };
}

function headerSafe(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}
