import assert from "node:assert/strict";
import test from "node:test";
import { queryServices } from "../services.ts";
import type { QuerySigns } from "./which-service.ts";
import { serviceOfQuery } from "./which-service.ts";

const nothing: QuerySigns = { signedFor: undefined, version: undefined, action: undefined, host: "localhost:4566" };

function named(signs: Partial<QuerySigns>): string {
  return serviceOfQuery(queryServices, { ...nothing, ...signs }).name;
}

test("a request without a sign is for SQS", () => {
  assert.equal(named({}), "sqs");
  assert.equal(named({ action: "AddPermission" }), "sqs");
  assert.equal(named({ signedFor: "s3", version: "2006-03-01", action: "Frobnicate" }), "sqs");
});

test("the more telling sign wins", () => {
  assert.equal(named({ host: "sns.eu-west-1.amazonaws.com" }), "sns");
  assert.equal(named({ host: "sns.eu-west-1.amazonaws.com", action: "SendMessage" }), "sqs");
  assert.equal(named({ action: "Publish" }), "sns");
  assert.equal(named({ action: "Publish", version: "2012-11-05" }), "sqs");
  assert.equal(named({ version: "2010-03-31", signedFor: "sqs" }), "sqs");
  assert.equal(named({ signedFor: "sns", version: "2012-11-05" }), "sns");
});
