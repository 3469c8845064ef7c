import assert from "node:assert/strict";
import test from "node:test";
import { errors as models, SERVICE_NAMESPACE } from "../models/lambda.ts";
import { errors, own } from "./errors.ts";

/** What Lambda's front answers itself, and what is retried under another status. */
const UNMODELLED = [
  "Serialization",
  "UnknownOperation",
  "ServiceUnavailable",
  "RequestTooLarge",
  "ValidationException",
];

test("modelled refusals are spelled as AWS's model spells them", () => {
  for (const code of Object.keys(own) as (keyof typeof own)[]) {
    if (UNMODELLED.includes(code) || code === "RequestEntityTooLargeException") continue;
    const { jsonType, queryCode, status } = errors.spellingOf(code);
    assert.equal(jsonType, `${SERVICE_NAMESPACE}#${queryCode}`);
    assert.equal(models[queryCode]?.status, status, code);
  }
});
