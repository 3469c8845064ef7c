// The AWS JSON 1.0 protocol: the operation is named by X-Amz-Target, input and output are JSON documents, errors
// carry `__type`. Clients of before 2023 spoke Query and know its error codes, so a caller that sends
// x-amzn-query-mode gets the old code in a header of its own.

import { isUtf8 } from "node:buffer";
import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";
import type { WireResponse } from "../exchange.ts";
import type { ErrorTable } from "./error-table.ts";
import type { Structure } from "./model.ts";
import type { Renderer } from "./renderer.ts";
import type { JsonDialect } from "./service.ts";
import { readStructure, Unreadable } from "./shape.ts";

const CONTENT_TYPE = "application/x-amz-json-1.0";

/** An empty body is `{}`: some clients send nothing for an operation without input. */
export function readJsonInput(shape: Structure, body: Uint8Array): Result<Record<string, unknown>, Refusal> {
  if (body.length === 0) return accept({});
  if (!isUtf8(body)) return refuse(refusal("Serialization", "The request body is not valid UTF-8."));
  try {
    return accept(readStructure(shape, JSON.parse(asBuffer(body).toString("utf8"))));
  } catch (error) {
    if (error instanceof Unreadable) return refuse(error.refusal);
    return refuse(refusal("Serialization", "The request body is not valid JSON."));
  }
}

/** A service's dialect of JSON; `targetPrefix` comes before the dot in X-Amz-Target. */
export function jsonDialect(targetPrefix: string, errors: ErrorTable): JsonDialect {
  return {
    targetPrefix,
    renderer: jsonAnswers(errors, false),
    queryModeRenderer: jsonAnswers(errors, true),
  };
}

function jsonAnswers(errors: ErrorTable, queryCodes: boolean): Renderer {
  return {
    // Blobs are base64 text by now and members that are undefined vanish: the output is the document. Putting hot
    // answers together by hand was measured and is no faster.
    success: (_operation, _shape, output, requestId) => response(200, requestId, JSON.stringify(output)),
    failure(refused, requestId) {
      const spelling = errors.spellingOf(refused.code);
      const body = JSON.stringify({ __type: spelling.jsonType, message: refused.message });
      const failed = response(spelling.status, requestId, body);
      if (queryCodes) failed.headers["x-amzn-query-error"] = `${spelling.queryCode};${spelling.fault}`;
      return failed;
    },
  };
}

function response(status: number, requestId: string, body: string): WireResponse {
  return { status, headers: { "Content-Type": CONTENT_TYPE, "x-amzn-RequestId": requestId }, body };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
