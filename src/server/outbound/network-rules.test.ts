import assert from "node:assert/strict";
import { test } from "node:test";
import { NetworkRules } from "./network-rules.ts";

test("by default everything is allowed except metadata services", () => {
  const rules = new NetworkRules();
  for (const address of ["127.0.0.1", "::1", "10.1.2.3", "192.168.0.1", "fd12::1", "93.184.215.14", "2606:4700::1"]) {
    assert.equal(rules.refuse(address), undefined, address);
  }
  const metadata = ["169.254.169.254", "169.254.170.2", "fd00:ec2::254", "fe80::1%eth0", "100.100.100.200"];
  const hidden = ["::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"];
  for (const address of [...metadata, ...hidden]) {
    assert.match(rules.refuse(address) ?? "", /metadata service/, address);
  }
  assert.match(rules.refuse("pond") ?? "", /not an address/);
});

test("an allow list shuts everything else out", () => {
  const rules = new NetworkRules("10.0.0.0/8");
  assert.equal(rules.refuse("10.1.2.3"), undefined);
  assert.equal(rules.refuse("127.0.0.1"), "The setting outbound-allow does not include 127.0.0.1.");
  assert.match(rules.refuse("64:ff9b::a00:1") ?? "", /outbound-allow/, "both addresses have to be allowed");
});

test("the narrowest network decides, and a denial wins a draw", () => {
  const rules = new NetworkRules("0.0.0.0/0, 10.1.2.0/24, 10.9.0.0/16", "10.0.0.0/8, 10.1.0.0/16, 10.9.0.0/16");
  assert.equal(rules.refuse("10.1.2.3"), undefined);
  assert.equal(
    rules.refuse("10.1.3.3"),
    "The setting outbound-deny does not allow connections to 10.1.3.3 (10.1.0.0/16).",
  );
  assert.notEqual(rules.refuse("10.9.0.1"), undefined);
  assert.equal(rules.refuse("8.8.8.8"), undefined);
  assert.match(rules.refuse("169.254.169.254") ?? "", /metadata/, "a wide network does not open metadata services");
  assert.equal(new NetworkRules("169.254.169.254").refuse("169.254.169.254"), undefined);
});

test("denied loopback is denied under its other name, too", () => {
  const rules = new NetworkRules("", "127.0.0.0/8,::1");
  for (const address of ["127.0.0.1", "0.0.0.0", "::", "::ffff:127.0.0.1"]) {
    assert.match(rules.refuse(address) ?? "", /outbound-deny/, address);
  }
});
