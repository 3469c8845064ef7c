import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { joinedCrc } from "./joined-crc.ts";

test("the CRCs of two parts give the CRC of the whole", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array({ maxLength: 5000 }), (first, second) => {
      const whole = crc32(Buffer.concat([first, second]));
      // Node's crc32 answers 0 for nothing, which is right.
      assert.equal(joinedCrc(crc32(first), crc32(second), second.length), whole);
    }),
  );
});
