// Random patterns and events, on the matcher and on the naive one side by side, while patterns come and go. Values and
// paths are few, so that most questions have both answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileParsedPattern, EVENT_BRIDGE, Matcher } from "../../src/engine/index.ts";
import { naiveMatches } from "./naive-matcher.ts";

const RUNS = Number(process.env.MODEL_RUNS ?? 300);
const SEED = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

// biome-ignore lint/suspicious/noExplicitAny: patterns and events are any JSON.
type Json = any;

const text = fc.oneof(
  fc.constantFrom("", "a", "ab", "AB", "b", "aba", "abcabc", "*", "a*b", "\\", "1", "10.0.0.1", "10.0.1.255", "::1"),
  fc.string({ unit: fc.constantFrom("a", "b", "B", "c"), maxLength: 6 }),
);
const number = fc.oneof(fc.integer({ min: -2, max: 5 }), fc.constantFrom(1.5, 300, -0, 1e300));
const scalar = fc.oneof({ weight: 5, arbitrary: text }, number, fc.boolean(), fc.constant(null));
const wildcard = fc
  .array(fc.constantFrom("a", "b", "ab", "*", "\\*", "\\\\", "c"), { maxLength: 6 })
  .map((parts) => parts.join("").replace(/\*{2,}/g, "*"))
  .filter((joined) => !joined.includes("**"));
const shortText = fc.constantFrom("a", "b", "ab", "B", "aB", "c", "abc", "1");
const range = fc.oneof(
  fc.tuple(fc.constantFrom("=", "<", "<=", ">", ">="), number),
  fc
    .tuple(fc.constantFrom(">", ">="), fc.integer({ min: -2, max: 5 }), fc.constantFrom("<", "<="), fc.nat(4))
    .map(([lower, low, upper, width]) => [lower, low, upper, low + width + 1]),
);
const oneOrMany = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }));

const match: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  text.map((prefix) => ({ prefix })),
  text.map((suffix) => ({ suffix })),
  shortText.map((inner) => ({ prefix: { "equals-ignore-case": inner } })),
  shortText.map((inner) => ({ suffix: { "equals-ignore-case": inner } })),
  text.map((inner) => ({ "equals-ignore-case": inner })),
  { weight: 3, arbitrary: wildcard.map((inner) => ({ wildcard: inner })) },
  { weight: 2, arbitrary: range.map((numeric) => ({ numeric })) },
  fc.boolean().map((exists) => ({ exists })),
  fc.constantFrom("10.0.0.0/24", "10.0.0.0/8", "10.0.1.255/31", "0.0.0.0/0").map((cidr) => ({ cidr })),
  oneOrMany(text).map((inner) => ({ "anything-but": inner })),
  oneOrMany(number).map((inner) => ({ "anything-but": inner })),
  fc
    .tuple(fc.constantFrom("prefix", "suffix", "equals-ignore-case"), oneOrMany(shortText))
    .map(([operator, inner]) => ({ "anything-but": { [operator]: inner } })),
  oneOrMany(wildcard).map((inner) => ({ "anything-but": { wildcard: inner } })),
);
const matches = fc.array(match, { minLength: 1, maxLength: 3 });

/** Fields by depth; those inside `$or` have names of their own, since a path given twice counts only once. */
function patternOf(keys: string[], depth: number): fc.Arbitrary<Json> {
  const inner = depth === 0 ? matches : fc.oneof(matches, patternOf(keys, depth - 1));
  return fc.dictionary(fc.constantFrom(...keys), inner, { minKeys: 1, maxKeys: 3 });
}
const branches = (keys: string[]) => fc.array(patternOf(keys, 1), { minLength: 2, maxLength: 3 });
const pattern: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: patternOf(["x", "y", "z", "x.y"], 2) },
  fc.record({ x: fc.oneof(matches, patternOf(["y", "z"], 1)), $or: branches(["u", "v"]) }),
  fc.record({ $or: fc.tuple(patternOf(["x"], 1), fc.record({ y: matches, $or: branches(["u", "v"]) })) }),
);

const value: fc.Arbitrary<Json> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    { weight: 2, arbitrary: scalar },
    { weight: 2, arbitrary: tie("array") },
    { weight: 2, arbitrary: tie("object") },
  ),
  array: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(fc.constantFrom("x", "y", "z", "u", "v", "x.y", "y.z"), tie("value"), { maxKeys: 5 }),
})).object;

test(`the matcher agrees with the naive one, while patterns come and go (seed ${SEED})`, () => {
  let [yes, no] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(pattern, { minLength: 1, maxLength: 12 }),
      fc.array(value, { maxLength: 10 }),
      (patterns, events) => {
        const matcher = new Matcher<number>();
        const compiled = patterns.map((each) => compileParsedPattern(each, EVENT_BRIDGE));
        const usable = patterns.map((_, id) => id).filter((id) => compiled[id]?.ok);
        for (const id of usable) matcher.add(id, accepted(compiled[id]));
        const check = (ids: number[]) => {
          for (const event of events) {
            const expected = ids.filter((id) => naiveMatches(patterns[id], event));
            yes += expected.length;
            no += ids.length - expected.length;
            assert.deepEqual(matcher.match(event), expected);
          }
        };
        check(usable);
        const kept = usable.filter((id) => id % 2 === 1);
        for (const id of usable) if (!kept.includes(id)) assert.equal(matcher.remove(id), true);
        check(kept);
        for (const id of kept) matcher.add(id, accepted(compiled[id]));
        check(kept);
        for (const id of kept) matcher.remove(id);
        check([]);
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
  // A test that only ever saw one of the answers would prove little.
  assert.ok(yes > RUNS && no > RUNS, `${yes} matches, ${no} others`);
});

test(`many tests of one field are told apart (seed ${SEED})`, () => {
  const ranges = range.map((numeric) => ({ numeric }));
  const wildcards = wildcard.map((inner) => ({ wildcard: inner }));
  const kinds = fc
    .constantFrom(match, ranges, wildcards)
    .chain((kind) => fc.array(kind, { minLength: 10, maxLength: 30 }));
  const plain = fc.array(fc.oneof(scalar, number), { minLength: 10, maxLength: 20 });
  fc.assert(
    fc.property(kinds, plain, (each, values) => {
      const matcher = new Matcher<number>();
      const usable = each.flatMap((inner, id) => {
        const compiled = compileParsedPattern({ x: [inner] }, EVENT_BRIDGE);
        if (compiled.ok) matcher.add(id, compiled.value);
        return compiled.ok ? [id] : [];
      });
      for (const x of values) {
        assert.deepEqual(
          matcher.match({ x }),
          usable.filter((id) => naiveMatches({ x: [each[id]] }, { x })),
        );
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

/** Fields in arrays of objects within arrays: where one element must serve all. */
const element = fc.record(
  { x: fc.oneof(fc.constantFrom("a", "b"), fc.array(fc.constantFrom("a", "b"))), y: fc.constantFrom("a", "b") },
  { requiredKeys: [] },
);
const elements = fc.array(element, { maxLength: 3 });
const outer = fc.oneof(fc.record({ inner: elements, z: fc.constantFrom("a", "b") }), element);
/** The key with a dot is a second array under the same path. */
const nested = fc.record({ list: fc.array(outer), "list.inner": elements }, { requiredKeys: ["list"] });

test(`fields match within one element of an array, at any depth (seed ${SEED})`, () => {
  const exact = fc.constantFrom([["a"], ["b"]], [["b"], ["a"]], [["a"], ["a"]]).map(([x, y]) => ({ x, y }));
  const patterns = fc.oneof(
    exact.map((fields) => ({ list: fields })),
    exact.map((fields) => ({ list: { inner: fields } })),
    exact.map((fields) => ({ list: { inner: fields, z: ["a"] } })),
    exact.map((fields) => ({ list: { inner: fields, ...fields } })),
  );
  fc.assert(
    fc.property(patterns, nested, (each, event) => {
      const matcher = new Matcher<string>();
      matcher.add("it", accepted(compileParsedPattern(each as Json, EVENT_BRIDGE)));
      assert.deepEqual(matcher.match(event as Json), naiveMatches(each, event) ? ["it"] : []);
    }),
    { seed: SEED, numRuns: RUNS * 5 },
  );
});

function accepted(result: ReturnType<typeof compileParsedPattern> | undefined) {
  assert.ok(result?.ok);
  return result.value;
}
