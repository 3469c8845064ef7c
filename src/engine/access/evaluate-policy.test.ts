import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AccessRequest, evaluatePolicy } from "./evaluate-policy.ts";
import { missingStatement } from "./missing-statement.ts";
import { matchesArn, matchesText } from "./text-pattern.ts";

const SEED = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const QUEUE = "arn:aws:sqs:us-east-1:000000000000:pond";
const TOPIC = "arn:aws:sns:us-east-1:000000000000:spring";

const fromTopic: AccessRequest = {
  principal: { service: "sns.amazonaws.com" },
  action: "sqs:SendMessage",
  resource: QUEUE,
  context: { "aws:SourceArn": TOPIC, "aws:SourceAccount": "000000000000" },
};
const fromUser: AccessRequest = {
  principal: { account: "111111111111", arn: "arn:aws:iam::111111111111:user/ann" },
  action: "sqs:ReceiveMessage",
  resource: QUEUE,
  context: {},
};

type Members = Record<string, unknown>;
const allow: Members = { Effect: "Allow", Principal: "*", Action: "sqs:*", Resource: QUEUE };

function decision(statements: Members | Members[], request: AccessRequest = fromTopic): string {
  return evaluatePolicy(JSON.stringify({ Version: "2012-10-17", Statement: statements }), request).decision;
}

function conditionHolds(condition: Members, context: AccessRequest["context"]): boolean {
  return decision({ ...allow, Condition: condition }, { ...fromTopic, context }) === "allow";
}

test("the policy that the SNS guide shows lets its topic in, and no other", () => {
  const statement = {
    ...allow,
    Sid: "spring-to-pond",
    Principal: { Service: "sns.amazonaws.com" },
    Action: "sqs:SendMessage",
    Condition: { ArnEquals: { "aws:SourceArn": TOPIC } },
  };
  const policy = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  assert.deepEqual(evaluatePolicy(policy, fromTopic), { decision: "allow", statement: "spring-to-pond" });
  const others: AccessRequest[] = [
    { ...fromTopic, context: { "aws:SourceArn": `${TOPIC}2` } },
    { ...fromTopic, context: {} },
    { ...fromTopic, action: "sqs:ReceiveMessage" },
    { ...fromTopic, resource: `${QUEUE}2` },
    { ...fromTopic, principal: { service: "events.amazonaws.com" } },
    { ...fromTopic, principal: fromUser.principal },
  ];
  for (const other of others) assert.deepEqual(evaluatePolicy(policy, other), { decision: "noMatch" });
});

test("no policy, no match", () => {
  assert.deepEqual(evaluatePolicy(undefined, fromTopic), { decision: "noMatch" });
  assert.deepEqual(evaluatePolicy("", fromTopic), { decision: "noMatch" });
});

test("principals", () => {
  const cases: [unknown, boolean, boolean][] = [
    ["*", true, true],
    [{ AWS: "*" }, true, true],
    [{ Service: "sns.amazonaws.com" }, true, false],
    [{ Service: ["s3.amazonaws.com", "sns.amazonaws.com"] }, true, false],
    [{ AWS: "111111111111" }, false, true],
    [{ AWS: ["222222222222", "arn:aws:iam::111111111111:root"] }, false, true],
    [{ AWS: "arn:aws:iam::111111111111:user/ann" }, false, true],
    [{ AWS: "arn:aws:iam::111111111111:user/bob" }, false, false],
    [{ AWS: "arn:aws:iam::111111111111:user/*" }, false, false],
    [{ AWS: "111111111111", Service: "sns.amazonaws.com" }, true, true],
    [{ Federated: "idp.example.com" }, false, false],
  ];
  for (const [principal, service, user] of cases) {
    const statement = { ...allow, Principal: principal };
    assert.equal(decision(statement, fromTopic) === "allow", service, JSON.stringify(principal));
    assert.equal(decision(statement, fromUser) === "allow", user, JSON.stringify(principal));
  }
});

test("everybody but: NotPrincipal, NotAction, NotResource", () => {
  const { Principal: _, ...nobody } = allow;
  assert.equal(decision({ ...nobody, NotPrincipal: { AWS: "111111111111" } }, fromUser), "noMatch");
  assert.equal(decision({ ...nobody, NotPrincipal: { AWS: "111111111111" } }, fromTopic), "allow");
  const { Action: __, ...nothing } = allow;
  assert.equal(decision({ ...nothing, NotAction: "SQS:Send*" }), "noMatch");
  assert.equal(decision({ ...nothing, NotAction: "sqs:Receive*" }), "allow");
  const { Resource: ___, ...nowhere } = allow;
  assert.equal(decision({ ...nowhere, NotResource: [QUEUE] }), "noMatch");
  assert.equal(decision({ ...nowhere, NotResource: [`${QUEUE}2`] }), "allow");
  assert.equal(decision(nowhere), "allow");
});

test("actions in any case and with wildcards, resources with wildcards", () => {
  for (const action of ["SQS:SendMessage", "sqs:send*", "*", "sqs:?endMessage", ["sqs:X", "sqs:*"]]) {
    assert.equal(decision({ ...allow, Action: action }), "allow", String(action));
  }
  for (const action of ["SendMessage", "sns:*", "sqs:SendMessageBatch", []]) {
    assert.equal(decision({ ...allow, Action: action }), "noMatch", String(action));
  }
  for (const resource of ["*", "arn:aws:sqs:*:*:po?d", "arn:aws:sqs:us-east-1:000000000000:*"]) {
    assert.equal(decision({ ...allow, Resource: resource }), "allow", resource);
  }
  assert.equal(decision({ ...allow, Resource: QUEUE.toUpperCase() }), "noMatch");
});

/** Operator and values of the policy, values that pass, values that fail. The key is `k`. */
const CONDITIONS: [string, unknown, string[], string[]][] = [
  ["StringEquals", ["a", "b"], ["a", "b"], ["A", "c"]],
  ["StringNotEquals", ["a", "b"], ["c"], ["a", "b"]],
  ["StringEqualsIgnoreCase", "aB", ["AB", "ab"], ["abc"]],
  ["StringNotEqualsIgnoreCase", "aB", ["abc"], ["AB"]],
  ["StringLike", "a*c?", ["acx", "abbbcx"], ["ac", "xacx"]],
  ["StringNotLike", "a*", ["b"], ["a", "ab"]],
  ["ArnEquals", "arn:aws:sns:*:000000000000:spr*", [TOPIC], ["arn:aws:sns:us-east-1:1:spring", "spring"]],
  ["ArnLike", "arn:aws:events:us-east-1:1:rule/*", ["arn:aws:events:us-east-1:1:rule/bus/r"], [TOPIC]],
  ["ArnLike", "arn:aws:sns:*:spring", [], [TOPIC]],
  ["ArnNotEquals", TOPIC, [QUEUE], [TOPIC]],
  ["ArnNotLike", "arn:aws:sns:*:*:*", [QUEUE], [TOPIC]],
  ["Bool", true, ["true", "True"], ["false"]],
  ["NumericEquals", 5, ["5", "5.0"], ["6", "x"]],
  ["NumericNotEquals", 5, ["6"], ["5", "x"]],
  ["NumericLessThan", "5", ["4.9", "-1"], ["5", "10"]],
  ["NumericLessThanEquals", 5, ["5"], ["6"]],
  ["NumericGreaterThan", 5, ["10"], ["5"]],
  ["NumericGreaterThanEquals", 5, ["5"], ["4"]],
  ["DateEquals", "2024-02-29T12:00:00Z", ["2024-02-29T13:00:00+01:00", "1709208000"], ["2024-02-29"]],
  ["DateNotEquals", "2024-02-29", ["2024-03-01"], ["2024-02-29T00:00:00Z", "soon"]],
  ["DateLessThan", "2000-01-01T00:00:00Z", ["1999-12-31T23:59:59.999Z", "946684799"], ["946684800"]],
  ["DateLessThanEquals", "1970-01-01", ["0"], ["1"]],
  ["DateGreaterThan", "2024-12-31", ["2025-01-01T00:00:00Z"], ["2024-12-30"]],
  ["DateGreaterThanEquals", "2024-03-01", ["2024-03-01"], ["2024-02-29"]],
  ["IpAddress", ["10.0.0.0/8", "::1"], ["10.1.2.3", "0::1"], ["11.0.0.1", "pond"]],
  ["IpAddress", "192.0.2.7", ["192.0.2.7"], ["192.0.2.8"]],
  ["NotIpAddress", "10.0.0.0/8", ["11.0.0.1"], ["10.1.2.3", "pond"]],
  ["stringequals", "a", ["a"], ["b"]],
  ["Nonsense", "a", [], ["a"]],
  ["constructor", "a", [], ["a"]],
];

test("conditions compare as their operators say", () => {
  for (const [operator, expected, yes, no] of CONDITIONS) {
    const condition = { [operator]: { K: expected } };
    for (const value of yes) assert.equal(conditionHolds(condition, { k: value }), true, `${operator} ${value}`);
    for (const value of no) assert.equal(conditionHolds(condition, { k: value }), false, `${operator} ${value}`);
  }
});

test("a key that the request does not carry", () => {
  const cases: [string, boolean][] = [
    ["StringEquals", false],
    ["StringNotEquals", true],
    ["ArnNotLike", true],
    ["StringEqualsIfExists", true],
    ["StringNotEqualsIfExists", true],
    ["ForAllValues:StringEquals", true],
    ["ForAnyValue:StringEquals", false],
    ["ForAnyValue:StringNotEquals", false],
  ];
  for (const [operator, expected] of cases) {
    assert.equal(conditionHolds({ [operator]: { k: "a" } }, {}), expected, operator);
  }
  assert.equal(conditionHolds({ StringEqualsIfExists: { k: "a" } }, { k: "b" }), false);
  assert.equal(conditionHolds({ Null: { k: true } }, {}), true);
  assert.equal(conditionHolds({ Null: { k: "true" } }, { k: "a" }), false);
  assert.equal(conditionHolds({ Null: { k: "false" } }, { k: "a" }), true);
});

test("keys with several values", () => {
  const values = ["a", "b"];
  assert.equal(conditionHolds({ "ForAllValues:StringEquals": { k: ["a", "b", "c"] } }, { k: values }), true);
  assert.equal(conditionHolds({ "ForAllValues:StringEquals": { k: ["a"] } }, { k: values }), false);
  assert.equal(conditionHolds({ "ForAnyValue:StringEquals": { k: ["b"] } }, { k: values }), true);
  assert.equal(conditionHolds({ "ForAnyValue:StringLike": { k: ["x*"] } }, { k: values }), false);
});

test("all conditions of a statement must hold", () => {
  const condition = { StringEquals: { a: "1", b: "2" }, Bool: { c: "true" } };
  assert.equal(conditionHolds(condition, { a: "1", b: "2", c: "true" }), true);
  assert.equal(conditionHolds(condition, { a: "1", b: "3", c: "true" }), false);
  assert.equal(conditionHolds(condition, { a: "1", b: "2", c: "false" }), false);
});

test("statements without a Sid are named by their number", () => {
  const policy = JSON.stringify({ Statement: [{ ...allow, Action: "sns:*" }, allow] });
  assert.deepEqual(evaluatePolicy(policy, fromTopic), { decision: "allow", statement: "statement 2" });
});

test("what cannot be read allows nothing, and denies when that is its effect", () => {
  assert.deepEqual(evaluatePolicy("{", fromTopic), { decision: "noMatch", unreadable: "document" });
  const wrong: Members[] = [
    { ...allow, Effect: "allow" },
    { ...allow, Action: 5, Principal: 5 },
    { ...allow, NotAction: "sqs:*" },
    { ...allow, NotPrincipal: "*" },
    { ...allow, Action: undefined },
    { ...allow, Resource: {} },
    { ...allow, Condition: "x" },
    { ...allow, Condition: { StringEquals: "x" } },
    { ...allow, Condition: { StringEquals: { k: {} } } },
  ];
  for (const statement of wrong) {
    const policy = JSON.stringify({ Statement: statement });
    assert.deepEqual(evaluatePolicy(policy, fromTopic), { decision: "noMatch", unreadable: 1 }, policy);
  }
  assert.equal(decision([allow, { Effect: "Deny", Principal: "*" }]), "deny");
  assert.equal(decision([allow, { ...allow, Effect: "Deny", Condition: { Nonsense: { k: "a" } } }]), "deny");
});

const member = fc.oneof(fc.constantFrom("*", "sqs:SendMessage", QUEUE, "Allow", "Deny", 5, null, {}, []), fc.json());
const anyStatement = fc.oneof(
  fc.record({
    Effect: fc.constantFrom("Allow", "Deny"),
    Principal: fc.constantFrom("*", { Service: "sns.amazonaws.com" }, { AWS: "111111111111" }),
    Action: fc.constantFrom("sqs:*", "sqs:SendMessage", "sns:*"),
    Condition: fc.constantFrom({}, { ArnLike: { "aws:SourceArn": TOPIC } }, { StringEquals: { "aws:SourceArn": "x" } }),
  }),
  fc.dictionary(fc.constantFrom("Effect", "Principal", "NotPrincipal", "Action", "Resource", "Condition"), member),
) as fc.Arbitrary<Members>;

test(`a statement that denies wins over all others (seed ${SEED})`, () => {
  const deny = { Effect: "Deny", Principal: "*", Action: "sqs:*" };
  fc.assert(
    fc.property(fc.array(anyStatement), fc.nat(), (statements, at) => {
      assert.equal(decision(statements.toSpliced(at % (statements.length + 1), 0, deny)), "deny");
    }),
    { seed: SEED },
  );
});

test(`the order of statements does not matter (seed ${SEED})`, () => {
  const shuffled = fc
    .array(anyStatement)
    .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
  const seen = new Set<string>();
  fc.assert(
    fc.property(shuffled, ([statements, other]) => {
      seen.add(decision(statements));
      assert.equal(decision(statements), decision(other));
    }),
    { seed: SEED },
  );
  assert.equal(seen.size, 3, `only saw ${[...seen]}`);
});

test(`no text makes the evaluator throw (seed ${SEED})`, () => {
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"Statement":${json}}`),
  );
  fc.assert(
    fc.property(texts, (text) => {
      evaluatePolicy(text, fromTopic);
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test("the missing statement allows the request, and not the same from elsewhere", () => {
  for (const request of [fromTopic, fromUser, { ...fromTopic, context: { "AWS:SourceAccount": "1" } }]) {
    assert.equal(decision({ ...missingStatement(request) }, request), "allow");
  }
  const statement = missingStatement(fromTopic);
  assert.deepEqual(statement, {
    Sid: "AllowSnsSendMessageSpring",
    Effect: "Allow",
    Principal: { Service: "sns.amazonaws.com" },
    Action: "sqs:SendMessage",
    Resource: QUEUE,
    Condition: { ArnEquals: { "aws:SourceArn": TOPIC } },
  });
  assert.equal(decision({ ...statement }, { ...fromTopic, context: { "aws:SourceArn": QUEUE } }), "noMatch");
});

test("patterns", () => {
  assert.equal(matchesText("*a*b?c*", "xxaxxbxcxx"), true);
  assert.equal(matchesText("a*b", "acbc"), false);
  assert.equal(matchesText("", ""), true);
  assert.equal(matchesText("?", ""), false);
  assert.equal(matchesText("*a".repeat(2000), "a".repeat(1999)), false);
  assert.equal(matchesArn("*", "anything"), true);
  assert.equal(matchesArn("arn:aws:lambda:*:*:function:f", "arn:aws:lambda:r:1:function:f"), true);
  assert.equal(matchesArn("arn:aws:lambda:*:function:f", "arn:aws:lambda:r:1:function:f"), false);
});
