import assert from "node:assert/strict";
import test from "node:test";
import type { FormNode } from "./form.ts";
import { addFields } from "./form.ts";
import { accountOf, readCaller } from "./sigv4.ts";

const signature = "SignedHeaders=host, Signature=00";

test("a signed header names access key, date, region and service", () => {
  const credential = "AKIDEXAMPLE/20260131/eu-west-1/sqs/aws4_request";
  const caller = readCaller(`AWS4-HMAC-SHA256 Credential=${credential}, ${signature}`, undefined);
  assert.deepEqual(caller, { accessKey: "AKIDEXAMPLE", date: "20260131", region: "eu-west-1", service: "sqs" });
});

test("a presigned request says the same in its query string", () => {
  const caller = readCaller(undefined, formOf("X-Amz-Credential=AKID%2F20260131%2Fap-south-1%2Fsqs%2Faws4_request"));
  assert.equal(caller.accessKey, "AKID");
  assert.equal(caller.region, "ap-south-1");
});

test("an older signature names the access key only", () => {
  assert.deepEqual(readCaller(undefined, formOf("AWSAccessKeyId=OLD&SignatureVersion=2")), { accessKey: "OLD" });
});

test("an access key of twelve digits is an account id, any other belongs to the default account", () => {
  assert.equal(accountOf({ accessKey: "123456789012" }), "123456789012");
  assert.equal(accountOf({ accessKey: "AKID" }), "000000000000");
  assert.equal(accountOf({}), "000000000000");
});

test("nonsense names nobody", () => {
  for (const header of ["", "Basic abc", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 Credential=", "Credential=////"]) {
    assert.equal(readCaller(header, undefined).region, undefined, header);
  }
  assert.equal(readCaller("Credential=a/1/..%2f../sqs/aws4_request", undefined).region, undefined);
  assert.equal(readCaller("Credential=/20260101/us-east-1/sqs/aws4_request", undefined).accessKey, undefined);
});

function formOf(encoded: string): FormNode {
  const form: FormNode = {};
  addFields(form, encoded);
  return form;
}
