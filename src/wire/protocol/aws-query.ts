// Answers of the AWS Query protocol. Most callers get XML; a caller that accepts only JSON gets the same answer with
// the same element names as JSON, which API gateways in front of a service rely on. Reading is form.ts's and
// query-input.ts's work.

import type { Refusal } from "../../engine/refusal.ts";
import type { WireResponse } from "../exchange.ts";
import type { ErrorTable } from "./error-table.ts";
import type { Shape, Structure } from "./model.ts";
import type { Renderer } from "./renderer.ts";
import type { QueryDialect } from "./service.ts";
import { element, escapeXml, writeMembers } from "./xml.ts";

const XML_DECLARATION = '<?xml version="1.0"?>';

/** How a service's answers differ from those of others. */
export interface QuerySpelling {
  version: string;
  xmlNamespace: string;
  errors: ErrorTable;
  /** Whether errors in XML carry an empty element for details. */
  hasErrorDetail?: boolean;
  /** Members that go by another name in the JSON form of Query answers. */
  plainNames?: Readonly<Record<string, string>>;
  unknownAction: (action: string) => string;
  onlyAtRoot?: ReadonlySet<string>;
}

export function queryDialect(spelling: QuerySpelling): QueryDialect {
  const { version, unknownAction, onlyAtRoot } = spelling;
  return {
    version,
    xmlRenderer: xmlRenderer(spelling),
    jsonRenderer: plainRenderer(spelling),
    unknownAction,
    ...(onlyAtRoot === undefined ? {} : { onlyAtRoot }),
  };
}

function xmlRenderer({ xmlNamespace, errors, hasErrorDetail = false }: QuerySpelling): Renderer {
  const detail = hasErrorDetail ? "<Detail/>" : "";
  return {
    success(operation, shape, output, requestId) {
      const result = shape === undefined ? "" : element(`${operation}Result`, writeMembers(shape, output));
      const metadata = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`;
      const body = `<${operation}Response xmlns="${xmlNamespace}">${result}${metadata}</${operation}Response>`;
      return response(200, requestId, "text/xml", XML_DECLARATION + body);
    },
    failure(refused, requestId) {
      const { queryCode, status, fault } = errors.spellingOf(refused.code);
      if (refused.code === "UnknownOperation") return unknownOperation(requestId);
      const error =
        `<Error><Type>${fault}</Type><Code>${queryCode}</Code>` +
        `<Message>${escapeXml(errors.queryMessageOf(refused))}</Message>${detail}</Error>`;
      const body = `<ErrorResponse xmlns="${xmlNamespace}">${error}<RequestId>${requestId}</RequestId></ErrorResponse>`;
      return response(status, requestId, "text/xml", XML_DECLARATION + body);
    },
  };
}

function plainRenderer({ errors, plainNames = {} }: QuerySpelling): Renderer {
  return {
    success(operation, shape, output, requestId) {
      const answer: Record<string, unknown> = {};
      if (shape !== undefined) answer[`${operation}Result`] = plainMembers(shape, output, plainNames);
      answer["ResponseMetadata"] = { RequestId: requestId };
      return response(200, requestId, "application/json", JSON.stringify({ [`${operation}Response`]: answer }));
    },
    failure(refused: Refusal, requestId) {
      const { queryCode, status, fault } = errors.spellingOf(refused.code);
      if (refused.code === "UnknownOperation") return unknownOperation(requestId);
      const error = { Code: queryCode, Detail: null, Message: errors.queryMessageOf(refused), Type: fault };
      return response(status, requestId, "application/json", JSON.stringify({ Error: error, RequestId: requestId }));
    },
  };
}

/** A request without an action is answered with this, whatever the caller accepts (facts: path requests). */
function unknownOperation(requestId: string): WireResponse {
  return response(404, requestId, "text/xml", "<UnknownOperationException/>\n");
}

type PlainNames = Readonly<Record<string, string>>;

/** Maps are lists of pairs here, and absent members are null. */
function plainMembers(shape: Structure, value: object, names: PlainNames): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(shape.members)) {
    const given = (value as Record<string, unknown>)[name];
    plain[names[name] ?? name] = given === undefined ? null : plainValue(member.shape, given, names);
  }
  return plain;
}

function plainValue(shape: Shape, value: unknown, names: PlainNames): unknown {
  switch (shape.is) {
    case "list":
      return (value as unknown[]).map((item) => plainValue(shape.of, item, names));
    case "map":
      return Object.entries(value as object).map(([key, item]) => ({
        [shape.keyName]: key,
        [shape.valueName]: plainValue(shape.of, item, names),
      }));
    case "structure":
      return plainMembers(shape, value as object, names);
    default:
      return value;
  }
}

function response(status: number, requestId: string, contentType: string, body: string): WireResponse {
  return { status, headers: { "Content-Type": contentType, "x-amzn-RequestId": requestId }, body };
}
