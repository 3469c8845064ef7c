import assert from "node:assert/strict";
import { test } from "node:test";
import { addressKey } from "../../base/ip-address.ts";
import { parseCidr } from "./cidr.ts";

test("blocks reach from their first to their last address", () => {
  assert.deepEqual(parseCidr("10.1.2.3/8"), {
    ok: true,
    low: addressKey("10.0.0.0"),
    high: addressKey("10.255.255.255"),
  });
  assert.deepEqual(parseCidr("10.1.2.7/30"), { ok: true, low: addressKey("10.1.2.4"), high: addressKey("10.1.2.7") });
  assert.deepEqual(parseCidr("0.0.0.0/0"), { ok: true, low: "400000000", high: "4ffffffff" });
  const six = parseCidr("2001:db8::/127");
  assert.deepEqual(six, { ok: true, low: addressKey("2001:db8::"), high: addressKey("2001:db8::1") });
});

test("malformed blocks are refused", () => {
  for (const text of ["300.0.0.1/8", "10.0.0.0/-1", "::/128", "10.0.0.0/ 8"])
    assert.equal(parseCidr(text).ok, false, text);
});
