// How plain values are packed into bytes, described field by field: several times cheaper than V8's serialization for
// small values, since names of fields do not travel. Both ends are the same build, so there are no versions; a field
// that a description lacks does not compile.

import { deserialize, serialize } from "node:v8";
import type { ByteReader, ByteWriter } from "../../base/bytes.ts";
import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";

export interface Packed<Value> {
  write(to: ByteWriter, value: Value): void;
  read(from: ByteReader): Value;
}

export const number: Packed<number> = {
  write: (to, value) => to.f64(value),
  read: (from) => from.f64(),
};

export const text: Packed<string> = {
  write: (to, value) => to.text(value),
  read: (from) => from.text(),
};

export const yesNo: Packed<boolean> = {
  write: (to, value) => to.u8(value ? 1 : 0),
  read: (from) => from.u8() === 1,
};

/** Read as a view of what was received. */
export const bytes: Packed<Uint8Array> = {
  write: (to, value) => to.bytes(value),
  read: (from) => from.bytes(),
};

export const textOrBytes: Packed<string | Uint8Array> = {
  write(to, value) {
    const isText = typeof value === "string";
    to.u8(isText ? 1 : 0);
    if (isText) to.text(value);
    else to.bytes(value);
  },
  read: (from) => (from.u8() === 1 ? from.text() : from.bytes()),
};

/** Whatever it is: for what is rare. */
export const anything: Packed<unknown> = {
  write: (to, value) => to.bytes(serialize(value)),
  read: (from) => deserialize(from.bytes()),
};

/** Takes no room. */
export function always<Value>(value: Value): Packed<Value> {
  return { write: () => {}, read: () => value };
}

export function list<Item>(item: Packed<Item>): Packed<Item[]> {
  return {
    write(to, items) {
      to.u32(items.length);
      for (const each of items) item.write(to, each);
    },
    read(from) {
      const items: Item[] = [];
      for (let left = from.u32(); left > 0; left--) items.push(item.read(from));
      return items;
    },
  };
}

export function result<Value>(value: Packed<Value>): Packed<Result<Value, never>> {
  return {
    write(to, given) {
      to.u8(given.ok ? 1 : 0);
      if (given.ok) value.write(to, given.value);
      else anything.write(to, given.refusal);
    },
    read: (from) => (from.u8() === 1 ? accept(value.read(from)) : refuse(anything.read(from) as never)),
  };
}

type OptionalKeys<Value> = { [Key in keyof Value]-?: object extends Pick<Value, Key> ? Key : never }[keyof Value];
type Required<Value> = { [Key in Exclude<keyof Value, OptionalKeys<Value>>]: Packed<Value[Key]> };
type Optional<Value> = { [Key in OptionalKeys<Value>]-?: Packed<Exclude<Value[Key], undefined>> };

/** Every field of an object, those that may be absent apart: at most 8. */
export function record<Value extends object>(
  required: Required<Value>,
  optional: Optional<Value> = {} as Optional<Value>,
): Packed<Value> {
  const always = Object.entries(required) as [string, Packed<unknown>][];
  const sometimes = Object.entries(optional) as [string, Packed<unknown>][];
  return {
    write(to, value) {
      const fields = value as Record<string, unknown>;
      for (const [name, packed] of always) packed.write(to, fields[name]);
      if (sometimes.length === 0) return;
      let present = 0;
      for (let index = 0; index < sometimes.length; index++) {
        if (fields[(sometimes[index] as [string, unknown])[0]] !== undefined) present |= 1 << index;
      }
      to.u8(present);
      for (let index = 0; present >>> index !== 0; index++) {
        const [name, packed] = sometimes[index] as [string, Packed<unknown>];
        if ((present >>> index) & 1) packed.write(to, fields[name]);
      }
    },
    read(from) {
      const fields: Record<string, unknown> = {};
      for (const [name, packed] of always) fields[name] = packed.read(from);
      const present = sometimes.length === 0 ? 0 : from.u8();
      for (let index = 0; present >>> index !== 0; index++) {
        const [name, packed] = sometimes[index] as [string, Packed<unknown>];
        if ((present >>> index) & 1) fields[name] = packed.read(from);
      }
      return fields as Value;
    },
  };
}
