import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeReceiptHandle, encodeReceiptHandle } from "./receipt-handle.ts";

test("a handle says which receive of which message it stands for", () => {
  const text = encodeReceiptHandle(3, 4_000_000_000, 2 ** 50, 7);
  assert.deepEqual(decodeReceiptHandle(text), { partition: 3, slot: 4_000_000_000, seq: 2 ** 50, receiveSeq: 7, text });
});

test("anything else is given back as it came, to be refused", () => {
  const good = encodeReceiptHandle(1, 2, 3, 4);
  const flipped = `${good.startsWith("A") ? "B" : "A"}${good.slice(1)}`;
  for (const text of ["", "garbage", flipped, good.slice(1), `${good}AAAA`, "🐸", "a".repeat(100_000)]) {
    assert.equal(decodeReceiptHandle(text), text);
  }
});
