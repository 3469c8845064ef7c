// From a request to a command, in whichever protocol it speaks: X-Amz-Target makes it JSON (unless it is a form and
// names nothing, as old Query clients sign it), a path of a REST service makes it REST, anything else is Query.
// Protocol and service are decided first, so that every refusal after that is in the caller's own language.
//
//   request -> service, renderer, operation, input -> operation's plan -> command ... outcome -> output -> response

import { isUtf8 } from "node:buffer";
import type { Result } from "../base/result.ts";
import { accept, refuse } from "../base/result.ts";
import type { Command, Outcome } from "../engine/command.ts";
import type { Refusal } from "../engine/refusal.ts";
import { refusal } from "../engine/refusal.ts";
import type { WireRequest, WireResponse, WireSettings } from "./exchange.ts";
import { REQUEST_BYTES_MAX } from "./exchange.ts";
import { longBodyBytesMax } from "./long-body.ts";
import { readJsonInput } from "./protocol/aws-json.ts";
import type { FormNode } from "./protocol/form.ts";
import { addFields, fieldOf } from "./protocol/form.ts";
import type { Operation } from "./protocol/operation.ts";
import { readQueryInput } from "./protocol/query-input.ts";
import type { Renderer } from "./protocol/renderer.ts";
import type { RequestTarget } from "./protocol/request-target.ts";
import { readTarget } from "./protocol/request-target.ts";
import { readRestInput } from "./protocol/rest-json.ts";
import type { QueryDialect, RestDialect, Service } from "./protocol/service.ts";
import type { Caller } from "./protocol/sigv4.ts";
import { readCaller } from "./protocol/sigv4.ts";
import { serviceOfQuery, serviceOfTarget } from "./protocol/which-service.ts";
import { RequestCall } from "./request-call.ts";
import { jsonServices, queryServices, restServices } from "./services.ts";

export type Parsed =
  | {
      is: "command";
      operation: string;
      command: Command;
      /** Takes the outcome of exactly this command. */
      respond: (outcome: Outcome) => WireResponse;
      requestId: string;
    }
  | { is: "response"; response: WireResponse; operation?: string };

const FORM_TYPE = "application/x-www-form-urlencoded";

type JsonService = (typeof jsonServices)[number];

/** Every operation of every service by its whole X-Amz-Target. */
const jsonTargets = new Map<string, { service: JsonService; operation: Operation }>();
for (const service of jsonServices) {
  for (const [name, operation] of service.operations) {
    jsonTargets.set(`${service.json.targetPrefix}.${name}`, { service, operation });
  }
}

/** What a request is, as far as it can be read. */
interface Heard {
  renderer: Renderer;
  caller: Caller;
  asked: Result<Asked, Refusal>;
}

interface Asked {
  operation: Operation;
  input: object;
  /** As in Call. */
  isPlain: boolean;
}

/** Never throws: whatever the bytes are, there is a command or an answer. */
export function readRequest(request: WireRequest, settings: WireSettings): Parsed {
  const requestId = settings.uuid();
  const target = readTarget(request.target);
  const { renderer, caller, asked } = hear(request, target);
  if (!asked.ok) return { is: "response", response: renderer.failure(asked.refusal, requestId) };
  const { operation, input, isPlain } = asked.value;
  const { name } = operation;
  const planned = operation.plan(input as never, new RequestCall(request, settings, target, caller, isPlain));
  if (!planned.ok) return { is: "response", operation: name, response: renderer.failure(planned.refusal, requestId) };
  const plan = planned.value;
  if ("output" in plan) {
    return {
      is: "response",
      operation: name,
      response: renderer.success(name, operation.output, plan.output, requestId),
    };
  }
  return {
    is: "command",
    operation: name,
    command: plan.command,
    requestId,
    respond(outcome) {
      const output = outcome.ok ? plan.toOutput(outcome.value as never) : outcome;
      if (!output.ok) return renderer.failure(output.refusal, requestId);
      return renderer.success(name, operation.output, output.value, requestId);
    },
  };
}

/** For when the server cannot execute a command: SDKs retry a 503, and nothing was acknowledged. */
export function faultResponse(request: WireRequest, requestId: string, message: string): WireResponse {
  return refusalResponse(request, requestId, refusal("ServiceUnavailable", message));
}

/** A refusal that is the server's own, such as of a body it stopped reading, in the caller's protocol. */
export function refusalResponse(request: WireRequest, requestId: string, refused: Refusal): WireResponse {
  return hear(request, readTarget(request.target)).renderer.failure(refused, requestId);
}

function hear(request: WireRequest, target: RequestTarget): Heard {
  const { headers } = request;
  const contentType = headers["content-type"];
  if (isJsonTarget(headers["x-amz-target"], contentType) || isJsonType(contentType)) return hearJson(request, target);
  const { rest } = restServices.find((service) => service.rest.isPath(target.pathParts)) ?? {};
  return rest === undefined ? hearQuery(request, target) : hearRest(request, target, rest);
}

/**
 * curl calls any body a form, so a form with a target that exists is JSON. Amazon::SQS::Simple for Perl signs Query
 * requests with targets such as AmazonSQSv20121105.CreateQueue, which AWS overlooks.
 */
function isJsonTarget(target: string | undefined, contentType: string | undefined): boolean {
  if (target === undefined) return false;
  return jsonTargets.has(target) || !(contentType?.startsWith(FORM_TYPE) ?? false);
}

function isJsonType(contentType: string | undefined): boolean {
  return contentType?.startsWith("application/x-amz-json") ?? false;
}

function hearJson(request: WireRequest, requestTarget: RequestTarget): Heard {
  const { headers } = request;
  const caller = readCaller(headers["authorization"], credentialIn(requestTarget));
  const target = headers["x-amz-target"] ?? "";
  const known = jsonTargets.get(target);
  const { json } = known?.service ?? serviceOfUnknown(target, caller);
  return { renderer: json.renderer, caller, asked: readJsonRequest(request, known?.operation) };
}

/** An unknown target is refused by whoever was meant, else by the first. */
function serviceOfUnknown(target: string, caller: Caller): JsonService {
  const named = serviceOfTarget(jsonServices, target.slice(0, target.indexOf(".")));
  return named ?? jsonServices.find(({ name }) => name === caller.service) ?? jsonServices[0];
}

function readJsonRequest({ headers, body }: WireRequest, operation: Operation | undefined): Result<Asked, Refusal> {
  if (body.length > REQUEST_BYTES_MAX) return refuse(tooLarge());
  if (operation === undefined) {
    const target = headers["x-amz-target"] ?? "";
    const text = target === "" ? "The header X-Amz-Target is missing." : `The operation ${target} is not known here.`;
    return refuse(refusal("UnknownOperation", text));
  }
  const input = readJsonInput(operation.input, body);
  return input.ok ? accept({ operation, input: input.value.input, isPlain: input.value.isPlain }) : input;
}

function hearRest(request: WireRequest, target: RequestTarget, rest: RestDialect): Heard {
  const caller = readCaller(request.headers["authorization"], credentialIn(target));
  return { renderer: rest.renderer, caller, asked: readRestRequest(request, target, rest) };
}

function readRestRequest(request: WireRequest, target: RequestTarget, rest: RestDialect): Result<Asked, Refusal> {
  const bytesMax = longBodyBytesMax(request) ?? REQUEST_BYTES_MAX;
  if (request.body.length > bytesMax) return refuse(tooLarge(bytesMax));
  const operation = rest.find(request.method, target.pathParts);
  if (operation === undefined) {
    const text = `${request.method} ${request.target.split("?", 1)[0]} is no operation that this server offers.`;
    return refuse(refusal("UnknownOperation", text));
  }
  const input = readRestInput(operation, request, target);
  return input.ok ? accept({ operation, input: input.value, isPlain: false }) : input;
}

function hearQuery(request: WireRequest, target: RequestTarget): Heard {
  const { headers } = request;
  const form: FormNode = {};
  const fields = addRequestFields(form, request, target);
  const caller = readCaller(headers["authorization"], form);
  const service = serviceOfQuery(queryServices, {
    signedFor: caller.service,
    version: fieldOf(form, "Version"),
    action: fieldOf(form, "Action"),
    host: headers["host"] ?? "",
  });
  const { query } = service;
  const renderer = acceptsOnlyJson(headers["accept"]) ? query.jsonRenderer : query.xmlRenderer;
  return { renderer, caller, asked: fields.ok ? readQueryRequest(service, request, target, form) : fields };
}

/** Whoever lists XML, or anything at all, beside JSON gets XML. */
function acceptsOnlyJson(accepted: string | undefined): boolean {
  return accepted?.trimStart().startsWith("application/json") ?? false;
}

/** Fields of the body come first and win over those of the query string. */
function addRequestFields(form: FormNode, request: WireRequest, target: RequestTarget): Result<null, Refusal> {
  const { method, headers, body } = request;
  if (body.length > REQUEST_BYTES_MAX) return refuse(tooLarge());
  const fields = method === "POST" && mayBeForm(headers["content-type"]) ? addBody(form, body) : accept(null);
  return fields.ok ? addFields(form, target.query) : fields;
}

/** Clients that leave the type out mean a form, too. */
function mayBeForm(contentType: string | undefined): boolean {
  return !(contentType?.startsWith("application/json") ?? false);
}

function addBody(form: FormNode, body: Uint8Array): Result<null, Refusal> {
  if (!isUtf8(body)) return refuse(refusal("MalformedQueryString", "The request body is not valid UTF-8."));
  return addFields(form, Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"));
}

function readQueryRequest(
  { operations, query }: Service & { query: QueryDialect },
  { method }: WireRequest,
  { pathParts }: RequestTarget,
  form: FormNode,
): Result<Asked, Refusal> {
  const action = fieldOf(form, "Action");
  if (action === undefined || action === "" || (method !== "GET" && method !== "POST")) {
    return refuse(refusal("UnknownOperation", "The request has no action."));
  }
  const operation = operations.get(action);
  if (operation === undefined || (pathParts.length > 1 && query.onlyAtRoot?.has(action) === true)) {
    return refuse(refusal("InvalidAction", query.unknownAction(action)));
  }
  const input = readQueryInput(operation.input, form);
  return input.ok ? accept({ operation, input: input.value, isPlain: false }) : input;
}

/** JSON requests may be presigned too, though hardly any are. */
function credentialIn({ query }: RequestTarget): FormNode | undefined {
  if (!query.includes("X-Amz-Credential")) return undefined;
  const form: FormNode = {};
  addFields(form, query);
  return form;
}

function tooLarge(bytesMax = REQUEST_BYTES_MAX): Refusal {
  return refusal("RequestTooLarge", `The request body is longer than ${bytesMax} bytes.`);
}
