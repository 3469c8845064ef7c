import assert from "node:assert/strict";
import test from "node:test";
import { errors as models, SERVICE_NAMESPACE } from "../models/sns.ts";
import { errors } from "./errors.ts";

const modelled = [
  "AuthorizationError",
  "BatchEntryIdsNotDistinct",
  "BatchRequestTooLong",
  "EmptyBatchRequest",
  "FilterPolicyLimitExceeded",
  "InternalFailure",
  "InvalidBatchEntryId",
  "InvalidParameter",
  "InvalidState",
  "NotFound",
  "ParameterValueInvalid",
  "ResourceNotFound",
  "SubscriptionLimitExceeded",
  "TagLimitExceeded",
  "TooManyEntriesInBatchRequest",
  "TopicLimitExceeded",
] as const;

test("modelled refusals are spelled as AWS's model spells them", () => {
  for (const code of modelled) {
    const { jsonType, queryCode, status, fault } = errors.spellingOf(code);
    const shape = jsonType.slice(SERVICE_NAMESPACE.length + 1);
    assert.deepEqual({ queryCode, status }, models[shape], code);
    assert.equal(fault, status === 500 ? "Receiver" : "Sender");
  }
});

test("what any request can meet is spelled as everywhere, and another service's refusal under its own name", () => {
  assert.equal(errors.spellingOf("ServiceUnavailable").status, 503);
  assert.equal(errors.spellingOf("InvalidAction").queryCode, "InvalidAction");
  assert.equal(errors.spellingOf("QueueDoesNotExist").queryCode, "QueueDoesNotExist");
});
