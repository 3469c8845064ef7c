import assert from "node:assert/strict";
import test from "node:test";
import { getRequest, jsonRequest, queryRequest, request } from "./exchange.test.fixture.ts";
import { isAwsRequest } from "./is-aws-request.ts";

test("what is signed, named or addressed like a queue is an AWS request", () => {
  const calls = [
    jsonRequest("ListQueues", {}),
    queryRequest({ Action: "ListQueues" }),
    queryRequest({ Action: "SendMessage" }, "/anything"),
    getRequest({ Action: "ListQueues" }),
    getRequest({}, "/000000000000/orders"),
    getRequest({}, "/queue/orders"),
    getRequest({}, "/queue/us-east-1/000000000000/orders"),
    getRequest({}, "/?X-Amz-Credential=a"),
    request({ method: "POST" }),
    request({ method: "GET", target: "/2015-03-31/functions/orders" }),
    request({ method: "GET", target: "/x", headers: { authorization: "AWS4-HMAC-SHA256 Credential=a" } }),
  ];
  for (const call of calls) assert.equal(isAwsRequest(call), true, `${call.method} ${call.target}`);
});

test("pages, probes and the admin API are not", () => {
  for (const path of [
    "/",
    "/console/",
    "/health",
    "/api/queues/000000000000/orders",
    "/queue",
    "/metrics?x=Action=y",
  ]) {
    assert.equal(isAwsRequest(getRequest({}, path)), false, path);
  }
  const json = { "content-type": "application/json" };
  assert.equal(isAwsRequest(request({ target: "/api/queues", headers: json })), false);
});
