// Reads parsed JSON without copying it. A document that a client sends is nearly always what the model says already, so
// it is looked at and then used as it is: members go through one by one, only those with a value that reads as something
// else (null, a blob, a map) are replaced, and what the model does not know stays where nobody looks.
// What may be wrong, and in which words, is shape.ts's to say: this reader stops at the first sign of it.

import type { Shape, Structure } from "./model.ts";
import { readShape, Unreadable } from "./shape.ts";

/** Gives what to use for a value: mostly the value. Throws Unreadable. */
type Reader = (value: unknown) => unknown;

const readers = new WeakMap<Shape, Reader>();

/** Throws Unreadable; the document is then spoilt, and has to be parsed again to be told what is wrong with it. */
export function readInPlace(shape: Structure, document: unknown): Record<string, unknown> {
  return readerOf(shape)(document) as Record<string, unknown>;
}

function readerOf(shape: Shape): Reader {
  let reader = readers.get(shape);
  if (reader === undefined) {
    reader = makeReader(shape);
    readers.set(shape, reader);
  }
  return reader;
}

function makeReader(shape: Shape): Reader {
  switch (shape.is) {
    case "text":
      return readText;
    case "list":
      return listReader(readerOf(shape.of));
    case "structure":
      return structureReader(shape);
    default:
      return (value) => readShape(shape, value);
  }
}

function readText(value: unknown): unknown {
  if (typeof value !== "string") throw new Unreadable("");
  return value;
}

function listReader(readElement: Reader): Reader {
  return (value) => {
    if (!Array.isArray(value)) throw new Unreadable("");
    for (let index = 0; index < value.length; index++) {
      const element: unknown = value[index];
      if (element === null) return readElements(value, readElement);
      const read = readElement(element);
      if (read !== element) value[index] = read;
    }
    return value;
  };
}

/** With elements that are null, which count for nothing. */
function readElements(elements: unknown[], readElement: Reader): unknown[] {
  return elements.filter((element) => element !== null).map(readElement);
}

function structureReader(shape: Structure): Reader {
  // A map, not an object: names such as `__proto__` are names like any other.
  const members = new Map(Object.entries(shape.members).map(([name, member]) => [name, readerOf(member.shape)]));
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Unreadable("");
    const structure = value as Record<string, unknown>;
    // JSON gives plain objects, so these are its own members; and few, whatever the model has.
    for (const name in structure) {
      const readMember = members.get(name);
      if (readMember === undefined) continue;
      const given = structure[name];
      const read = given === null ? undefined : readMember(given);
      if (read !== given) structure[name] = read;
    }
    return structure;
  };
}
