import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageAttribute } from "../command.ts";
import { compileParsedPattern, compilePattern } from "./compile.ts";
import { type Dialect, EVENT_BRIDGE, SNS_ATTRIBUTES, SNS_BODY } from "./dialect.ts";
import { FieldTree } from "./field-tree.ts";
import type { Json } from "./json.ts";
import { Matcher } from "./matcher.ts";
import { attributesEvent, bodyEvent } from "./sns-event.ts";

function compiled(pattern: Json, dialect: Dialect = EVENT_BRIDGE) {
  const result = compileParsedPattern(pattern, dialect);
  assert.ok(result.ok, result.ok ? "" : result.refusal.message);
  return result.value;
}

function matches(pattern: Json, event: Json, dialect?: Dialect): boolean {
  const matcher = new Matcher<string>();
  matcher.add("it", compiled(pattern, dialect));
  return matcher.match(event).length === 1;
}

/** What a field's array holds, values of the field that match, values that do not (fanout.md B5). */
const FIELD_CASES: [string, Json[], Json[], Json[]][] = [
  ["null is a value", [null], [null, [null]], ["null", "", 0, [], {}]],
  ["the empty string is not null", [""], [""], [null, " "]],
  ["numbers compare as numbers", [300], [300.0, 3e2], ["300", 300.1, null]],
  ["strings compare by character", ["a"], ["a"], ["A", "a ", ["b"]]],
  ["true and false are not text", [true], [true], ["true", 1, false]],
  ["arrays match where they meet", ["a", "b"], [["b", "c"], [["x", ["a"]]]], [["c"], []]],
  ["prefix", [{ prefix: "ab" }], ["ab", "abc"], ["a", "xab", 5, null]],
  ["an empty prefix starts every string", [{ prefix: "" }], ["", "x"], [1, null, true]],
  ["suffix", [{ suffix: ".png" }], [".png", "a.png"], ["png", ".png ", 5]],
  ["prefix in any case", [{ prefix: { "equals-ignore-case": "aB" } }], ["Abc", "ABC", "ab"], ["b", 5]],
  ["suffix in any case", [{ suffix: { "equals-ignore-case": ".PnG" } }], ["a.png", ".PNG"], ["png"]],
  ["equals in any case", [{ "equals-ignore-case": "aLpha" }], ["alpha", "ALPHA"], ["alpha1", "alph", 5]],
  ["equals in any case, empty", [{ "equals-ignore-case": "" }], [""], ["a", null]],
  ["wildcard", [{ wildcard: "a*b*b" }], ["abb", "axbyb"], ["ab", "abbc", "b", 5]],
  ["wildcard with escapes", [{ wildcard: "\\*\\\\*" }], ["*\\", "*\\x"], ["x\\", "*x"]],
  ["a lone wildcard", [{ wildcard: "*" }], ["", "x"], [1, null]],
  ["an empty wildcard", [{ wildcard: "" }], [""], ["x"]],
  ["anything but a value", [{ "anything-but": "dry" }], ["wet", null, 5, true, ""], ["dry", [], {}]],
  ["anything but any of a list", [{ "anything-but": [1, 2] }], [3, "1", null], [1, 2]],
  ["anything but text, of a number", [{ "anything-but": "404" }], [404], ["404"]],
  ["anything but, of an array", [{ "anything-but": ["a"] }], [["a", "b"]], [["a", "a"]]],
  ["anything but a prefix", [{ "anything-but": { prefix: "tmp-" } }], ["x", "tmp", 5, null], ["tmp-", "tmp-x"]],
  ["anything but prefixes", [{ "anything-but": { prefix: ["a", "b"] } }], ["c"], ["ax", "bx"]],
  ["anything but a suffix", [{ "anything-but": { suffix: ".bak" } }], ["x.bak2", null], ["x.bak"]],
  ["anything but a wildcard", [{ "anything-but": { wildcard: "*/old/*" } }], ["/new/x", 1], ["/old/x"]],
  ["anything but in any case", [{ "anything-but": { "equals-ignore-case": "DRY" } }], ["wet", null], ["dry", "Dry"]],
  ["numeric bound", [{ numeric: [">", 100] }], [101.0, 100.5, 1e300], [100, "300", null]],
  ["numeric range", [{ numeric: [">", 0, "<=", 5] }], [5, 0.1, 1], [0, 5.1, -1]],
  ["numeric equality", [{ numeric: ["=", 3.018e2] }], [301.8], [301, "301.8"]],
  ["exists", [{ exists: true }], [null, 0, "", [1]], [{ deeper: 1 }, [], {}, [{ deeper: 1 }]]],
  ["exists not", [{ exists: false }], [{ deeper: 1 }, [], {}], [null, 0, ""]],
  ["cidr", [{ cidr: "10.0.0.0/24" }], ["10.0.0.0", "10.0.0.255"], ["10.0.1.0", "x", 10, "10.0.0", "10.0.0.256"]],
  [
    "cidr of version 6",
    [{ cidr: "2001:db8::/33" }],
    ["2001:db8::1", "2001:DB8:7fff::"],
    ["2001:db8:8000::", "::1", "10.0.0.1"],
  ],
  ["either operator", [{ numeric: [">", 100] }, { "anything-but": "101" }], [200, "102", 5], ["101"]],
];

for (const [name, field, yes, no] of FIELD_CASES) {
  test(`a pattern's field: ${name}`, () => {
    for (const value of yes) assert.equal(matches({ f: field }, { f: value }), true, JSON.stringify(value));
    for (const value of no) assert.equal(matches({ f: field }, { f: value }), false, JSON.stringify(value));
  });
}

test("a missing field matches exists false and nothing else", () => {
  assert.equal(matches({ detail: { state: [{ "anything-but": ["dry"] }] } }, { detail: {} }), false);
  assert.equal(matches({ a: [{ exists: false }, { "anything-but": ["roses"] }] }, {}), true);
  assert.equal(matches({ a: { b: [{ exists: false }, { "anything-but": ["roses"] }] } }, { c: 1 }), true);
  assert.equal(matches({ a: { b: [{ exists: false }, { "anything-but": ["roses"] }] } }, { a: { b: "roses" } }), false);
  assert.equal(matches({ colour: ["red"] }, { other: "red" }), false);
});

test("$or and the fields beside it must both hold", () => {
  const sources: Json = { $or: [{ source: ["app.a"] }, { source: ["app.b"] }] };
  assert.equal(matches(sources, { source: "app.b" }), true);
  assert.equal(matches(sources, { source: "app.c" }), false);
  const depth: Json = { detail: { $or: [{ depth: [{ numeric: ["<", 2] }] }, { dry: [true] }] } };
  const verdicts = [{ depth: 1 }, { depth: 9, dry: true }, { depth: 9 }, { depth: "1" }].map((detail) =>
    matches(depth, { detail }),
  );
  assert.deepEqual(verdicts, [true, true, false, false]);
  const nested: Json = { a: [1], $or: [{ b: [1] }, { c: [1], $or: [{ d: [1] }, { e: [1] }] }] };
  assert.equal(matches(nested, { a: 1, c: 1, e: 1 }), true);
  assert.equal(matches(nested, { a: 1, c: 1 }), false);
  assert.equal(matches(nested, { c: 1, e: 1 }), false);
});

test("a rule whose alternatives all match is answered once", () => {
  const matcher = new Matcher<string>();
  matcher.add("it", compiled({ $or: [{ a: [1, 1, { exists: true }] }, { b: [1] }] }));
  assert.deepEqual(matcher.match({ a: [1, 1], b: 1 }), ["it"]);
});

test("two fields must match within the same element of an array", () => {
  const pattern: Json = { a: { x: ["1"], y: ["2"] } };
  assert.equal(
    matches(pattern, {
      a: [
        { x: "1", y: "0" },
        { x: "0", y: "2" },
      ],
    }),
    false,
  );
  assert.equal(
    matches(pattern, {
      a: [
        { x: "0", y: "2" },
        { x: "1", y: "2" },
      ],
    }),
    true,
  );
  assert.equal(matches(pattern, { a: [[{ x: "1" }], [{ y: "2" }]] }), false);
  const apart: Json = { a: { x: [1] }, b: { x: [1] } };
  assert.equal(matches(apart, { a: [{ x: 0 }, { x: 1 }], b: [{ x: 1 }, { x: 0 }] }), true);
});

test("array consistency over big arrays takes no time that anybody notices", () => {
  const list = Array.from({ length: 20_000 }, (_, at) => ({ x: at % 2, y: (at + 1) % 2 }));
  const pattern: Json = { a: { list: { x: [1], y: [1] } }, b: { list: { x: [1], y: [1] } } };
  assert.equal(matches(pattern, { a: { list }, b: { list } }), false);
});

test("five thousand patterns cost about as much as one, of every kind that can be looked up", () => {
  const kinds: ((name: string, number: number) => Json)[] = [
    (name) => name,
    (name) => ({ prefix: name }),
    (name) => ({ suffix: name }),
    (name) => ({ wildcard: `${name}*x` }),
    (name) => ({ wildcard: `*${name}*` }),
    (name) => ({ "equals-ignore-case": name }),
    (_, number) => ({ numeric: [">=", number, "<", number + 1] }),
    (_, number) => ({ cidr: `10.${number >> 8}.${number % 256}.0/24` }),
  ];
  const events = [{ a: "none of them" }, { a: 77.5 }, { a: "10.0.77.1" }, { a: "n77~" }];
  for (const kind of kinds) {
    const [one, many] = [new Matcher<number>(), new Matcher<number>()];
    for (let number = 0; number < 5000; number++) {
      const pattern = compiled({ a: [kind(`n${number}~`, number)], b: [{ exists: false }] });
      many.add(number, pattern);
      if (number === 77) one.add(number, pattern);
    }
    for (const event of events) assert.deepEqual(many.match(event), one.match(event));
    // A pass per pattern would be thousands of times as dear. The margin is for a noisy machine.
    const ratio = fastest(() => many.match(events[3] as Json)) / fastest(() => one.match(events[3] as Json));
    assert.ok(ratio < 100, `${JSON.stringify(kind("n", 1))}: ${ratio} times`);
  }
});

/** Milliseconds of the fastest of some runs of three hundred. */
function fastest(work: () => void): number {
  const runs = Array.from({ length: 5 }, () => {
    const since = performance.now();
    for (let count = 0; count < 300; count++) work();
    return performance.now() - since;
  });
  return Math.min(...runs);
}

test("keys with dots and nested keys are the same, in the pattern and in the event", () => {
  assert.equal(matches({ "state.status": ["up"] }, { state: { status: "up" } }), true);
  assert.equal(matches({ state: { status: ["up"] } }, { "state.status": "up" }), true);
  assert.equal(matches({ a: { "b.c": { d: [1] } } }, { "a.b": { c: { d: 1 } } }), true);
  assert.equal(matches({ "state.status": { status: ["up"] } }, { state: { status: "up" } }), false);
});

test("an empty array elsewhere changes nothing, and text is not looked into", () => {
  assert.equal(matches({ a: ["x"] }, { a: "x", b: [], c: [{}] }), true);
  assert.equal(matches({ detail: { a: ["x"] } }, { detail: '{"a":"x"}' }), false);
});

test("only objects are events", () => {
  for (const event of [null, "x", [], [{ a: 1 }], 5]) assert.equal(matches({ a: [{ exists: false }] }, event), false);
});

test("of equal keys in a pattern the last one counts", () => {
  const result = compilePattern('{"a":["x"],"a":["y"]}', EVENT_BRIDGE);
  assert.ok(result.ok);
  const matcher = new Matcher<number>();
  matcher.add(1, result.value);
  assert.deepEqual([matcher.match({ a: "x" }), matcher.match({ a: "y" })], [[], [1]]);
});

test("ids come in the order they were added; a new pattern replaces the old one", () => {
  const matcher = new Matcher<string>();
  for (const id of ["c", "a", "b"]) matcher.add(id, compiled({ f: [{ exists: true }, id] }));
  assert.deepEqual(matcher.match({ f: "x" }), ["c", "a", "b"]);
  matcher.add("c", compiled({ g: ["x"] }));
  assert.deepEqual(matcher.match({ f: "x" }), ["a", "b"]);
  assert.deepEqual(matcher.match({ f: "x", g: "x" }), ["a", "b", "c"]);
  assert.deepEqual([matcher.remove("a"), matcher.remove("a"), matcher.size], [true, false, 2]);
});

test("an event nested deeper than JSON readers go is looked at down to there", () => {
  const deep = JSON.parse(`{"a":${"[".repeat(100_000)}1${"]".repeat(100_000)},"b":1}`);
  assert.equal(matches({ a: [1] }, deep), false);
  assert.equal(matches({ b: [1], a: [{ exists: false }] }, deep), true);
});

test("a field that nobody asks for any more is forgotten", () => {
  const tree = new FieldTree<string>();
  const [outer, inner] = [tree.field("a"), tree.field("a.b.c")];
  tree.prune(inner);
  assert.equal(tree.field("a"), outer);
  assert.notEqual(tree.field("a.b.c"), inner);
});

const attribute = (name: string, dataType: string, value: string | Uint8Array): MessageAttribute => ({
  name,
  dataType,
  value,
});

function attributesMatch(policy: Json, ...attributes: MessageAttribute[]): boolean {
  const event = attributesEvent(attributes);
  return event !== undefined && matches(policy, event, SNS_ATTRIBUTES);
}

test("a filter policy on attributes: exists false and anything-but on what is not there", () => {
  const [web, client] = [attribute("source", "String", "web"), attribute("client", "Number", "7")];
  const policy: Json = { source: ["web"], priority: [{ exists: false }] };
  assert.equal(attributesMatch(policy, web, client), true);
  assert.equal(attributesMatch(policy, web, attribute("priority", "Number", "1")), false);
  const tier = (value: string) => attribute("tier", "String", value);
  const but: Json = { tier: [{ "anything-but": ["gold"] }] };
  const verdicts = [[tier("silver")], [tier("gold")], [client]].map((given) => attributesMatch(but, ...given));
  assert.deepEqual(verdicts, [true, false, false]);
  assert.equal(attributesMatch({ tier: [null, { "anything-but": "gold" }] }, client), false);
});

test("a filter policy on attributes: every element of a String.Array is a value", () => {
  const flags = attribute("flags", "String.Array", '["alpha", true, null, 7]');
  const policies: [Json, boolean][] = [
    [{ flags: ["alpha"] }, true],
    [{ flags: ["beta"] }, false],
    [{ flags: [{ numeric: [">=", 5] }] }, true],
    [{ flags: [null] }, true],
    [{ flags: [{ "anything-but": "alpha" }] }, true],
  ];
  for (const [policy, expected] of policies) assert.equal(attributesMatch(policy, flags), expected);
});

test("a filter policy on attributes: types", () => {
  assert.equal(attributesMatch({ n: [7] }, attribute("n", "Number", "7.0")), true);
  assert.equal(attributesMatch({ n: ["7"] }, attribute("n", "Number", "7")), false);
  assert.equal(attributesMatch({ n: [7] }, attribute("n", "String", "7")), false);
  assert.equal(attributesMatch({ n: [{ exists: false }] }, attribute("n", "Binary", new Uint8Array(1))), true);
  for (const wrong of ["not an array", '"text"', "[[1]]", '{"a":1}']) {
    assert.equal(attributesEvent([attribute("n", "String.Array", wrong)]), undefined, wrong);
  }
});

test("a filter policy on the body sees a JSON object or nothing", () => {
  for (const body of ["plain", '"x"', "[1]", "5", ""]) assert.equal(bodyEvent(body), undefined);
  const event = bodyEvent('{"order":{"lines":[[{"sku":"a"}],[{"sku":"b"}]]}}');
  assert.ok(event);
  assert.equal(matches({ order: { lines: { sku: ["b"] } } }, event, SNS_BODY), true);
});
