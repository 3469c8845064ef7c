import assert from "node:assert/strict";
import { test } from "node:test";
import { addressKey } from "./ip-address.ts";
import { holdsAddress, parseNetwork, parseNetworks, reachedAddresses } from "./network.ts";

function holds(network: string, address: string): boolean {
  const parsed = parseNetwork(network);
  assert.ok(parsed !== undefined, network);
  return holdsAddress(parsed, addressKey(address) ?? "");
}

test("a network holds its addresses and no others", () => {
  assert.ok(holds("10.0.0.0/8", "10.255.0.1"));
  assert.ok(!holds("10.0.0.0/8", "11.0.0.0"));
  assert.ok(holds("192.168.1.7", "192.168.1.7"));
  assert.ok(!holds("192.168.1.7", "192.168.1.8"));
  assert.ok(holds("fd00::/8", "fdff::1"));
  assert.ok(!holds("::/0", "10.0.0.1"), "the versions do not overlap");
  assert.ok(holds("0.0.0.0/0", "255.255.255.255"));
  assert.ok(holds("10.1.2.3/32", "10.1.2.3"));
});

test("a list is read whole or not at all", () => {
  assert.deepEqual(
    parseNetworks(" 10.0.0.0/8, ::1 ")?.map(({ text, bits }) => [text, bits]),
    [
      ["10.0.0.0/8", 8],
      ["::1", 128],
    ],
  );
  assert.deepEqual(parseNetworks(""), []);
  for (const wrong of ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/9", "::/129", "pond", "10.0.0.0/8,", "1.2.3.4/-1"]) {
    assert.equal(parseNetworks(wrong), undefined, wrong);
  }
});

test("an address inside another is seen", () => {
  const metadata = addressKey("169.254.169.254");
  assert.deepEqual(reachedAddresses("::ffff:169.254.169.254"), [metadata]);
  assert.ok(reachedAddresses("64:ff9b::a9fe:a9fe").includes(metadata ?? ""));
  assert.ok(reachedAddresses("2002:a9fe:a9fe::1").includes(metadata ?? ""));
  assert.ok(reachedAddresses("0.0.0.0").includes(addressKey("127.0.0.1") ?? ""));
  assert.ok(reachedAddresses("::").includes(addressKey("::1") ?? ""));
  assert.deepEqual(reachedAddresses("fe80::1%eth0"), [addressKey("fe80::1")]);
  assert.deepEqual(reachedAddresses("pond"), []);
});
