import assert from "node:assert/strict";
import test from "node:test";
import { isRegion, regionOfHost, serviceOfHost } from "./host-name.ts";

test("host names of AWS's form name a region", () => {
  assert.equal(regionOfHost("sqs.eu-west-1.amazonaws.com"), "eu-west-1");
  assert.equal(regionOfHost("sns.eu-west-1.amazonaws.com"), "eu-west-1");
  assert.equal(regionOfHost("us-gov-west-1.queue.amazonaws.com"), "us-gov-west-1");
  assert.equal(regionOfHost("sqs.ap-south-2.localhost.localstack.cloud:4566"), "ap-south-2");
  assert.equal(regionOfHost("queue.amazonaws.com"), undefined);
  assert.equal(regionOfHost("sqs.test:9324"), undefined);
  assert.equal(regionOfHost("millpond.eu-west-1.example.com"), undefined);
  assert.equal(isRegion("eu-west-1"), true);
  assert.equal(isRegion("orders"), false);
});

test("and a service, also without a region", () => {
  assert.equal(serviceOfHost("sns.eu-west-1.amazonaws.com"), "sns");
  assert.equal(serviceOfHost("sns.test:9324"), "sns");
  assert.equal(serviceOfHost("sns"), undefined);
  assert.equal(serviceOfHost("localhost:4566"), undefined);
});
