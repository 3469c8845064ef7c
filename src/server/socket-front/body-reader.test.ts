import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyReader } from "./body-reader.ts";
import { ProtocolError } from "./protocol-error.ts";

const BYTES_MAX = 100;
const MiB = 1024 * 1024;

/** In pieces of so many bytes; gives the body and how many bytes it took, or the error. */
function read(text: string, pieceBytes: number, lengthBytes = -1): [body: string, takenBytes: number] | number {
  const reader = new BodyReader(lengthBytes, BYTES_MAX);
  const bytes = Buffer.from(text, "latin1");
  let at = 0;
  while (at < bytes.length && !reader.isDone) {
    const end = Math.min(bytes.length, at + pieceBytes);
    const next = reader.read(bytes, at, end);
    if (next < 0) return next;
    assert.ok(reader.isDone || next === end, "all that was there is taken");
    at = next;
  }
  assert.ok(reader.isDone, "it is whole");
  return [reader.isTooLarge ? "too large" : reader.take().toString("latin1"), at];
}

const BODIES: [text: string, body: string][] = [
  ["0\r\n\r\n", ""],
  ["3\r\nabc\r\n0\r\n\r\n", "abc"],
  ['00a\r\n0123456789\r\n1;x\r\n\r\r\n0;y="z"\r\n\r\n', "0123456789\r"],
  ["1\r\na\r\n1\r\nb\r\n000\r\nX: y\r\nZ:\r\n\r\n", "ab"],
];

test("chunks are joined wherever packets end, and what follows is left alone", () => {
  for (const [text, body] of BODIES) {
    for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes++) {
      assert.deepEqual(read(`${text}GET`, pieceBytes), [body, text.length], `${text} by ${pieceBytes}`);
    }
    assert.deepEqual(read(`${text}GET`, 1000), [body, text.length]);
  }
});

test("a body of a known length ends there", () => {
  for (let pieceBytes = 1; pieceBytes < 10; pieceBytes++)
    assert.deepEqual(read("abcdefGET", pieceBytes, 6), ["abcdef", 6]);
});

const BROKEN = [
  "\r\n",
  "g\r\n",
  " 1\r\n",
  "1 \r\n",
  "0x1\r\n",
  "-1\r\n",
  "1\n",
  "1\ra",
  "1\r\nab",
  "1\r\na\n",
  "1\r\na\rb",
  "1;\r\n",
  "1; a\r\n",
  "1;a\n",
  "1;a\u0000",
  "10000000\r\n",
  "0\r\n\n",
  "0\r\nX\r\n",
  "0\r\n X: y\r\n",
  "0\r\nX: \u0000",
  "0\r\nX: y\n",
  "0\r\n\rx",
];

for (const text of BROKEN) {
  test(`broken chunks: ${JSON.stringify(text)}`, () => {
    assert.equal(read(text, 1), ProtocolError.chunk);
    assert.equal(read(text, 1000), ProtocolError.chunk);
  });
}

test("extensions and trailers are bounded", () => {
  assert.equal(read(`1;${"a".repeat(20_000)}`, 1000), ProtocolError.trailerTooLarge);
  assert.equal(read(`0\r\n${"a: b\r\n".repeat(4000)}`, 1000), ProtocolError.trailerTooLarge);
});

test("a body over the limit is read to its end, one far over it is not", () => {
  assert.deepEqual(read(`65\r\n${"x".repeat(101)}\r\n0\r\n\r\n`, 10), ["too large", 112]);
  assert.deepEqual(read("x".repeat(101), 10, 101), ["too large", 101]);
  assert.equal(read(`3000000\r\n${"x".repeat(33 * MiB)}`, MiB), ProtocolError.bodyTooLarge);
});
