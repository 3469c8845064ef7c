import assert from "node:assert/strict";
import { test } from "node:test";
import type { FrontRequest } from "./http-front.ts";
import { PageAccess, preflightAnswer } from "./page-access.ts";

function from(origin: string, given: Partial<FrontRequest> = {}): FrontRequest {
  return {
    method: "POST",
    target: "/",
    headers: { host: "localhost:4566", origin },
    body: new Uint8Array(0),
    secure: false,
    localAuthority: "127.0.0.1:4566",
    ...given,
  };
}

test("local lets the pages of this machine in, whatever their port, and no name or address of others", () => {
  const pages = new PageAccess("local");
  for (const origin of ["http://localhost:3000", "https://localhost", "http://127.0.0.1:5173", "http://[::1]:8080"]) {
    assert.equal(pages.mayCall(from(origin)), true, origin);
  }
  assert.equal(pages.mayCall(from("http://app.localhost:3000")), true);
  const others = ["https://evil.example", "http://localhost.evil.example", "http://10.0.0.7:3000", "null", "file://"];
  for (const origin of others) assert.equal(pages.mayCall(from(origin)), false, origin);
});

test("named origins are let in exactly as named, all with a star, none with none", () => {
  const named = new PageAccess("https://app.example.com, http://dev.example.com:3000");
  assert.equal(named.mayCall(from("https://app.example.com")), true);
  assert.equal(named.mayCall(from("https://App.Example.com")), true);
  assert.equal(named.mayCall(from("http://app.example.com")), false);
  assert.equal(named.mayCall(from("http://dev.example.com:3000")), true);
  assert.equal(named.mayCall(from("http://localhost:3000")), false);
  assert.equal(new PageAccess("*").mayCall(from("https://evil.example")), true);
  assert.equal(new PageAccess("none").mayCall(from("http://localhost:3000")), false);
  assert.equal(new PageAccess("local,https://app.example.com").mayCall(from("http://localhost:3000")), true);
});

test("functions and the admin API are for no page from elsewhere; a page of the server itself needs no leave", () => {
  const pages = new PageAccess("*");
  for (const target of [
    "/2015-03-31/functions",
    "//2015-03-31/functions",
    "/%32015-03-31/functions",
    "/_millpond/queues",
    "/health",
  ]) {
    assert.equal(pages.mayCall(from("http://localhost:3000", { target })), false, target);
  }
  assert.equal(pages.mayCall(from("http://localhost:4566")), false);
});

test("a preflight sends back the headers asked for, unless they are no names of headers", () => {
  const asked = (names: string) => {
    const headers = { ...from("http://localhost:3000").headers, "access-control-request-headers": names };
    return preflightAnswer(from("", { method: "OPTIONS", headers })).headers["access-control-allow-headers"];
  };
  assert.equal(asked("authorization,x-amz-target, amz-sdk-request"), "authorization,x-amz-target, amz-sdk-request");
  assert.equal(asked("a: b"), "");
});
