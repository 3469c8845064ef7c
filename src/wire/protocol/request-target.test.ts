import assert from "node:assert/strict";
import test from "node:test";
import { request, settings } from "../exchange.test.fixture.ts";
import { publicBase, readTarget } from "./request-target.ts";

test("a target splits into decoded path parts and the query string", () => {
  assert.deepEqual(readTarget("/"), { pathParts: [], query: "" });
  assert.deepEqual(readTarget("/000000000000/a%2Eb//?Action=X&Y"), {
    pathParts: ["000000000000", "a.b"],
    query: "Action=X&Y",
  });
  assert.deepEqual(readTarget("http://proxy:1/queue/q"), { pathParts: ["queue", "q"], query: "" });
  assert.deepEqual(readTarget("/%E0%A4%A"), { pathParts: ["%E0%A4%A"], query: "" });
});

test("the public address is the one the caller used (C027)", () => {
  assert.equal(publicBase(request({ headers: { host: "other:81" } }), settings), "http://other:81");
  assert.equal(publicBase(request({ headers: { host: "[::1]:81" }, secure: true }), settings), "https://[::1]:81");
  assert.equal(publicBase(request({}), settings), "http://127.0.0.1:9324");
  assert.equal(publicBase(request({ headers: { host: 'evil"/<x>' } }), settings), "http://127.0.0.1:9324");
});

test("a configured public URL beats everything", () => {
  const publicUrl = "https://queues.example/sqs/";
  assert.equal(
    publicBase(request({ headers: { host: "h" } }), { ...settings, publicUrl }),
    "https://queues.example/sqs",
  );
});

test("forwarded headers count only when trusted", () => {
  const forwarded = request({
    headers: {
      host: "inner:9324",
      "x-forwarded-proto": "https, http",
      "x-forwarded-host": "outer.example",
      "x-forwarded-port": "8443",
    },
  });
  assert.equal(publicBase(forwarded, settings), "http://inner:9324");
  assert.equal(publicBase(forwarded, { ...settings, trustForwarded: true }), "https://outer.example:8443");
  const standard = request({ headers: { ...forwarded.headers, "x-forwarded-port": "443" } });
  assert.equal(publicBase(standard, { ...settings, trustForwarded: true }), "https://outer.example");
});
