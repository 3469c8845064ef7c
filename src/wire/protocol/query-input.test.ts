import assert from "node:assert/strict";
import test from "node:test";
import { operations } from "../models/sqs.ts";
import type { FormNode } from "./form.ts";
import { addFields } from "./form.ts";
import type { Structure } from "./model.ts";
import { readQueryInput } from "./query-input.ts";

const attributesInput = operations.GetQueueAttributes.input;
const expected = { AttributeNames: ["Policy", "QueueArn"] };

test("a list is read in every way that callers number it", () => {
  for (const form of [
    "AttributeName.1=Policy&AttributeName.2=QueueArn",
    "AttributeName.0=Policy&AttributeName.1=QueueArn",
    "AttributeName.7=QueueArn&AttributeName.3=Policy",
    "AttributeName.10=QueueArn&AttributeName.9=Policy",
    "AttributeName=Policy&AttributeName=QueueArn",
    "AttributeName.member.1=Policy&AttributeName.member.2=QueueArn",
    "AttributeName.entry.1=Policy&AttributeName.entry.2=QueueArn",
  ]) {
    assert.deepEqual(readForm(attributesInput, form), expected, form);
  }
});

test("an empty list parameter is an empty list", () => {
  assert.deepEqual(readForm(attributesInput, "AttributeName="), { AttributeNames: [] });
});

test("a map is read numbered, below entry, and as a lone pair", () => {
  const input = operations.SetQueueAttributes.input;
  for (const form of [
    "Attribute.1.Name=DelaySeconds&Attribute.1.Value=45",
    "Attribute.entry.1.Name=DelaySeconds&Attribute.entry.1.Value=45",
    "Attribute.Name=DelaySeconds&Attribute.Value=45",
  ]) {
    const { Attributes } = readForm(input, form) as { Attributes: object };
    assert.deepEqual({ ...Attributes }, { DelaySeconds: "45" }, form);
  }
});

test("structures nest, and blobs and integers are read", () => {
  const entry = "SendMessageBatchRequestEntry.1";
  const form =
    `${entry}.Id=a&${entry}.MessageBody=b+c%26&${entry}.DelaySeconds=3&${entry}.MessageAttribute.1.Name=k` +
    `&${entry}.MessageAttribute.1.Value.DataType=Binary&${entry}.MessageAttribute.1.Value.BinaryValue=AQI%3D`;
  const { Entries } = readForm(operations.SendMessageBatch.input, form) as { Entries: Record<string, unknown>[] };
  const [{ MessageAttributes, ...rest } = {}] = Entries;
  assert.deepEqual(rest, { Id: "a", MessageBody: "b c&", DelaySeconds: 3 });
  const { k } = MessageAttributes as { k: { DataType: string; BinaryValue: Uint8Array } };
  assert.deepEqual([k.DataType, [...k.BinaryValue]], ["Binary", [1, 2]]);
});

test("names of JavaScript's own are names like any other", () => {
  const form = "Attribute.1.Name=__proto__&Attribute.1.Value=x&constructor=y&__proto__.QueueUrl=z";
  const { Attributes, ...rest } = readForm(operations.SetQueueAttributes.input, form) as { Attributes: object };
  assert.deepEqual(Object.entries(Attributes), [["__proto__", "x"]]);
  assert.deepEqual(rest, {});
});

test("a pair with fields where its value belongs has an empty value, not none", () => {
  assert.equal(
    JSON.stringify(readForm(operations.TagQueue.input, "Tag.1.Key=a&Tag.1.Value.b=c")),
    JSON.stringify({ Tags: { a: "" } }),
  );
});

test("an integer must be one, and an empty one is absent", () => {
  const input = operations.ReceiveMessage.input;
  assert.deepEqual(readForm(input, "MaxNumberOfMessages=&WaitTimeSeconds=-1"), { WaitTimeSeconds: -1 });
  for (const value of ["1.5", "x", "1e3", "0x10", "99999999999", "%20"]) {
    assert.equal(readForm(input, `MaxNumberOfMessages=${value}`), "Serialization", value);
  }
});

test("fields that come first win", () => {
  const form: FormNode = {};
  addFields(form, "QueueName=body");
  addFields(form, "QueueName=query");
  assert.deepEqual(readQueryInput(operations.GetQueueUrl.input, form), { ok: true, value: { QueueName: "body" } });
});

/** What was read, or the code of the refusal. */
function readForm(input: Structure, encoded: string): Record<string, unknown> | string {
  const form: FormNode = {};
  const added = addFields(form, encoded);
  if (!added.ok) return added.refusal.code;
  const result = readQueryInput(input, form);
  return result.ok ? result.value : result.refusal.code;
}
