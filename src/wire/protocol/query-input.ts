// Reads a tree of form fields against a shape of the model. AWS documents lists as flat and numbered from 1; callers
// also send them from 0, with gaps, without a number, and below `member` or `entry`. All of that is read.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { Refusal } from "../../engine/refusal.ts";
import type { FormNode } from "./form.ts";
import type { Shape, Structure } from "./model.ts";
import { readBase64, readInteger, Unreadable } from "./shape.ts";

const INTEGER = /^[+-]?\d+$/;
const INDEX = /^\d{1,9}$/;

export function readQueryInput(shape: Structure, root: FormNode): Result<Record<string, unknown>, Refusal> {
  try {
    return accept(readStructure(shape, root));
  } catch (error) {
    if (error instanceof Unreadable) return refuse(error.refusal);
    throw error;
  }
}

function readStructure(shape: Structure, node: FormNode): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  if (node.children === undefined) return read;
  const { members } = shape;
  for (const name in members) {
    const member = members[name];
    if (member === undefined) continue;
    const child = node.children.get(member.queryName);
    const value = child === undefined ? undefined : readShape(member.shape, child);
    if (value !== undefined) read[name] = value;
  }
  return read;
}

/** Undefined when the field is not really there: `Entry.Id` names the list but holds nothing of a simple type. */
function readShape(shape: Shape, node: FormNode): unknown {
  switch (shape.is) {
    case "text":
      return node.values?.[0];
    case "integer":
      return readIntegerField(node.values?.[0]);
    case "boolean":
      return node.values === undefined ? undefined : node.values[0]?.toLowerCase() === "true";
    case "blob": {
      const value = node.values?.[0];
      return value === undefined ? undefined : readBase64(value);
    }
    case "list":
      return readList(shape.of, node);
    case "map":
      return readMap(shape, node);
    case "structure":
      return readStructure(shape, node);
  }
}

/** `DelaySeconds=` is what some clients send for "not set". */
function readIntegerField(value: string | undefined): number | undefined {
  if (value === undefined || value === "") return undefined;
  if (!INTEGER.test(value)) throw new Unreadable(`'${value}' can not be converted to an Integer`);
  return readInteger(Number(value));
}

function readList(of: Shape, node: FormNode): unknown[] {
  const read: unknown[] = [];
  // `AttributeName=All` is a list of one; `AttributeName=` is how SDKs write an empty list.
  if (node.values !== undefined && of.is === "text") read.push(...node.values.filter((value) => value !== ""));
  for (const element of numbered(node)) {
    const value = readShape(of, element);
    if (value !== undefined) read.push(value);
  }
  return read;
}

function readMap(shape: Extract<Shape, { is: "map" }>, node: FormNode): Record<string, unknown> {
  const read: Record<string, unknown> = Object.create(null);
  const pairs = numbered(node);
  // `Attribute.Name=X&Attribute.Value=Y`, without a number, stands in older examples of the API reference.
  if (node.children?.has(shape.keyName)) pairs.unshift(node);
  for (const pair of pairs) {
    const key = pair.children?.get(shape.keyName)?.values?.[0];
    if (key === undefined) continue;
    const value = pair.children?.get(shape.valueName);
    read[key] = (value && readShape(shape.of, value)) ?? emptyValue(shape.of);
  }
  return read;
}

/** A pair without a value, or with fields below it: an empty text, or a structure whose checks say what is missing. */
function emptyValue(of: Shape): unknown {
  return of.is === "structure" ? {} : "";
}

function numbered(node: FormNode): FormNode[] {
  if (node.children === undefined) return [];
  const found: [number, FormNode][] = [];
  for (const [name, child] of node.children) {
    if (INDEX.test(name)) found.push([Number(name), child]);
    else if (name === "member" || name === "entry") {
      for (const inner of numbered(child)) found.push([found.length, inner]);
    }
  }
  found.sort((a, b) => a[0] - b[0]);
  return found.map(([, child]) => child);
}
