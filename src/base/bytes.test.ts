import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteReader, ByteWriter } from "./bytes.ts";

test("what is written is read back, and the buffer grows as needed", () => {
  const out = new ByteWriter(4);
  out.u8(255);
  out.u16(65_535);
  out.u32(4_294_967_295);
  out.f64(2 ** 53);
  out.text("café 🐸");
  out.bytes(Uint8Array.of(1, 2, 3));
  const input = new ByteReader(out.view());
  assert.equal(input.u8(), 255);
  assert.equal(input.u16(), 65_535);
  assert.equal(input.u32(), 4_294_967_295);
  assert.equal(input.f64(), 2 ** 53);
  assert.equal(input.text(), "café 🐸");
  assert.deepEqual([...input.bytes()], [1, 2, 3]);
  assert.ok(input.done);
});

test("reading over the end says where, instead of answering with anything", () => {
  const out = new ByteWriter();
  out.u32(100);
  assert.throws(() => new ByteReader(out.view()).bytes(), /needs 100 bytes at offset 4, but the data ends at 4/);
});
