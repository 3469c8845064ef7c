// Reads parsed JSON against a shape of the model. Members that the model does not know are ignored, null counts as
// absent, and a value of the wrong type is refused with the words of AWS's own deserialiser. Only own properties are
// looked at and maps come out without a prototype, so names such as `__proto__` are names like any other. Depth needs
// no bound of its own: reading goes no deeper than the model.

import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";
import type { Shape, Structure } from "./model.ts";

/** Thrown inside this folder only, and turned into a refusal before it leaves. */
export class Unreadable extends Error {
  readonly refusal: Refusal;

  constructor(message: string) {
    super(message);
    this.refusal = refusal("Serialization", message);
  }
}

const INTEGER_MAX = 2_147_483_647;
const INTEGER_MIN = -2_147_483_648;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/** Throws Unreadable. */
export function readStructure(shape: Structure, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw notA("structure", value);
  const read: Record<string, unknown> = {};
  const { members } = shape;
  for (const name in members) {
    if (!Object.hasOwn(value, name)) continue;
    const given = (value as Record<string, unknown>)[name];
    if (given === null || given === undefined) continue;
    read[name] = readShape(members[name]?.shape as Shape, given);
  }
  return read;
}

export function readShape(shape: Shape, value: unknown): unknown {
  switch (shape.is) {
    case "text":
      if (typeof value !== "string") throw notA("String", value);
      return value;
    case "integer":
      if (typeof value !== "number") throw notA("Integer", value);
      return readInteger(value);
    case "timestamp":
      if (typeof value !== "number") throw notA("Timestamp", value);
      return value;
    case "boolean":
      if (typeof value !== "boolean") throw notA("Boolean", value);
      return value;
    case "blob":
      if (typeof value !== "string") throw notA("Blob", value);
      return readBase64(value);
    case "list":
      return readList(shape.of, value);
    case "map":
      return readMap(shape.of, value);
    case "structure":
      return readStructure(shape, value);
  }
}

export function readInteger(value: number): number {
  if (Number.isInteger(value) && value >= INTEGER_MIN && value <= INTEGER_MAX) return value;
  throw new Unreadable("NUMBER_VALUE can not be converted to an Integer");
}

export function readBase64(value: string): Uint8Array {
  if (!isBase64(value)) throw new Unreadable("Unable to decode a Blob: the value is not valid base64");
  return Buffer.from(value, "base64");
}

/** An expression for the whole text would repeat a group, which runs out of stack on one of many megabytes. */
function isBase64(value: string): boolean {
  if (value.length % 4 !== 0) return false;
  const padding = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
  return !NOT_BASE64.test(value.slice(0, value.length - padding));
}

function readList(of: Shape, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw notA("collection", value);
  const read: unknown[] = [];
  for (const element of value) {
    if (element !== null) read.push(readShape(of, element));
  }
  return read;
}

function readMap(of: Shape, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || Array.isArray(value)) throw notA("collection", value);
  const read: Record<string, unknown> = Object.create(null);
  for (const [key, element] of Object.entries(value as object)) {
    if (element !== null) read[key] = readShape(of, element);
  }
  return read;
}

/** `wanted` is a simple type's name, or one of the two kinds of container. */
function notA(wanted: string, value: unknown): Unreadable {
  if (Array.isArray(value)) return new Unreadable("Start of list found where not expected");
  if (typeof value === "object") return new Unreadable("Start of structure or map found where not expected.");
  if (wanted === "collection" || wanted === "structure") {
    return new Unreadable(`Unrecognized collection type class java.lang.${javaClassOf(value)}`);
  }
  return new Unreadable(`${tokenOf(value)} can not be converted to ${wanted === "Integer" ? "an" : "a"} ${wanted}`);
}

function tokenOf(value: unknown): string {
  if (typeof value === "string") return "STRING_VALUE";
  if (typeof value === "number") return "NUMBER_VALUE";
  return value === true ? "TRUE_VALUE" : "FALSE_VALUE";
}

function javaClassOf(value: unknown): string {
  if (typeof value === "string") return "String";
  if (typeof value === "boolean") return "Boolean";
  return Number.isInteger(value) ? "Integer" : "Double";
}
