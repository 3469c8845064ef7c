// Requests by hand, for what SDKs hide: exact headers, paths and bytes on the way in and on the way out.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { request as openRequest } from "node:http";
import { connect } from "node:net";

export interface Exchange {
  /** Default POST. */
  method?: string;
  /** Path and query as they go out; default `/`. */
  path?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export const JSON_TYPE = "application/x-amz-json-1.0";
export const FORM_TYPE = "application/x-www-form-urlencoded";

export function exchange(endpoint: string, { method = "POST", path = "/", headers = {}, body }: Exchange) {
  const { hostname, port } = new URL(endpoint);
  return new Promise<Answer>((resolve, reject) => {
    const request = openRequest({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** A JSON request as SDKs of before November 2024 send it, without x-amzn-query-mode, unless `headers` say so. */
export function json(endpoint: string, action: string, input: unknown, headers: OutgoingHttpHeaders = {}) {
  const body = typeof input === "string" || input instanceof Uint8Array ? input : JSON.stringify(input);
  return exchange(endpoint, {
    headers: { "content-type": JSON_TYPE, "x-amz-target": `AmazonSQS.${action}`, ...headers },
    body,
  });
}

export type Fields = Record<string, string | number>;

/** A Query request as a form. */
export function query(endpoint: string, fields: Fields, given: Exchange = {}) {
  const headers = { "content-type": FORM_TYPE, ...given.headers };
  return exchange(endpoint, { body: formOf(fields), ...given, headers });
}

/** A Query request by GET. */
export function get(endpoint: string, path: string, fields: Fields, headers: OutgoingHttpHeaders = {}) {
  return exchange(endpoint, { method: "GET", path: `${path}?${formOf(fields)}`, headers });
}

export function formOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}

/** The Authorization header of a caller; signatures are not checked. */
export function signedBy(accessKey: string, region = "us-east-1"): OutgoingHttpHeaders {
  const scope = `${accessKey}/20260101/${region}/sqs/aws4_request`;
  return { authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0a1b` };
}

/** The text inside the first such element, entities and all; undefined when there is none. */
export function elementText({ text }: Answer, name: string): string | undefined {
  return new RegExp(`<${name}(?: [^>]*)?>([^]*?)</${name}>`).exec(text)?.[1];
}

/** Writes bytes to a new connection and gives back all that comes until the server closes it. */
export function converse(endpoint: string, ...writes: (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      for (const write of writes) socket.write(write);
    });
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
  });
}
