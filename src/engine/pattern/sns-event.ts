// What a filter policy sees of an SNS message, by scope, as an event for the matcher. Undefined when there is nothing
// that it could match: then no filtered subscription gets the message, and SNS counts why.

import type { MessageAttribute } from "../command.ts";
import { isObject, isScalar, type Json, type JsonObject, parseJson } from "./json.ts";

/**
 * Scope MessageAttributes: String, String.Array and Number attributes by name; Binary ones are not seen. Undefined when
 * a String.Array is not a JSON array of plain values or a Number is none (InvalidAttributes).
 */
export function attributesEvent(attributes: Iterable<MessageAttribute>): JsonObject | undefined {
  const event = new Map<string, Json>();
  for (const { name, dataType, value } of attributes) {
    if (typeof value !== "string" || dataType.startsWith("Binary")) continue;
    const seen = seenValue(dataType, value);
    if (seen === undefined) return undefined;
    event.set(name, seen);
  }
  return Object.fromEntries(event);
}

/** Scope MessageBody: a JSON object, or undefined (InvalidMessageBody). */
export function bodyEvent(body: string): JsonObject | undefined {
  const json = parseJson(body);
  return isObject(json) ? json : undefined;
}

function seenValue(dataType: string, text: string): Json | undefined {
  if (dataType === "String.Array") {
    const json = parseJson(text);
    return Array.isArray(json) && json.every(isScalar) ? json : undefined;
  }
  if (dataType !== "Number" && !dataType.startsWith("Number.")) return text;
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? undefined : number;
}
