// The REST-JSON protocol: method and path name the operation, parts of the path, the query string and some headers carry
// input, the body carries the rest as JSON, or one member as bytes. Errors are named by a header. Where each member is
// comes from the generated model (model.ts, HttpBinding).

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";
import type { WireRequest, WireResponse } from "../exchange.ts";
import { readJsonInput } from "./aws-json.ts";
import type { ErrorTable } from "./error-table.ts";
import type { HttpBinding, Shape, Structure } from "./model.ts";
import type { Operation } from "./operation.ts";
import type { Renderer } from "./renderer.ts";
import type { RequestTarget } from "./request-target.ts";
import type { RestDialect } from "./service.ts";

const CONTENT_TYPE = "application/json";

interface Route {
  operation: Operation;
  http: HttpBinding;
  parts: string[];
}

/** A service's dialect: its operations are known by their paths, all of which begin as `firstPart` says. */
export function restDialect(
  operations: ReadonlyMap<string, Operation>,
  errors: ErrorTable,
  firstPart: RegExp,
): RestDialect {
  const routes: Route[] = [];
  for (const operation of operations.values()) {
    if (operation.http === undefined) continue;
    routes.push({ operation, http: operation.http, parts: operation.http.path.split("/").slice(1) });
  }
  return {
    isPath: ([first = "", second]) => second !== undefined && firstPart.test(first),
    find: (method, pathParts) => {
      const found = routes.find(({ http, parts }) => http.method === method && isAt(parts, pathParts));
      return found?.operation;
    },
    renderer: restAnswers(operations, errors),
  };
}

/** The input of an operation that the request's path led to. */
export function readRestInput(
  operation: Operation,
  { headers, body }: WireRequest,
  { pathParts, query }: RequestTarget,
): Result<Record<string, unknown>, Refusal> {
  const http = operation.http as HttpBinding;
  const { members } = operation.input;
  const inBody =
    http.payload === undefined
      ? readJsonInput(operation.input, body)
      : accept({ input: { [http.payload]: body }, isPlain: false });
  if (!inBody.ok) return inBody;
  const input: Record<string, unknown> = inBody.value.input;
  for (const [index, part] of http.path.split("/").slice(1).entries()) {
    if (part.startsWith("{")) input[part.slice(1, -1)] = pathParts[index];
  }
  const fields = new URLSearchParams(query);
  for (const [member, name] of Object.entries(http.query ?? {})) {
    const values = fields.getAll(name);
    if (values.length === 0) continue;
    const read = readValues(members[member]?.shape as Shape, values);
    if (read === undefined) return refuse(refusal("Serialization", `The value of ${name} cannot be read.`));
    input[member] = read;
  }
  for (const [member, name] of Object.entries(http.headers ?? {})) {
    const value = headers[name.toLowerCase()];
    if (value !== undefined) input[member] = value;
  }
  return accept(input);
}

function restAnswers(operations: ReadonlyMap<string, Operation>, errors: ErrorTable): Renderer {
  return {
    success(name, shape, output, requestId) {
      const http = operations.get(name)?.http as HttpBinding;
      const values = output as Record<string, unknown>;
      const headers: Record<string, string> = { "x-amzn-RequestId": requestId };
      for (const [member, header] of Object.entries(http.answerHeaders ?? {})) {
        if (values[member] !== undefined) headers[header] = String(values[member]);
      }
      const status = http.answerStatus === undefined ? http.status : Number(values[http.answerStatus]);
      if (http.answerPayload !== undefined) {
        const payload = values[http.answerPayload] as Uint8Array | undefined;
        return { status, headers: { "Content-Type": CONTENT_TYPE, ...headers }, body: payload ?? "" };
      }
      if (shape === undefined || status === 204) return { status, headers, body: "" };
      const document = withNulls(shape, values);
      return { status, headers: { "Content-Type": CONTENT_TYPE, ...headers }, body: JSON.stringify(document) };
    },
    failure: (refused, requestId) => failed(errors, refused, requestId),
  };
}

function failed(errors: ErrorTable, refused: Refusal, requestId: string): WireResponse {
  const { queryCode, status, fault } = errors.spellingOf(refused.code);
  const text = status === 404 ? { Message: refused.message } : { message: refused.message };
  const reason = refused.reason === undefined ? {} : { Reason: refused.reason };
  return {
    status,
    headers: { "Content-Type": CONTENT_TYPE, "x-amzn-RequestId": requestId, "x-amzn-ErrorType": queryCode },
    body: JSON.stringify({ Type: fault === "Sender" ? "User" : "Service", ...reason, ...text }),
  };
}

/** What is not set is there as null; SDKs read that as absent. */
function withNulls(shape: Shape, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (shape.is === "list") return (value as unknown[]).map((element) => withNulls(shape.of, element));
  if (shape.is !== "structure") return value;
  return filled(shape, value as Record<string, unknown>);
}

function filled(shape: Structure, value: Record<string, unknown>): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const name in shape.members) whole[name] = withNulls(shape.members[name]?.shape as Shape, value[name]);
  return whole;
}

function isAt(parts: readonly string[], pathParts: readonly string[]): boolean {
  if (parts.length !== pathParts.length) return false;
  return parts.every((part, index) => part.startsWith("{") || part === pathParts[index]);
}

/** Undefined when the texts are not of the shape. */
function readValues(shape: Shape, values: string[]): unknown {
  const [first = ""] = values;
  switch (shape.is) {
    case "list":
      return values;
    case "integer":
      return /^-?\d{1,9}$/.test(first) ? Number(first) : undefined;
    case "boolean":
      return first === "true" ? true : first === "false" ? false : undefined;
    default:
      return first;
  }
}
