// Requests for the wire's tests: one line each in either protocol, with settings that never change between runs.

import assert from "node:assert/strict";
import type { Command, CommandKind, CommandOf, Outcome } from "../engine/command.ts";
import type { Refusal } from "../engine/refusal.ts";
import type { WireRequest, WireResponse, WireSettings } from "./exchange.ts";
import type { Parsed } from "./read-request.ts";
import { readRequest } from "./read-request.ts";

export const QUEUE_URL = "http://sqs.test:9324/000000000000/orders";
export const QUEUE = { account: "000000000000", region: "us-east-1", name: "orders" };
export const REQUEST_ID = "00000000-0000-4000-8000-000000000001";

export const settings: WireSettings = { trustForwarded: false, defaultRegion: "us-east-1", uuid: () => REQUEST_ID };

export function request(over: Partial<WireRequest>): WireRequest {
  return {
    method: "POST",
    target: "/",
    headers: {},
    body: new Uint8Array(),
    secure: false,
    localAuthority: "127.0.0.1:9324",
    ...over,
  };
}

/** A request of the JSON protocol; `input` may be raw text. */
export function jsonRequest(action: string, input: unknown, headers: WireRequest["headers"] = {}): WireRequest {
  const body = typeof input === "string" ? input : JSON.stringify(input);
  const target = { "x-amz-target": `AmazonSQS.${action}` };
  return request({
    headers: { host: "sqs.test:9324", "content-type": "application/x-amz-json-1.0", ...target, ...headers },
    body: Buffer.from(body),
  });
}

/** A form of the Query protocol; values are encoded here. */
export function queryRequest(
  fields: Record<string, string>,
  target = "/",
  headers: WireRequest["headers"] = {},
): WireRequest {
  return request({
    target,
    headers: { host: "sqs.test:9324", "content-type": "application/x-www-form-urlencoded", ...headers },
    body: Buffer.from(formOf(fields)),
  });
}

/** The same fields in the query string of a GET. */
export function getRequest(
  fields: Record<string, string>,
  path = "/",
  headers: WireRequest["headers"] = {},
): WireRequest {
  const query = formOf(fields);
  const target = query === "" ? path : `${path}?${query}`;
  return request({ method: "GET", target, headers: { host: "sqs.test:9324", ...headers } });
}

export function read(given: WireRequest, over: Partial<WireSettings> = {}): Parsed {
  return readRequest(given, { ...settings, ...over });
}

export function commandOf<Kind extends CommandKind>(given: WireRequest, kind: Kind): CommandOf<Kind> {
  const parsed = read(given);
  assert.equal(parsed.is, "command", parsed.is === "response" ? String(parsed.response.body) : "");
  const { command } = parsed as { command: Command };
  assert.equal(command.kind, kind);
  return command as CommandOf<Kind>;
}

/** The answer to a request whose command the engine answers with `value`. */
export function answerTo(given: WireRequest, value: unknown): WireResponse {
  return respondTo(given, { ok: true, value } as Outcome);
}

export function refusalTo(given: WireRequest, refused: Refusal): WireResponse {
  return respondTo(given, { ok: false, refusal: refused });
}

/** The answer to a request that needs no engine. */
export function responseTo(given: WireRequest): WireResponse {
  const parsed = read(given);
  assert.equal(parsed.is, "response", "the request became a command");
  return (parsed as { response: WireResponse }).response;
}

/** Type (without its namespace), text and status of a refused JSON request. */
export function refusedAs(given: WireRequest): { type: string; message: string; status: number } {
  const { status, body } = responseTo(given);
  const { __type, message } = JSON.parse(String(body)) as { __type: string; message: string };
  return { type: __type.slice(__type.indexOf("#") + 1), message, status };
}

export function jsonOf(response: WireResponse): unknown {
  return JSON.parse(String(response.body));
}

/** Code and text of an XML error. */
export function xmlErrorOf({ status, body }: WireResponse): { code: string; message: string; status: number } {
  const xml = String(body);
  return {
    code: /<Code>(.*?)<\/Code>/s.exec(xml)?.[1] ?? "",
    message: /<Message>(.*?)<\/Message>/s.exec(xml)?.[1] ?? "",
    status,
  };
}

function respondTo(given: WireRequest, outcome: Outcome): WireResponse {
  const parsed = read(given);
  assert.equal(parsed.is, "command", parsed.is === "response" ? String(parsed.response.body) : "");
  return (parsed as Extract<Parsed, { is: "command" }>).respond(outcome);
}

function formOf(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}
