// Form fields of the Query protocol, from a query string or a form body, as a tree: `Attribute.1.Name=x` is the value
// x three levels down. Dots are all that gives the flat names structure, and a tree makes lists with gaps, lists
// from 0 and lists without numbers as easy to read as the documented form. Maps, not objects: names are the caller's.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";

export interface FormNode {
  /** Every value given under exactly this name, in order; AWS's names come once. */
  values?: string[];
  children?: Map<string, FormNode>;
}

/** A batch of ten entries with ten attributes each needs about four hundred. */
const FIELDS_MAX = 10_000;
/** `SendMessageBatchRequestEntry.1.MessageAttribute.entry.1.Value.StringValue` has seven levels. */
const LEVELS_MAX = 12;

/** Adds the fields of one encoded text to the tree. Fields added earlier come first. */
export function addFields(root: FormNode, encoded: string): Result<null, Refusal> {
  let start = 0;
  let count = 0;
  while (start < encoded.length) {
    let end = encoded.indexOf("&", start);
    if (end === -1) end = encoded.length;
    if (end > start) {
      if (++count > FIELDS_MAX) return refuse(malformed(`It has more than ${FIELDS_MAX} parameters.`));
      if (!addField(root, encoded.slice(start, end))) {
        return refuse(malformed("A parameter is not properly percent-encoded UTF-8."));
      }
    }
    start = end + 1;
  }
  return accept(null);
}

export function fieldOf(node: FormNode, name: string): string | undefined {
  return node.children?.get(name)?.values?.[0];
}

/** Undefined when the text is not percent-encoded UTF-8. */
export function decodeField(encoded: string): string | undefined {
  const spaced = encoded.includes("+") ? encoded.replaceAll("+", " ") : encoded;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}

function addField(root: FormNode, field: string): boolean {
  const equals = field.indexOf("=");
  const name = decodeField(equals === -1 ? field : field.slice(0, equals));
  const value = equals === -1 ? "" : decodeField(field.slice(equals + 1));
  if (name === undefined || value === undefined) return false;
  let node = root;
  for (const level of name.split(".", LEVELS_MAX)) node = childOf(node, level);
  if (node.values === undefined) node.values = [value];
  else node.values.push(value);
  return true;
}

function childOf(node: FormNode, name: string): FormNode {
  node.children ??= new Map();
  let child = node.children.get(name);
  if (child === undefined) {
    child = {};
    node.children.set(name, child);
  }
  return child;
}

function malformed(reason: string): Refusal {
  return refusal("MalformedQueryString", `The query string contains a syntax error. ${reason}`);
}
