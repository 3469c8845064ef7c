// The fields that patterns name, as a tree by the keys of their paths, and the walk of an event along it: parts of the
// event that no pattern names are skipped. Arrays add nothing to a path. A key with dots counts as the keys between
// them, so that {"a.b": 1} and {"a": {"b": 1}} are the same to a pattern, whichever way that is written.

import type { Place } from "./array-consistency.ts";
import { Field } from "./field.ts";
import { isScalar, JSON_DEPTH_MAX, type Json, type JsonObject, type Scalar } from "./json.ts";

interface Node<Member> {
  children: Map<string, Node<Member>>;
  field: Field<Member> | undefined;
}

export class FieldTree<Member> {
  readonly #root: Node<Member> = { children: new Map(), field: undefined };
  #event = 0;
  #arraysCount = 0;
  #met: Field<Member>[] = [];

  field(path: string): Field<Member> {
    let node = this.#root;
    for (const key of path.split(".")) {
      let child = node.children.get(key);
      if (child === undefined) {
        child = { children: new Map(), field: undefined };
        node.children.set(key, child);
      }
      node = child;
    }
    node.field ??= new Field(path);
    return node.field;
  }

  /** Forgets a field that nobody requires any more, and what only led to it. */
  prune({ path }: Field<Member>): void {
    const keys = path.split(".");
    const nodes = [this.#root];
    for (const key of keys) nodes.push(nodes.at(-1)?.children.get(key) as Node<Member>);
    (nodes.at(-1) as Node<Member>).field = undefined;
    for (let depth = keys.length; depth > 0; depth--) {
      const { field, children } = nodes[depth] as Node<Member>;
      if (field !== undefined || children.size > 0) return;
      nodes[depth - 1]?.children.delete(keys[depth - 1] as string);
    }
  }

  /** Puts the event's values into their fields and answers with the fields that got some. `event` tells events apart. */
  spread(value: JsonObject, event: number): Field<Member>[] {
    this.#event = event;
    this.#arraysCount = 0;
    this.#met = [];
    this.#object(value, this.#root, undefined, 1);
    return this.#met;
  }

  #object(object: JsonObject, node: Node<Member>, place: Place | undefined, depth: number): void {
    if (depth > JSON_DEPTH_MAX) return;
    // Parsed JSON inherits nothing that could be listed, and this is where most of the time goes.
    for (const key in object) {
      const child = node.children.get(key) ?? (key.includes(".") ? descend(node, key) : undefined);
      if (child !== undefined) this.#value(object[key] as Json, child, place, depth);
    }
  }

  #value(value: Json, node: Node<Member>, place: Place | undefined, depth: number): void {
    if (isScalar(value)) this.#scalar(value, node, place);
    else if (Array.isArray(value)) this.#array(value, node, place, depth + 1);
    else if (node.children.size > 0) this.#object(value as JsonObject, node, place, depth + 1);
  }

  /** Plain elements get the place of the array: which of them passes binds no other field. */
  #array(array: readonly Json[], node: Node<Member>, place: Place | undefined, depth: number): void {
    if (depth > JSON_DEPTH_MAX) return;
    const id = this.#arraysCount++;
    for (let element = 0; element < array.length; element++) {
      const value = array[element] as Json;
      if (isScalar(value)) this.#scalar(value, node, place);
      else this.#value(value, node, { array: id, element, outer: place }, depth);
    }
  }

  #scalar(value: Scalar, { field }: Node<Member>, place: Place | undefined): void {
    if (field === undefined) return;
    if (field.event !== this.#event) {
      field.event = this.#event;
      this.#met.push(field);
    }
    field.values.push(value);
    field.places.push(place);
  }
}

function descend<Member>(node: Node<Member>, dotted: string): Node<Member> | undefined {
  let at: Node<Member> | undefined = node;
  for (const key of dotted.split(".")) at = at?.children.get(key);
  return at;
}
