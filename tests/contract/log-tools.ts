// What the tests of logs share.

import assert from "node:assert/strict";
import type { Entry, EntryStamp, ShardLog } from "../../src/log/index.ts";

export const stamp: EntryStamp = { epoch: 1, ownerTimeMs: 1_700_000_000_000, factCount: 1 };

export function payloadOf(body: string): Buffer {
  return Buffer.from(body);
}

export function text(entry: Entry | undefined): string {
  assert.ok(entry, "an entry was expected");
  return textIn(entry.payload);
}

export function textIn(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** One after the other, each awaited. */
export async function appendAll(log: ShardLog, bodies: string[]): Promise<void> {
  for (const body of bodies) {
    const expected = log.tail();
    assert.deepEqual(await log.append(payloadOf(body), expected, stamp), { is: "ok", seq: expected + 1 });
  }
}
