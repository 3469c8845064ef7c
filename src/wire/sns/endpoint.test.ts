import assert from "node:assert/strict";
import test from "node:test";
import { isPhoneNumber, readEndpoint } from "./endpoint.ts";

test("phone numbers are E.164, with single separators between digits", () => {
  for (const good of ["+15550100200", "15550100200", "+1-555-010-0200", "1.555.010/0200"]) {
    assert.equal(isPhoneNumber(good), true, good);
  }
  for (const bad of ["", "+", "+0155", "1--555", "-1555", "1555-", "+-1555", "1555a", "+1234567890123456"]) {
    assert.equal(isPhoneNumber(bad), false, bad);
  }
});

test("each protocol has its endpoints", () => {
  for (const [protocol, endpoint] of [
    ["sqs", "arn:aws:sqs:us-east-1:000000000000:orders.fifo"],
    ["lambda", "arn:aws:lambda:us-east-1:000000000000:function:work:1"],
    ["http", "http://user:pass@127.0.0.1:8080/hook?x=1"],
    ["https", "https://example.test/"],
    ["email", "frog@pond.test"],
    ["email-json", "frog@pond.test"],
  ] as const) {
    assert.deepEqual(readEndpoint(protocol, endpoint), { ok: true, value: { protocol, endpoint } });
  }
  for (const [protocol, endpoint] of [
    ["sqs", "arn:aws:sns:us-east-1:000000000000:orders"],
    ["lambda", "arn:aws:lambda:us-east-1:000000000000:work"],
    ["https", "http://example.test/"],
    ["http", "http://"],
    ["email", "frog@pond@test"],
    ["toString", "x"],
  ] as const) {
    assert.equal(readEndpoint(protocol, endpoint).ok, false, `${protocol} ${endpoint}`);
  }
});
