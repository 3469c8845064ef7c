import assert from "node:assert/strict";
import { test } from "node:test";
import { formatByteSize, parseByteSize } from "./byte-size.ts";

test("sizes are binary units or plain bytes, and parse back to what was shown", () => {
  assert.equal(parseByteSize("64MiB"), 64 * 1024 * 1024);
  assert.equal(parseByteSize("512 kib"), 512 * 1024);
  assert.equal(parseByteSize("1000"), 1000);
  assert.equal(parseByteSize("64MB"), undefined);
  assert.equal(parseByteSize("lots"), undefined);
  for (const bytes of [0, 1, 1023, 1024, 1536, 64 * 1024 * 1024]) {
    assert.equal(parseByteSize(formatByteSize(bytes)), bytes);
  }
});
