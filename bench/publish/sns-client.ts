// SNS on the wire, over the load's plain sockets: forms in, XML out, every answer checked.

import { HttpClient } from "../load/http-client.ts";

const HEADERS = [
  "content-type: application/x-www-form-urlencoded",
  "user-agent: aws-sdk-js/3.1175.0 ua/2.1 os/linux#6.1.0 lang/js md/nodejs#20.20.2 api/sns#3.1175.0 m/E,N",
  "x-amz-date: 20260101T000000Z",
  "authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sns/aws4_request, " +
    `SignedHeaders=content-type;host;x-amz-date, Signature=${"0".repeat(64)}`,
].join("\r\n");

export class SnsClient {
  readonly #http: HttpClient;

  constructor(endpoint: string) {
    this.#http = new HttpClient(endpoint);
  }

  encode(action: string, parameters: Record<string, string>): Buffer {
    const body = new URLSearchParams({ Action: action, Version: "2010-03-31", ...parameters }).toString();
    const { host, port } = this.#http;
    return Buffer.from(
      `POST / HTTP/1.1\r\nhost: ${host}:${port}\r\ncontent-length: ${body.length}\r\n${HEADERS}\r\n\r\n${body}`,
    );
  }

  /** The answer's XML; throws unless it says `messages` published, where that is given. */
  async send(request: Buffer, messages?: number): Promise<string> {
    const { status, body } = await this.#http.send(request);
    const text = body.toString("utf8");
    const published = text.split("<MessageId>").length - 1;
    if (status !== 200 || (messages !== undefined && published !== messages)) {
      throw new Error(`${published} of ${messages} published, the answer was ${status}: ${text.slice(0, 500)}`);
    }
    return text;
  }

  /** Content of the element `wanted` of the answer. */
  async call(action: string, parameters: Record<string, string>, wanted: string): Promise<string> {
    const text = await this.send(this.encode(action, parameters));
    const content = new RegExp(`<${wanted}>(.*?)</${wanted}>`, "s").exec(text)?.[1];
    if (content === undefined) throw new Error(`no ${wanted} in ${text.slice(0, 500)}`);
    return content;
  }

  close(): void {
    this.#http.close();
  }
}
