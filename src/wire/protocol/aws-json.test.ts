import assert from "node:assert/strict";
import test from "node:test";
import { operations } from "../models/sqs.ts";
import { readJsonInput } from "./aws-json.ts";

const send = operations.SendMessage.input;

test("an empty body is an empty object, null is absent and unknown members are ignored", () => {
  assert.deepEqual(readJson(""), {});
  assert.deepEqual(readJson("{}"), {});
  const { QueueUrl, MessageBody } = readJson('{"QueueUrl":null,"MessageBody":"b","Nope":[[{}]],"toString":1}') as {
    QueueUrl: unknown;
    MessageBody: unknown;
  };
  assert.deepEqual([QueueUrl, MessageBody], [undefined, "b"]);
});

test("values of the wrong type are refused with AWS's words", () => {
  const texts: [string, string][] = [
    ['{"DelaySeconds":"5"}', "STRING_VALUE can not be converted to an Integer"],
    ['{"DelaySeconds":1.5}', "NUMBER_VALUE can not be converted to an Integer"],
    ['{"DelaySeconds":4294967296}', "NUMBER_VALUE can not be converted to an Integer"],
    ['{"MessageBody":5}', "NUMBER_VALUE can not be converted to a String"],
    ['{"MessageBody":true}', "TRUE_VALUE can not be converted to a String"],
    ['{"MessageBody":["a"]}', "Start of list found where not expected"],
    ['{"MessageBody":{}}', "Start of structure or map found where not expected."],
    ['{"MessageAttributes":"x"}', "Unrecognized collection type class java.lang.String"],
    ['{"MessageAttributes":[]}', "Start of list found where not expected"],
    ['{"MessageAttributes":{"k":"v"}}', "Unrecognized collection type class java.lang.String"],
    ["[]", "Start of list found where not expected"],
    ['"x"', "Unrecognized collection type class java.lang.String"],
  ];
  for (const [body, text] of texts) assert.equal(readJson(body), text, body);
});

test("text that is no JSON, no UTF-8 or no base64 is refused", () => {
  for (const body of ["{", "null x", '{"MessageBody":"\u0000"}', "{'a':1}"]) {
    assert.equal(readJson(body), "The request body is not valid JSON.", body);
  }
  const broken = readJsonInput(send, Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d));
  assert.equal(!broken.ok && broken.refusal.code, "Serialization");
  const attributes = '{"MessageAttributes":{"k":{"DataType":"Binary","BinaryValue":"@@@"}}}';
  assert.match(String(readJson(attributes)), /base64/);
});

test("maps keep names of JavaScript's own and lend none", () => {
  const { MessageAttributes } = readJson('{"MessageAttributes":{"__proto__":{"DataType":"String"}}}') as {
    MessageAttributes: object;
  };
  assert.deepEqual(Object.keys(MessageAttributes), ["__proto__"]);
  assert.equal(Object.getPrototypeOf(MessageAttributes), null);
});

/** What was read, or the text of the refusal. */
function readJson(body: string): Record<string, unknown> | string {
  const result = readJsonInput(send, Buffer.from(body));
  return result.ok ? result.value.input : result.refusal.message;
}
