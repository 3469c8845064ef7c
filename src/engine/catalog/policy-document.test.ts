import assert from "node:assert/strict";
import test from "node:test";
import { readPolicy } from "./policy-document.ts";

test("a policy has statements, one or a list of them", () => {
  assert.deepEqual(readPolicy('{"Version":"1","Statement":{"Sid":"a"}}')?.Statement, [{ Sid: "a" }]);
  assert.deepEqual(readPolicy('{"Version":"1","Statement":[]}')?.Statement, []);
  for (const text of [
    "",
    "null",
    "1",
    "[]",
    "{}",
    '{"Statement":null}',
    '{"Statement":[null]}',
    '{"Statement":["a"]}',
  ]) {
    assert.equal(readPolicy(text), undefined, text);
  }
});

test("a policy that could not be written again is none", () => {
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  assert.equal(readPolicy(`{"Statement":{"Action":${deep}}}`), undefined);
});
