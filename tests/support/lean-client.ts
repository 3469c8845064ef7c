// The smallest SQS client that works: one keep-alive socket, one JSON request at a time, no SDK in between. It retries
// nothing and knows exactly what it does not know: a request whose answer did not come rejects with ConnectionLost, and
// may or may not have been carried out.

import { connect, type Socket } from "node:net";

export interface Answer {
  status: number;
  /** Parsed JSON; `{}` for an empty body. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are the wire's, and each caller knows which one it asked for
  body: any;
}

export class ConnectionLost extends Error {}

/** An answer that is not 200, for callers that expect one. */
export class Refused extends Error {
  readonly status: number;
  /** Without its namespace. */
  readonly code: string;

  constructor(action: string, { status, body }: Answer) {
    const code = String(body.__type ?? "").replace(/^.*#/, "");
    super(`${action}: ${status} ${code} ${body.message ?? body.Message ?? ""}`);
    this.status = status;
    this.code = code;
  }
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** About what the AWS SDK for JavaScript sends beside the body; the signature is as long as a real one. */
const SDK_HEADERS = [
  "content-type: application/x-amz-json-1.0",
  "x-amz-user-agent: aws-sdk-js/3.1175.0",
  "user-agent: aws-sdk-js/3.1175.0 ua/2.1 os/linux#6.1.0 lang/js md/nodejs#20.20.2 api/sqs#3.1175.0 m/E,N",
  "amz-sdk-invocation-id: 5c2a1f6e-8a35-4b0c-9f5c-3d1f2b7c9a10",
  "amz-sdk-request: attempt=1; max=3",
  "x-amz-date: 20260101T000000Z",
  `x-amz-content-sha256: ${"0".repeat(64)}`,
  "authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sqs/aws4_request, " +
    `SignedHeaders=amz-sdk-invocation-id;amz-sdk-request;content-type;host;x-amz-content-sha256;x-amz-date, Signature=${"0".repeat(64)}`,
].join("\r\n");

export class LeanClient {
  readonly #host: string;
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (answer: { status: number; body: Buffer }) => void; reject: (error: Error) => void } | undefined;

  constructor(endpoint: string) {
    const { hostname, port } = new URL(endpoint);
    this.#host = hostname;
    this.#port = Number(port);
  }

  /** Whatever the answer is. */
  async ask(action: string, input: object): Promise<Answer> {
    const { status, body } = await this.send(this.encode(action, input));
    return { status, body: body.length === 0 ? {} : JSON.parse(body.toString("utf8")) };
  }

  /** The answer's body; throws Refused when it is an error. */
  async call(action: string, input: object): Promise<Answer["body"]> {
    const answer = await this.ask(action, input);
    if (answer.status !== 200) throw new Refused(action, answer);
    return answer.body;
  }

  /** A request ready to be sent, also many times. */
  encode(action: string, input: object): Buffer {
    const body = Buffer.from(JSON.stringify(input), "utf8");
    const head =
      `POST / HTTP/1.1\r\nhost: ${this.#host}:${this.#port}\r\nx-amz-target: AmazonSQS.${action}\r\n` +
      `content-length: ${body.length}\r\n${SDK_HEADERS}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head, "latin1"), body]);
  }

  async send(request: Buffer): Promise<{ status: number; body: Buffer }> {
    if (this.#waiting !== undefined) throw new Error("one request at a time");
    const socket = this.#socket ?? this.#open();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#lose("closed by its owner");
  }

  #open(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      if (this.#socket === socket) this.#take(chunk);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (this.#socket === socket) this.#lose("the connection was lost");
    });
    return socket;
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const bodyStart = headEnd + HEAD_END.length;
    if (this.#received.length < bodyStart + length) return;
    const body = this.#received.subarray(bodyStart, bodyStart + length);
    this.#received = this.#received.subarray(bodyStart + length);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (/\r\nconnection: *close/i.test(head)) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    waiting?.resolve({ status: Number(head.slice(9, 12)), body });
  }

  #lose(reason: string): void {
    this.#socket = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(new ConnectionLost(reason));
  }
}
