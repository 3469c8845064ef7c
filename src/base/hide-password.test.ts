import assert from "node:assert/strict";
import { test } from "node:test";
import { hidePassword } from "./hide-password.ts";

test("the password of a URL is hidden, and nothing else of an address is changed", () => {
  for (const [address, shown] of [
    ["http://user:secret@host/path?a=b", "http://user:****@host/path?a=b"],
    ["HTTPS://user:s:e@cret@host:8443", "HTTPS://user:****@host:8443"],
    ["https://:secret@[::1]:80/", "https://:****@[::1]:80/"],
    ["http://user@host/", "http://user@host/"],
    ["http://host:80/to:someone@example.com", "http://host:80/to:someone@example.com"],
    ["http://host:80?to=a:b@c", "http://host:80?to=a:b@c"],
    ["someone@example.com", "someone@example.com"],
    ["arn:aws:sqs:us-east-1:000000000000:orders", "arn:aws:sqs:us-east-1:000000000000:orders"],
  ] as const) {
    assert.equal(hidePassword(address), shown);
  }
});
