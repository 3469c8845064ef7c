import assert from "node:assert/strict";
import { test } from "node:test";
import { addressKey, blockOf } from "./ip-address.ts";

test("addresses in any spelling have one key", () => {
  assert.equal(addressKey("10.0.0.255"), "40a0000ff");
  const loopback = `6${"0".repeat(31)}1`;
  for (const text of ["::1", "0:0:0:0:0:0:0:1", "0000::0001", "::0.0.0.1"])
    assert.equal(addressKey(text), loopback, text);
  assert.equal(addressKey("2001:DB8::"), addressKey("2001:db8:0:0:0:0:0:0"));
  assert.equal(addressKey("::ffff:10.0.0.1"), `6${"0".repeat(20)}ffff0a000001`);
});

test("what is no address has no key", () => {
  const wrong = ["", "pond", "10.0.0", "10.0.0.256", "10.0.0.0.1", "10.0.0.x", ":", ":::", "1:2:3", "1::2::3"];
  for (const text of [...wrong, "1:2:3:4:5:6:7:8:9", "::1:2:3:4:5:6:7:8", "12345::", "g::", "::1.2.3"]) {
    assert.equal(addressKey(text), undefined, text);
  }
});

test("a block of all bits is one address", () => {
  assert.deepEqual(blockOf("40a000001", 32), { low: "40a000001", high: "40a000001" });
});
