// SQS on the wire, in both protocols: requests as SDKs send them, and answers read strictly enough to notice a bad one.
// Requests that do not change are encoded once and sent many times.

import type { HttpAnswer, HttpClient } from "./http-client.ts";

export type Protocol = "json" | "query";

export interface ReceivedMessage {
  body: string;
  receiptHandle: string;
}

type Value = string | number | boolean;
export type Input = { [member: string]: Value | readonly Value[] | { [name: string]: Value } | readonly Input[] };

/** What the AWS SDK for JavaScript sends beside the body; the signature is as long as a real one. */
const SDK_HEADERS = [
  "x-amz-user-agent: aws-sdk-js/3.1175.0",
  "user-agent: aws-sdk-js/3.1175.0 ua/2.1 os/linux#6.1.0 lang/js md/nodejs#20.20.2 api/sqs#3.1175.0 m/E,N",
  "amz-sdk-invocation-id: 5c2a1f6e-8a35-4b0c-9f5c-3d1f2b7c9a10",
  "amz-sdk-request: attempt=1; max=3",
  "x-amz-date: 20260101T000000Z",
  `x-amz-content-sha256: ${"0".repeat(64)}`,
  "authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sqs/aws4_request, " +
    "SignedHeaders=amz-sdk-invocation-id;amz-sdk-request;content-type;host;x-amz-content-sha256;x-amz-date, " +
    `Signature=${"0".repeat(64)}`,
].join("\r\n");

/** Members of lists in the Query protocol, where they are written in the singular. */
const QUERY_LIST_NAMES: Readonly<Record<string, string>> = { AttributeNames: "AttributeName", Attributes: "Attribute" };

const XML_ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

export function encode(client: HttpClient, protocol: Protocol, action: string, input: Input): Buffer {
  const isJson = protocol === "json";
  const body = isJson ? JSON.stringify(input) : toForm(action, input);
  const type = isJson
    ? `application/x-amz-json-1.0\r\nx-amz-target: AmazonSQS.${action}`
    : "application/x-www-form-urlencoded";
  const head =
    `POST / HTTP/1.1\r\nhost: ${client.host}:${client.port}\r\ncontent-type: ${type}\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n${SDK_HEADERS}\r\n\r\n`;
  return Buffer.from(head + body, "utf8");
}

/** An answer's text; throws unless it is a success in every entry. */
export function expectOk({ status, body }: HttpAnswer): string {
  const text = body.toString("utf8");
  // Some servers send an empty list of failures.
  if (status !== 200 || /"Failed": ?\[ ?\{|<BatchResultErrorEntry>/.test(text)) {
    throw new Error(`an answer was ${status}: ${text.slice(0, 500)}`);
  }
  return text;
}

/** Throws unless the answer is a success that says `text` exactly `count` times. */
export function expectCount(answer: HttpAnswer, text: Buffer, count: number): void {
  const { status, body } = answer;
  let found = 0;
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + text.length)) found += 1;
  if (status !== 200 || found !== count) {
    throw new Error(`${found} of ${count} messages in an answer that was ${status}: ${body.toString("utf8", 0, 500)}`);
  }
}

export function readMessages(answer: HttpAnswer, protocol: Protocol): ReceivedMessage[] {
  const text = expectOk(answer);
  if (protocol === "json") {
    const { Messages = [] } = JSON.parse(text) as { Messages?: { Body: string; ReceiptHandle: string }[] | null };
    return (Messages ?? []).map(({ Body, ReceiptHandle }) => ({ body: Body, receiptHandle: ReceiptHandle }));
  }
  return [...text.matchAll(/<Message>.*?<\/Message>/gs)].map(([message]) => ({
    body: element(message, "Body"),
    receiptHandle: element(message, "ReceiptHandle"),
  }));
}

export function readQueueUrl(answer: HttpAnswer, protocol: Protocol): string {
  const text = expectOk(answer);
  return protocol === "json" ? JSON.parse(text).QueueUrl : element(text, "QueueUrl");
}

/** The attributes asked for, as numbers. */
export function readCounts(answer: HttpAnswer, protocol: Protocol): Record<string, number> {
  const text = expectOk(answer);
  const pairs =
    protocol === "json"
      ? Object.entries<string>(JSON.parse(text).Attributes)
      : [...text.matchAll(/<Attribute>.*?<\/Attribute>/gs)].map(([attribute]): [string, string] => [
          element(attribute, "Name"),
          element(attribute, "Value"),
        ]);
  return Object.fromEntries(pairs.map(([name, value]) => [name, Number(value)]));
}

function element(xml: string, name: string): string {
  const content = new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(xml)?.[1];
  if (content === undefined) throw new Error(`no ${name} in ${xml.slice(0, 500)}`);
  return content.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, entity) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
    return XML_ENTITIES[entity] ?? whole;
  });
}

function toForm(action: string, input: Input): string {
  const form = new URLSearchParams({ Action: action, Version: "2012-11-05" });
  for (const [member, value] of Object.entries(input)) {
    const name = QUERY_LIST_NAMES[member] ?? member;
    if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) {
        if (typeof entry !== "object") form.append(`${name}.${index + 1}`, String(entry));
        else
          for (const [key, inner] of Object.entries(entry))
            form.append(`${action}RequestEntry.${index + 1}.${key}`, String(inner));
      }
    } else if (typeof value === "object") {
      for (const [index, [key, inner]] of Object.entries(value).entries()) {
        form.append(`${name}.${index + 1}.Name`, key);
        form.append(`${name}.${index + 1}.Value`, String(inner));
      }
    } else form.append(name, String(value));
  }
  return form.toString();
}
