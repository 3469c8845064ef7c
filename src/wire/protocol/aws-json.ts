// The AWS JSON 1.0 protocol: the operation is named by X-Amz-Target, input and output are JSON documents, errors
// carry `__type`. Programs of before November 2023 spoke Query and know its error codes, so each error has the old code
// in a header of its own. SDKs ask for that header (x-amzn-query-mode) since November 2024 only and were sent it
// all the time, so it does not wait to be asked for.

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

/** Writes an operation's output as JSON.stringify would. */
type JsonWriter = (output: never) => string;

/**
 * A service's dialect of JSON; `targetPrefix` comes before the dot in X-Amz-Target. `writers` are for operations whose
 * answers are worth putting together by hand.
 */
export function jsonDialect(
  targetPrefix: string,
  errors: ErrorTable,
  writers: Readonly<Record<string, JsonWriter>> = {},
): JsonDialect {
  const byOperation = new Map(Object.entries(writers));
  return { targetPrefix, renderer: jsonAnswers(errors, byOperation) };
}

function jsonAnswers(errors: ErrorTable, writers: ReadonlyMap<string, JsonWriter>): Renderer {
  return {
    // Blobs are base64 text by now and members that are undefined vanish: the output is the document.
    success(operation, _shape, output, requestId) {
      const write = writers.get(operation);
      return response(200, requestId, write === undefined ? JSON.stringify(output) : write(output as never));
    },
    failure(refused, requestId) {
      const spelling = errors.spellingOf(refused.code);
      const body = JSON.stringify({ __type: spelling.jsonType, message: refused.message });
      const failed = response(spelling.status, requestId, body);
      failed.headers["x-amzn-query-error"] = `${spelling.queryCode};${spelling.fault}`;
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
