// Answers of the AWS Query protocol. Most callers get XML; a caller that accepts only JSON gets the same answer with
// the same element names as JSON, which API gateways in front of SQS rely on. Reading is form.ts's and
// query-input.ts's work.

import type { Refusal } from "../../engine/refusal.ts";
import type { WireResponse } from "../exchange.ts";
import { queryMessageOf, spellingOf } from "./error-table.ts";
import type { Shape, Structure } from "./model.ts";
import type { Renderer } from "./renderer.ts";
import { element, escapeXml, writeMembers } from "./xml.ts";

const XML_NAMESPACE = "http://queue.amazonaws.com/doc/2012-11-05/";
const XML_DECLARATION = '<?xml version="1.0"?>';

export const xmlRenderer: Renderer = {
  success(operation, shape, output, requestId) {
    const result = shape === undefined ? "" : element(`${operation}Result`, writeMembers(shape, output));
    const metadata = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`;
    const body = `<${operation}Response xmlns="${XML_NAMESPACE}">${result}${metadata}</${operation}Response>`;
    return response(200, requestId, "text/xml", XML_DECLARATION + body);
  },
  failure(refused, requestId) {
    const { queryCode, status, fault } = spellingOf(refused.code);
    if (refused.code === "UnknownOperation") return unknownOperation(requestId);
    const error =
      `<Error><Type>${fault}</Type><Code>${queryCode}</Code>` +
      `<Message>${escapeXml(queryMessageOf(refused))}</Message><Detail/></Error>`;
    const body = `<ErrorResponse xmlns="${XML_NAMESPACE}">${error}<RequestId>${requestId}</RequestId></ErrorResponse>`;
    return response(status, requestId, "text/xml", XML_DECLARATION + body);
  },
};

export const queryJsonRenderer: Renderer = {
  success(operation, shape, output, requestId) {
    const answer: Record<string, unknown> = {};
    if (shape !== undefined) answer[`${operation}Result`] = plainMembers(shape, output);
    answer["ResponseMetadata"] = { RequestId: requestId };
    return response(200, requestId, "application/json", JSON.stringify({ [`${operation}Response`]: answer }));
  },
  failure(refused: Refusal, requestId) {
    const { queryCode, status, fault } = spellingOf(refused.code);
    if (refused.code === "UnknownOperation") return unknownOperation(requestId);
    const error = { Code: queryCode, Detail: null, Message: queryMessageOf(refused), Type: fault };
    return response(status, requestId, "application/json", JSON.stringify({ Error: error, RequestId: requestId }));
  },
};

/** A request without an action is answered with this, whatever the caller accepts (facts: path requests). */
function unknownOperation(requestId: string): WireResponse {
  return response(404, requestId, "text/xml", "<UnknownOperationException/>\n");
}

/** These two lists are spelled with a small letter here, and maps are lists of pairs; absent members are null. */
const PLAIN_NAMES: Record<string, string> = { QueueUrls: "queueUrls", Messages: "messages" };

function plainMembers(shape: Structure, value: object): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(shape.members)) {
    const given = (value as Record<string, unknown>)[name];
    plain[PLAIN_NAMES[name] ?? name] = given === undefined ? null : plainValue(member.shape, given);
  }
  return plain;
}

function plainValue(shape: Shape, value: unknown): unknown {
  switch (shape.is) {
    case "list":
      return (value as unknown[]).map((item) => plainValue(shape.of, item));
    case "map":
      return Object.entries(value as object).map(([key, item]) => ({
        [shape.keyName]: key,
        [shape.valueName]: plainValue(shape.of, item),
      }));
    case "structure":
      return plainMembers(shape, value as object);
    default:
      return value;
  }
}

function response(status: number, requestId: string, contentType: string, body: string): WireResponse {
  return { status, headers: { "Content-Type": contentType, "x-amzn-RequestId": requestId }, body };
}
