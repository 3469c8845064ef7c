import assert from "node:assert/strict";
import test from "node:test";
import type { RefusalCode } from "../../engine/refusal.ts";
import { queueDoesNotExist, refusal } from "../../engine/refusal.ts";
import { errors as models, SERVICE_NAMESPACE } from "../models/sqs.ts";
import { errors } from "./errors.ts";

const { spellingOf, queryMessageOf } = errors;

const modelled: RefusalCode[] = [
  "BatchEntryIdsNotDistinct",
  "BatchRequestTooLong",
  "EmptyBatchRequest",
  "InvalidBatchEntryId",
  "TooManyEntriesInBatchRequest",
  "MessageNotInflight",
  "UnsupportedOperation",
  "QueueDeletedRecently",
  "QueueDoesNotExist",
  "PurgeQueueInProgress",
  "QueueNameExists",
  "OverLimit",
  "RequestThrottled",
  "InvalidAddress",
  "ReceiptHandleIsInvalid",
  "ResourceNotFoundException",
  "InvalidAttributeName",
  "InvalidAttributeValue",
  "InvalidMessageContents",
];

test("modelled refusals are spelled as AWS's model spells them", () => {
  for (const code of modelled) {
    const { jsonType, queryCode, status, fault } = spellingOf(code);
    assert.equal(jsonType, `${SERVICE_NAMESPACE}#${code}`);
    assert.deepEqual({ queryCode, status }, models[code], code);
    assert.equal(fault, "Sender");
  }
});

test("common refusals have their own namespace, and only the server's faults are the receiver's", () => {
  assert.deepEqual(spellingOf("MissingParameter"), {
    jsonType: "com.amazon.coral.service#MissingRequiredParameterException",
    queryCode: "MissingParameter",
    status: 400,
    fault: "Sender",
  });
  assert.equal(spellingOf("InvalidParameterValue").jsonType, "com.amazon.coral.service#InvalidParameterValueException");
  assert.equal(spellingOf("Serialization").queryCode, "MalformedInput");
  assert.deepEqual(
    [spellingOf("ServiceUnavailable").status, spellingOf("ServiceUnavailable").fault],
    [503, "Receiver"],
  );
});

test("a missing queue has a longer text in the Query protocol", () => {
  assert.equal(queryMessageOf(queueDoesNotExist()), "The specified queue does not exist for this wsdl version.");
  assert.equal(queryMessageOf(refusal("OverLimit", "Too many.")), "Too many.");
});
