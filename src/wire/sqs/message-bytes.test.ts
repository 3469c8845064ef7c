import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { messageBytes } from "./message-bytes.ts";

test("a body is its UTF-8 bytes, and the digest is theirs", () => {
  for (const text of ["message", "reed\r\nbed\t– café 🐸", "", "x".repeat(7000), "é".repeat(70_000)]) {
    const { body, md5, md5Hex } = messageBytes(text, /^[ -~]*$/.test(text));
    assert.equal(Buffer.from(body).toString("utf8"), text);
    assert.equal(md5Hex, createHash("md5").update(text).digest("hex"));
    assert.equal(Buffer.from(md5).toString("hex"), md5Hex);
  }
});

test("bodies that share memory stay apart", () => {
  const texts = Array.from({ length: 3000 }, (_, index) => `silt ${index} `.repeat(index % 20));
  const made = texts.map((text) => messageBytes(text, true));
  for (const [index, { body, md5, md5Hex }] of made.entries()) {
    assert.equal(Buffer.from(body).toString("latin1"), texts[index]);
    assert.equal(Buffer.from(md5).toString("hex"), md5Hex);
  }
});
