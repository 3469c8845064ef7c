// What SQS counts of a message against its size limit: the body, and of each message attribute name, type and value.
// System attributes do not count.

import type { RawAttribute } from "./queue-port.ts";

export function bytesOf(message: { body: string; attributes?: Record<string, RawAttribute> | undefined }): number {
  let bytes = Buffer.byteLength(message.body, "utf8");
  for (const [name, { DataType, StringValue, BinaryValue }] of Object.entries(message.attributes ?? {})) {
    bytes += Buffer.byteLength(name, "utf8") + Buffer.byteLength(DataType ?? "", "utf8");
    bytes += StringValue === undefined ? (BinaryValue?.length ?? 0) : Buffer.byteLength(StringValue, "utf8");
  }
  return bytes;
}
