import assert from "node:assert/strict";
import test from "node:test";
import { operations } from "../models/sqs.ts";
import { readInPlace } from "./in-place.ts";
import type { Structure } from "./model.ts";
import { readStructure, Unreadable } from "./shape.ts";

const send = operations.SendMessage.input;
const batch = operations.SendMessageBatch.input;

test("what is read in place is what the model's reader makes of a copy", () => {
  const attributes = { k: { DataType: "String", StringValue: "v" }, __proto__: null };
  const blob = { k: { DataType: "Binary", BinaryValue: "AQID" }, n: null };
  const documents: [Structure, unknown][] = [
    [send, {}],
    [send, { MessageBody: "b", QueueUrl: "u", DelaySeconds: 3 }],
    [send, { MessageBody: null, DelaySeconds: null, MessageAttributes: attributes }],
    [send, { MessageAttributes: blob, MessageSystemAttributes: {} }],
    [batch, { Entries: [] }],
    [batch, { Entries: [null, { Id: "a", MessageBody: "x" }, null, { Id: null, MessageAttributes: blob }] }],
  ];
  for (const [shape, document] of documents) {
    const text = JSON.stringify(document);
    assert.deepEqual(known(readInPlace(shape, JSON.parse(text))), known(readStructure(shape, JSON.parse(text))), text);
  }
});

test("what the model's reader refuses is refused", () => {
  const documents = [
    "[]",
    '"x"',
    "null",
    '{"Entries":{}}',
    '{"Entries":"x"}',
    '{"Entries":[[]]}',
    '{"Entries":[{"Id":1}]}',
    '{"Entries":[{"DelaySeconds":"1"}]}',
    '{"Entries":[{"MessageAttributes":[]}]}',
    '{"Entries":[{"MessageAttributes":{"k":{"BinaryValue":"@"}}}]}',
    '{"QueueUrl":{}}',
  ];
  for (const text of documents) {
    assert.throws(() => readStructure(batch, JSON.parse(text)), Unreadable, text);
    assert.throws(() => readInPlace(batch, JSON.parse(text)), Unreadable, text);
  }
});

test("members that the model does not know are left alone, whatever they are called", () => {
  const text = '{"__proto__":{"MessageBody":"x"},"constructor":1,"hasOwnProperty":null,"MessageBody":"b"}';
  const { MessageBody, QueueUrl } = readInPlace(send, JSON.parse(text));
  assert.deepEqual([MessageBody, QueueUrl], ["b", undefined]);
});

/** Absent and undefined are the same to an operation. */
function known(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([k, v]) => (v === undefined ? [] : [[k, known(v)]])));
}
