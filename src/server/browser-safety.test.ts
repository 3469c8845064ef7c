import assert from "node:assert/strict";
import { test } from "node:test";
import { isForgedAwsRequest, isForgedFunctionRequest, mayWriteAdmin } from "./browser-safety.ts";
import type { FrontRequest } from "./http-front.ts";

function request(headers: Record<string, string>): FrontRequest {
  const all = { host: "localhost:4566", ...headers };
  return {
    method: "POST",
    target: "/",
    headers: all,
    body: new Uint8Array(0),
    secure: false,
    localAuthority: "127.0.0.1:4566",
  };
}

test("programs, which send no Origin, may write; pages of other origins may not", () => {
  assert.equal(mayWriteAdmin(request({})), true);
  assert.equal(mayWriteAdmin(request({ origin: "http://localhost:4566" })), true);
  assert.equal(mayWriteAdmin(request({ origin: "http://localhost:3000" })), false);
  assert.equal(mayWriteAdmin(request({ origin: "https://evil.example" })), false);
  assert.equal(mayWriteAdmin(request({ origin: "null" })), false);
  assert.equal(mayWriteAdmin(request({ "sec-fetch-site": "cross-site" })), false);
});

test("a page whose own name points at this machine may not write either", () => {
  assert.equal(mayWriteAdmin(request({ host: "evil.example:4566", origin: "http://evil.example:4566" })), false);
  assert.equal(mayWriteAdmin(request({ host: "[::1]:4566", origin: "http://[::1]:4566" })), true);
});

test("an unsigned AWS request from a foreign page is forged; a signed one is not", () => {
  const foreign = { origin: "https://evil.example" };
  assert.equal(isForgedAwsRequest(request(foreign)), true);
  assert.equal(isForgedAwsRequest(request({ ...foreign, authorization: "AWS4-HMAC-SHA256 Credential=a" })), false);
  assert.equal(isForgedAwsRequest(request({})), false);
});

test("a link in a message to a subscriber may be followed from anywhere", () => {
  const from = { ...request({ "sec-fetch-site": "cross-site" }), method: "GET" };
  assert.equal(isForgedAwsRequest({ ...from, target: "/?Action=ConfirmSubscription&Token=a" }), false);
  assert.equal(isForgedAwsRequest({ ...from, target: "/?SubscriptionArn=a&Action=Unsubscribe" }), false);
  assert.equal(isForgedAwsRequest({ ...from, target: "/?Action=DeleteTopic&x=&Action=x" }), true);
  assert.equal(isForgedAwsRequest({ ...from, target: "/?Action=Unsubscribe", method: "POST" }), true);
});

test("no page from elsewhere says anything about functions, signed or not, under whatever name", () => {
  const at = (headers: Record<string, string>) => ({ ...request(headers), target: "/2015-03-31/functions" });
  const signed = { authorization: "AWS4-HMAC-SHA256 Credential=a/b/c/d/aws4_request" };
  assert.equal(isForgedFunctionRequest(at({})), false);
  assert.equal(isForgedFunctionRequest(at({ host: "pond.example", ...signed })), false);
  assert.equal(isForgedFunctionRequest(at({ origin: "https://evil.example", ...signed })), true);
  const rebound = { host: "evil.example:4566", origin: "http://evil.example:4566", ...signed };
  assert.equal(isForgedFunctionRequest(at(rebound)), true);
  assert.equal(isForgedFunctionRequest({ ...request(rebound), target: "/%32015-03-31/functions" }), true);
  assert.equal(isForgedFunctionRequest(request(rebound)), false);
});
