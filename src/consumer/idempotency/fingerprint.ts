// A hash by which two bodies under one key are told apart. JSON values are hashed by what they say, not by how they are
// written: the order of an object's fields does not count.

import { createHash } from "node:crypto";

/**
 * The body of the shapes that handlers get: `Body` (the SDK's message, sqs-consumer) or `body` (Lambda's record, the
 * toolkit's delivery). What else a message carries changes with every delivery. Anything else is its own body.
 */
export function bodyOf(message: unknown): unknown {
  if (typeof message !== "object" || message === null) return message;
  if ("Body" in message) return message.Body;
  if ("body" in message) return message.body;
  return message;
}

/** SHA-256 in hex. Throws a TypeError for what has no JSON form: a cycle, a function. */
export function fingerprintOf(value: unknown): string {
  const hash = createHash("sha256");
  if (typeof value === "string") hash.update("text:").update(value);
  else if (value instanceof Uint8Array) hash.update("bytes:").update(value);
  else hash.update("json:").update(canonical(value, []));
  return hash.digest("hex");
}

function canonical(value: unknown, within: object[]): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function" || typeof value === "symbol")
    throw new TypeError(`A ${typeof value} has no fingerprint; give idempotent() a fingerprint function.`);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  if (within.includes(value)) throw new TypeError("A value that contains itself has no fingerprint.");
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString("base64")}`;
  if ("toJSON" in value && typeof value.toJSON === "function") return canonical(value.toJSON(), within);
  const inside = [...within, value];
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, inside)).join(",")}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field, inside)}`);
  return `{${fields.join(",")}}`;
}
