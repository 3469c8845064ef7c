import assert from "node:assert/strict";
import { test } from "node:test";
import { compileParsedPattern, compilePattern } from "./compile.ts";
import { type Dialect, EVENT_BRIDGE, EVENT_SOURCE_MAPPING, PIPES, SNS_ATTRIBUTES, SNS_BODY } from "./dialect.ts";
import type { Json } from "./json.ts";

function problem(pattern: Json, dialect: Dialect): string | undefined {
  const compiled = compileParsedPattern(pattern, dialect);
  return compiled.ok ? undefined : compiled.refusal.message;
}

/** What stands in a field's array, and what AWS says of it (fanout.md A12, B5). */
const FIELD_PROBLEMS: [Json, string][] = [
  [["v"], "Match value must be String, number, true, false, or null"],
  [{ Prefix: "a" }, "Unrecognized match type Prefix"],
  [{}, "Match expression name not found"],
  [{ prefix: "a", suffix: "b" }, "Only one key allowed in match expression"],
  [{ prefix: 1 }, "prefix match pattern must be a string"],
  [{ suffix: null }, "suffix match pattern must be a string"],
  [{ "equals-ignore-case": ["a"] }, "equals-ignore-case match pattern must be a string"],
  [{ cidr: 10 }, "prefix match pattern must be a string"],
  [{ cidr: "10.0.0.0" }, "Malformed CIDR, one '/' required"],
  [{ cidr: "10.0.0.0/" }, "Malformed CIDR, one '/' required"],
  [{ cidr: "10.0.0.0/1/2" }, "Malformed CIDR, one '/' required"],
  [{ cidr: "10.0.0.0/x" }, "Malformed CIDR, mask bits must be an integer"],
  [{ cidr: "10.0.0.0/32" }, "IPv4 mask bits must be < 32"],
  [{ cidr: "pond/24" }, "Nonstandard IP address: pond"],
  [{ exists: "true" }, "exists match pattern must be either true or false."],
  [{ numeric: 5 }, "Value of numeric must be an array."],
  [{ numeric: [] }, "Invalid member in numeric match: ]"],
  [{ numeric: [5] }, "Invalid member in numeric match: 5"],
  [{ numeric: ["~", 5] }, "Unrecognized numeric range operator: ~"],
  [{ numeric: ["=", "5"] }, "Value of equals must be numeric"],
  [{ numeric: [">="] }, "Value of >= must be numeric"],
  [{ numeric: ["<", 5, ">", 1] }, "Too many elements in numeric expression"],
  [{ numeric: [">", 1, 30] }, "Bad value in numeric range: 30"],
  [{ numeric: [">", 1, ">", 3] }, "Bad numeric range operator: >"],
  [{ numeric: [">", 1, "<"] }, "Value of < must be numeric"],
  [{ numeric: [">", 3, "<", 3] }, "Bottom must be less than top"],
  [{ numeric: [">", 1, "<", 3, "<"] }, "Too many terms in numeric range expression"],
  [{ "anything-but": null }, "Value of anything-but must be an array or single string/number value."],
  [{ "anything-but": [true] }, "Inside anything but list, start|null|boolean is not supported."],
  [
    { "anything-but": ["a", 1] },
    "Inside anything but list, either all values are number or string, mixed type is not supported",
  ],
  [{ "anything-but": { prefix: 5 } }, "prefix/suffix match pattern must be a string"],
  [{ "anything-but": { prefix: "" } }, "Null prefix/suffix not allowed"],
  [{ "anything-but": { exists: true } }, "Unsupported anything-but pattern: exists"],
];

test("what a field may not hold is refused with AWS's texts, by each service", () => {
  for (const [match, text] of FIELD_PROBLEMS) {
    assert.equal(problem({ k: [match] }, EVENT_BRIDGE), `Event pattern is not valid. Reason: ${text}`);
    assert.equal(problem({ k: [match] }, SNS_ATTRIBUTES), `FilterPolicy: ${text}`);
    assert.equal(problem({ k: [match] }, EVENT_SOURCE_MAPPING), "Invalid filter pattern definition.");
  }
});

test("what only event buses take is refused there with texts of its own", () => {
  const texts: [Json, string][] = [
    [{ wildcard: 5 }, "wildcard match pattern must be a string"],
    [{ wildcard: "a**" }, "Consecutive wildcard characters at pos 2"],
    [{ wildcard: "a\\b" }, "Invalid escape character at pos 2"],
    [
      { wildcard: "*:*:*:*:*:event-bus/*" },
      "Rule is too complex - try using fewer wildcard characters or fewer repeating character sequences after a wildcard character",
    ],
    [
      { "anything-but": { "equals-ignore-case": [5] } },
      "Inside anything-but/equals-ignore-case list, number|start|null|boolean is not supported.",
    ],
    [
      { "anything-but": { prefix: { "equals-ignore-case": "a" } } },
      "Value of anything-but must be an array or single string/number value.",
    ],
    [{ prefix: { wildcard: "a" } }, "Unsupported prefix pattern: wildcard"],
  ];
  for (const [match, text] of texts) {
    assert.equal(problem({ k: [match] }, EVENT_BRIDGE), `Event pattern is not valid. Reason: ${text}`);
  }
  assert.equal(problem({ k: [{ wildcard: "/Users/*/dir/dir/dir/dir/dir/doc.txt" }] }, EVENT_BRIDGE), undefined);
});

test("the frame of a pattern is checked", () => {
  const texts: [Json, string][] = [
    ["x", "Filter is not an object"],
    [[], "Filter is not an object"],
    [{ k: "v" }, '"k" must be an object or an array'],
    [{ k: [] }, "Empty arrays are not allowed"],
    [{ k: {} }, "Empty objects are not allowed"],
    [{}, "Empty objects are not allowed"],
    [{ $or: [{ k: ["v"] }] }, "Unrecognized match type k"],
    [{ $or: [{ k: ["v"] }, {}] }, "Empty objects are not allowed"],
  ];
  for (const [pattern, text] of texts) {
    assert.equal(problem(pattern, EVENT_BRIDGE), `Event pattern is not valid. Reason: ${text}`);
  }
  const invalid = compilePattern("invalid", SNS_BODY);
  assert.equal(
    invalid.ok || invalid.refusal.message,
    "FilterPolicy: failed to parse JSON. Unrecognized token 'invalid': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  );
});

test("an $or with operator names inside is a field like any other", () => {
  assert.equal(problem({ $or: [{ prefix: "a" }, { prefix: "b" }] }, EVENT_BRIDGE), undefined);
});

test("services allow less than the bus does", () => {
  const refused: [Dialect, Json, string][] = [
    [SNS_ATTRIBUTES, { wildcard: "a*" }, "FilterPolicy: Unrecognized match type wildcard"],
    [SNS_BODY, { "anything-but": { suffix: "a" } }, "FilterPolicy: Unsupported anything-but pattern: suffix"],
    [
      PIPES,
      { "anything-but": { prefix: "a" } },
      "Event pattern is not valid. Reason: Unsupported anything-but pattern: prefix",
    ],
  ];
  for (const [dialect, match, text] of refused) {
    assert.equal(problem({ k: [match] }, dialect), text);
    assert.equal(problem({ k: [match] }, EVENT_BRIDGE), undefined);
  }
});

test("a filter policy on attributes is flat", () => {
  const nested: Json = { k: { deeper: ["v"] } };
  assert.equal(
    problem(nested, SNS_ATTRIBUTES),
    "Filter policy scope MessageAttributes does not support nested filter policy",
  );
  assert.equal(problem(nested, SNS_BODY), undefined);
});

test("a filter policy has at most five keys at the top and 150 combinations", () => {
  const values = (count: number) => Array.from({ length: count }, (_, at) => `v${at}`);
  const keys = (count: number) => Object.fromEntries(values(count).map((key) => [key, ["x"]]));
  const tooComplex = "FilterPolicy: Filter policy is too complex";
  const cases: [Json, string | undefined][] = [
    [keys(5), undefined],
    [keys(6), "FilterPolicy: Filter policy can not have more than 5 keys"],
    [{ parent: keys(6) }, undefined],
    [{ k: values(150) }, undefined],
    [{ k: values(151) }, tooComplex],
    [{ k: values(100), l: values(51) }, tooComplex],
    [{ a: { b: { c: values(4) } }, d: { e: values(3) }, f: values(3) }, tooComplex],
    [{ a: { b: { c: values(4) } }, d: { e: values(3) }, f: values(2) }, undefined],
    [{ a: values(10), $or: [{ b: values(7) }, { c: values(8) }] }, undefined],
    [{ a: values(8), $or: [{ b: values(10) }, { c: values(9) }] }, tooComplex],
  ];
  for (const [policy, text] of cases) {
    assert.equal(problem(policy, SNS_BODY), text, JSON.stringify(policy).slice(0, 60));
  }
});

test("patterns that are huge in any direction are refused, not run into", () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}["x"]${"}".repeat(levels)}`;
  assert.equal(compilePattern(deep(1000), EVENT_BRIDGE).ok, true);
  assert.equal(compilePattern(deep(50_000), EVENT_BRIDGE).ok, false);
  const nestedOr = (levels: number): string =>
    `${'{"$or":[{"a":["x"]},'.repeat(levels)}{"b":["x"]}${"]}".repeat(levels)}`;
  assert.equal(compilePattern(nestedOr(20), EVENT_BRIDGE).ok, true);
  assert.equal(compilePattern(nestedOr(50_000), EVENT_BRIDGE).ok, false);
  const choice = { $or: [{ a: ["x"] }, { b: ["x"] }] };
  const wide = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, choice]));
  assert.match(problem(wide, EVENT_BRIDGE) ?? "", /^Event pattern is not valid\. Reason: Rule is too complex/);
});
