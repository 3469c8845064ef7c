import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultAttributes, differingAttribute, mergeAttributes, readAttributes } from "./queue-attributes.ts";

function refusalOf(given: Record<string, string>, fifo = false): string {
  const read = readAttributes(given, fifo);
  return read.ok ? "accepted" : `${read.refusal.code}: ${read.refusal.message}`;
}

test("values at the ends of their range are taken, those beyond are not", () => {
  const ranges: [string, number, number][] = [
    ["DelaySeconds", 0, 900],
    ["MaximumMessageSize", 1024, 1_048_576],
    ["MessageRetentionPeriod", 60, 1_209_600],
    ["ReceiveMessageWaitTimeSeconds", 0, 20],
    ["VisibilityTimeout", 0, 43_200],
    ["KmsDataKeyReusePeriodSeconds", 60, 86_400],
  ];
  for (const [name, min, max] of ranges) {
    assert.equal(refusalOf({ [name]: String(min) }), "accepted");
    assert.equal(refusalOf({ [name]: String(max) }), "accepted");
    const refused = `InvalidAttributeValue: Invalid value for the parameter ${name}.`;
    for (const bad of [String(min - 1), String(max + 1), "", "1.5", "ten", "1e3", " 5"]) {
      assert.equal(refusalOf({ [name]: bad }), refused, `${name}=${bad}`);
    }
  }
});

test("FIFO attributes are unknown or refused on a standard queue", () => {
  assert.equal(refusalOf({ FifoQueue: "false" }), "InvalidAttributeName: Unknown Attribute FifoQueue.");
  assert.equal(
    refusalOf({ DeduplicationScope: "queue" }),
    "InvalidAttributeName: You can specify the DeduplicationScope only when FifoQueue is set to true.",
  );
});

test("names of the language are no attributes", () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    assert.match(refusalOf({ [name]: "x" }), /^InvalidAttributeName|accepted/);
  }
  assert.equal(refusalOf({ constructor: "x" }), "InvalidAttributeName: Unknown Attribute constructor.");
});

test("booleans may be written True and come back in lower case", () => {
  const read = readAttributes({ ContentBasedDeduplication: "True" }, true);
  assert.deepEqual(read, { ok: true, value: { ContentBasedDeduplication: "true" } });
});

test("a KMS key switches SQS encryption off, and removing it leaves it off", () => {
  const withKey = mergeAttributes(defaultAttributes(false), {
    KmsMasterKeyId: "alias/k",
    KmsDataKeyReusePeriodSeconds: "60",
  });
  assert.ok(withKey.ok);
  assert.equal(withKey.value.SqsManagedSseEnabled, "false");
  const without = mergeAttributes(withKey.value, { KmsMasterKeyId: "" });
  assert.ok(without.ok);
  assert.equal(without.value.SqsManagedSseEnabled, "false");
  assert.equal(without.value.KmsMasterKeyId, undefined);
  assert.equal(without.value.KmsDataKeyReusePeriodSeconds, undefined);
});

test("policies are compared by meaning, not by spelling", () => {
  const current = { RedrivePolicy: '{"deadLetterTargetArn":"a","maxReceiveCount":3}' };
  assert.equal(
    differingAttribute({ RedrivePolicy: '{ "maxReceiveCount": "3", "deadLetterTargetArn": "a" }' }, current),
    undefined,
  );
  assert.equal(
    differingAttribute({ RedrivePolicy: '{"deadLetterTargetArn":"a","maxReceiveCount":4}' }, current),
    "RedrivePolicy",
  );
});
