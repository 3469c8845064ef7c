// From a request to a command, in whichever protocol it speaks: X-Amz-Target makes it JSON, anything else is Query.
// The protocol is decided first, so that every refusal after that is in the caller's own language.
//
//   request -> renderer, operation name, input -> operation's plan -> command ... outcome -> output -> response

import { isUtf8 } from "node:buffer";
import type { Result } from "../base/result.ts";
import { accept, refuse } from "../base/result.ts";
import type { Command, Outcome } from "../engine/command.ts";
import type { Refusal } from "../engine/refusal.ts";
import { refusal } from "../engine/refusal.ts";
import type { WireRequest, WireResponse, WireSettings } from "./exchange.ts";
import { REQUEST_BYTES_MAX } from "./exchange.ts";
import { operations, TARGET_PREFIX } from "./models/sqs.ts";
import { jsonRenderer, jsonRendererWithQueryCodes, readJsonInput } from "./protocol/aws-json.ts";
import { queryJsonRenderer, xmlRenderer } from "./protocol/aws-query.ts";
import type { FormNode } from "./protocol/form.ts";
import { addFields, fieldOf } from "./protocol/form.ts";
import type { Structure } from "./protocol/model.ts";
import { readQueryInput } from "./protocol/query-input.ts";
import type { Renderer } from "./protocol/renderer.ts";
import type { RequestTarget } from "./protocol/request-target.ts";
import { publicBase, readTarget } from "./protocol/request-target.ts";
import { accountOf, readCaller, regionOfHost } from "./protocol/sigv4.ts";
import type { Call } from "./sqs/call.ts";
import type { Operation } from "./sqs/operation.ts";
import { operationNamed } from "./sqs/registry.ts";

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

interface Asked {
  operation: Operation;
  input: object;
  form?: FormNode;
}

/** Actions that have no queue, and so no business on a queue's path. */
const WITHOUT_QUEUE = new Set(["CreateQueue", "ListQueues"]);

/** Never throws: whatever the bytes are, there is a command or an answer. */
export function readRequest(request: WireRequest, settings: WireSettings): Parsed {
  const requestId = settings.uuid();
  const renderer = rendererFor(request);
  const target = readTarget(request.target);
  const asked = isJson(request) ? readJsonRequest(request) : readQueryRequest(request, target);
  if (!asked.ok) return { is: "response", response: renderer.failure(asked.refusal, requestId) };
  const { operation, input, form } = asked.value;
  const { name } = operation;
  const plan = operation.plan(input as never, callOf(request, settings, target, form));
  if (!plan.ok) return { is: "response", operation: name, response: renderer.failure(plan.refusal, requestId) };
  const { command, toOutput } = plan.value;
  return {
    is: "command",
    operation: name,
    command,
    requestId,
    respond(outcome) {
      const output = outcome.ok ? toOutput(outcome.value as never) : outcome;
      if (!output.ok) return renderer.failure(output.refusal, requestId);
      return renderer.success(name, outputShapeOf(name), output.value, requestId);
    },
  };
}

/** For when the server cannot execute a command: SDKs retry a 503, and nothing was acknowledged. */
export function faultResponse(request: WireRequest, requestId: string, message: string): WireResponse {
  return refusalResponse(request, requestId, refusal("ServiceUnavailable", message));
}

/** A refusal that is the server's own, such as of a body it stopped reading, in the caller's protocol. */
export function refusalResponse(request: WireRequest, requestId: string, refused: Refusal): WireResponse {
  return rendererFor(request).failure(refused, requestId);
}

function isJson({ headers }: WireRequest): boolean {
  return headers["x-amz-target"] !== undefined || isJsonType(headers["content-type"]);
}

function isJsonType(contentType: string | undefined): boolean {
  return contentType?.startsWith("application/x-amz-json") ?? false;
}

function rendererFor(request: WireRequest): Renderer {
  const { headers } = request;
  if (isJson(request)) return headers["x-amzn-query-mode"] === "true" ? jsonRendererWithQueryCodes : jsonRenderer;
  return acceptsOnlyJson(headers["accept"]) ? queryJsonRenderer : xmlRenderer;
}

/** Whoever lists XML, or anything at all, beside JSON gets XML. */
function acceptsOnlyJson(accepted: string | undefined): boolean {
  return accepted?.trimStart().startsWith("application/json") ?? false;
}

function readJsonRequest({ headers, body }: WireRequest): Result<Asked, Refusal> {
  if (body.length > REQUEST_BYTES_MAX) return refuse(tooLarge());
  const target = headers["x-amz-target"] ?? "";
  const dot = target.indexOf(".");
  const operation = target.slice(0, dot) === TARGET_PREFIX ? operationNamed(target.slice(dot + 1)) : undefined;
  if (operation === undefined) {
    const text = target === "" ? "The header X-Amz-Target is missing." : `The operation ${target} is not known here.`;
    return refuse(refusal("UnknownOperation", text));
  }
  const input = readJsonInput(inputShapeOf(operation), body);
  return input.ok ? accept({ operation, input: input.value }) : input;
}

function readQueryRequest(request: WireRequest, { query, pathParts }: RequestTarget): Result<Asked, Refusal> {
  const { method, headers, body } = request;
  if (body.length > REQUEST_BYTES_MAX) return refuse(tooLarge());
  const form: FormNode = {};
  // Fields of the body come first and win over those of the query string.
  const fields = method === "POST" && mayBeForm(headers["content-type"]) ? addBody(form, body) : accept(null);
  const both = fields.ok ? addFields(form, query) : fields;
  if (!both.ok) return both;
  const action = fieldOf(form, "Action");
  if (action === undefined || action === "" || (method !== "GET" && method !== "POST")) {
    return refuse(refusal("UnknownOperation", "The request has no action."));
  }
  const operation = operationNamed(action);
  if (operation === undefined || (pathParts.length > 1 && WITHOUT_QUEUE.has(action))) {
    return refuse(refusal("InvalidAction", `The action ${action} is not valid for this endpoint.`));
  }
  const input = readQueryInput(inputShapeOf(operation), form);
  return input.ok ? accept({ operation, input: input.value, form }) : input;
}

/** Clients that leave the type out mean a form, too. */
function mayBeForm(contentType: string | undefined): boolean {
  return !(contentType?.startsWith("application/json") ?? false);
}

function addBody(form: FormNode, body: Uint8Array): Result<null, Refusal> {
  if (!isUtf8(body)) return refuse(refusal("MalformedQueryString", "The request body is not valid UTF-8."));
  return addFields(form, Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"));
}

function callOf(request: WireRequest, settings: WireSettings, target: RequestTarget, form?: FormNode): Call {
  const { headers } = request;
  const caller = readCaller(headers["authorization"], form ?? credentialIn(target));
  const region = caller.region ?? regionOfHost(headers["host"] ?? "") ?? settings.defaultRegion;
  const call: Call = {
    scope: { account: accountOf(caller), region },
    regionIsSigned: caller.region !== undefined,
    urlBase: () => publicBase(request, settings),
    pathParts: target.pathParts,
  };
  if (caller.accessKey !== undefined) call.accessKey = caller.accessKey;
  const traceHeader = headers["x-amzn-trace-id"];
  if (traceHeader !== undefined && traceHeader !== "") call.traceHeader = traceHeader;
  return call;
}

/** JSON requests may be presigned too, though hardly any are. */
function credentialIn({ query }: RequestTarget): FormNode | undefined {
  if (!query.includes("X-Amz-Credential")) return undefined;
  const form: FormNode = {};
  addFields(form, query);
  return form;
}

function inputShapeOf({ name }: Operation): Structure {
  return operations[name].input;
}

function outputShapeOf(name: Operation["name"]): Structure | undefined {
  const model = operations[name];
  return "output" in model ? model.output : undefined;
}

function tooLarge(): Refusal {
  return refusal("RequestTooLarge", `The request body is longer than ${REQUEST_BYTES_MAX} bytes.`);
}
