// A refusal that is the server's own (too large, forged, an unexpected error), said in the caller's protocol. The
// wire renders refusals of commands only, so a harmless request in the same protocol stands in for the real one.

import { refuse } from "../base/result.ts";
import type { Refusal } from "../engine/refusal.ts";
import type { WireRequest, WireResponse, WireSettings } from "../wire/index.ts";
import { readRequest } from "../wire/index.ts";

export function refuseInProtocol(request: WireRequest, settings: WireSettings, refusal: Refusal): WireResponse {
  const parsed = readRequest(standIn(request), settings);
  return parsed.is === "command" ? parsed.respond(refuse(refusal)) : parsed.response;
}

function standIn(request: WireRequest): WireRequest {
  const { headers } = request;
  const isJson = headers["x-amz-target"] !== undefined || headers["content-type"]?.startsWith("application/x-amz-json");
  if (!isJson) return { ...request, method: "GET", target: "/?Action=ListQueues", body: new Uint8Array(0) };
  const named = { ...headers, "x-amz-target": "AmazonSQS.ListQueues" };
  return { ...request, method: "POST", target: "/", headers: named, body: Buffer.from("{}") };
}
