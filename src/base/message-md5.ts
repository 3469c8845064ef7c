// The MD5 digests by which SQS clients check that a message arrived whole. Clients compute the same and refuse an
// answer that differs, so the layout below is AWS's (developer guide, "Calculating the MD5 message digest for
// message attributes"), pinned by the vectors in message-md5.test.ts:
//
//   for each attribute, by name:  [length u32][name]  [length u32][data type]  [1 text | 2 binary]  [length u32][value]

import { hash } from "node:crypto";

/** A message attribute, as far as its digest goes. */
interface MessageAttribute {
  name: string;
  dataType: string;
  value: string | Uint8Array;
}

const TEXT = 1;
const BINARY = 2;

export function md5Hex(md5: Uint8Array): string {
  const bytes = Buffer.isBuffer(md5) ? md5 : Buffer.from(md5.buffer, md5.byteOffset, md5.byteLength);
  return bytes.toString("hex");
}

/** Undefined when there are none: the member is then left out of the answer. */
export function md5OfAttributes(attributes: readonly MessageAttribute[]): string | undefined {
  if (attributes.length === 0) return undefined;
  const sorted = attributes.length === 1 ? attributes : [...attributes].sort(byName);
  const digested = Buffer.allocUnsafe(sorted.reduce((bytes, attribute) => bytes + digestedBytes(attribute), 0));
  let offset = 0;
  for (const { name, dataType, value } of sorted) {
    offset = writeText(digested, offset, name);
    offset = writeText(digested, offset, dataType);
    digested[offset] = typeof value === "string" ? TEXT : BINARY;
    offset += 1;
    if (typeof value === "string") offset = writeText(digested, offset, value);
    else {
      digested.writeUInt32BE(value.length, offset);
      digested.set(value, offset + 4);
      offset += 4 + value.length;
    }
  }
  return hash("md5", digested, "hex");
}

/** What an attribute adds to a message's size: name, data type with its suffix, and value. */
export function attributeBytes({ name, dataType, value }: MessageAttribute): number {
  const valueBytes = typeof value === "string" ? Buffer.byteLength(value) : value.length;
  return Buffer.byteLength(name) + Buffer.byteLength(dataType) + valueBytes;
}

function digestedBytes(attribute: MessageAttribute): number {
  return attributeBytes(attribute) + 3 * 4 + 1;
}

function writeText(into: Buffer, offset: number, text: string): number {
  const bytes = into.write(text, offset + 4);
  into.writeUInt32BE(bytes, offset);
  return offset + 4 + bytes;
}

/** By code unit, as the comparison operators do. */
function byName(a: MessageAttribute, b: MessageAttribute): number {
  return a.name < b.name ? -1 : 1;
}
