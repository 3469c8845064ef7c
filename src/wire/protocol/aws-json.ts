// The AWS JSON 1.0 protocol: the operation is named by X-Amz-Target, input and output are JSON documents, errors
// carry `__type`. Clients of before 2023 spoke Query and know its error codes, so a caller that sends
// x-amzn-query-mode gets the old code in a header of its own.

import { isAscii, isUtf8 } from "node:buffer";
import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";
import type { WireResponse } from "../exchange.ts";
import type { ErrorTable } from "./error-table.ts";
import { readInPlace } from "./in-place.ts";
import type { Structure } from "./model.ts";
import type { Renderer } from "./renderer.ts";
import type { JsonDialect } from "./service.ts";
import { readStructure, Unreadable } from "./shape.ts";

const CONTENT_TYPE = "application/x-amz-json-1.0";

export interface JsonInput {
  input: Record<string, unknown>;
  /** As in Call. */
  isPlain: boolean;
}

/** An empty body is `{}`: some clients send nothing for an operation without input. */
export function readJsonInput(shape: Structure, body: Uint8Array): Result<JsonInput, Refusal> {
  if (body.length === 0) return accept({ input: {}, isPlain: true });
  const isOneByte = isAscii(body);
  if (!isOneByte && !isUtf8(body)) return refuse(refusal("Serialization", "The request body is not valid UTF-8."));
  const text = asBuffer(body).toString(isOneByte ? "latin1" : "utf8");
  // JSON lets control characters into a text as escapes only.
  const isPlain = isOneByte && !text.includes("\\");
  try {
    return accept({ input: readDocument(shape, text), isPlain });
  } catch (error) {
    if (error instanceof Unreadable) return refuse(error.refusal);
    return refuse(refusal("Serialization", "The request body is not valid JSON."));
  }
}

/** Throws Unreadable, or what JSON.parse throws. */
function readDocument(shape: Structure, text: string): Record<string, unknown> {
  const document: unknown = JSON.parse(text);
  try {
    return readInPlace(shape, document);
  } catch {
    // Once more, member by member in the model's order, for the words about what is wrong.
    return readStructure(shape, JSON.parse(text));
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
