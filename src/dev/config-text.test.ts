import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigSyntaxError, parseConfigText } from "./config-text.ts";

function mistakeIn(text: string): string {
  try {
    parseConfigText(text);
  } catch (error) {
    assert.ok(error instanceof ConfigSyntaxError, String(error));
    return `${error.line}: ${error.message}`;
  }
  throw new assert.AssertionError({ message: "the text was read" });
}

test("what is JSON is read as JSON", () => {
  for (const text of [
    '{"a": [1, -2.5e3, true, null, "\\u00e4\\n\\""], "b": {}}',
    "[]",
    '"text"',
    "0",
    '{"__proto__": 1}',
  ]) {
    assert.deepEqual(parseConfigText(text).value, JSON.parse(text));
  }
});

test("comments and trailing commas are fine, and stay out of texts", () => {
  const { value, lines } = parseConfigText(`// first
{
  /* two
     lines */
  "url": "http://a//b", // why
  "list": [1, 2,],
}
`);
  assert.deepEqual(value, { url: "http://a//b", list: [1, 2] });
  assert.equal(lines.get("url"), 5);
  assert.equal(lines.get("list[1]"), 6);
});

test("a mistake is named with its line, what should be there, and what is", () => {
  assert.equal(mistakeIn('{\n  "a": 1\n  "b": 2\n}'), '3: "," or "}" should be here, and there is "\\""');
  assert.equal(mistakeIn("{a: 1}"), '1: a key in double quotes, or "}" should be here, and there is "a"');
  assert.equal(mistakeIn('{"a": yes}'), '1: a value should be here, and there is "yes"');
  assert.equal(mistakeIn('{"a": '), "1: a value should be here, and the file ends");
  assert.equal(mistakeIn('{"a": 01}'), '1: a value should be here, and there is "01"');
  assert.match(mistakeIn('{"a": "b\n"}'), /^1: the end of the text/);
  assert.equal(mistakeIn('{"a": 1, "a": 2}'), '1: the key "a" is there twice');
  assert.match(mistakeIn("{} x"), /the end of the file/);
  assert.match(mistakeIn("{} /* open"), /the end of the file/);
  assert.match(mistakeIn("[".repeat(100_000)), /at most 100 levels/);
});
