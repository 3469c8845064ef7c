// Requests as clients send them, and as they should not: for each operation an input is drawn along its model, most of
// it right, some of it of the wrong type or not of this world; then it is written in one of the protocols, through one
// of the paths, with headers that fit or do not.

import fc from "fast-check";
import type { WireRequest } from "../../src/wire/index.ts";
import { operations as snsOperations } from "../../src/wire/models/sns.ts";
import { operations as sqsOperations } from "../../src/wire/models/sqs.ts";
import type { Shape, Structure } from "../../src/wire/protocol/model.ts";
import { type Damage, damaged, damages, hostileJson, hostileText } from "./hostile.ts";

const NAMES = ["orders", "steps.fifo", "dead", "dead.fifo", "absent"];
const ATTRIBUTE_VALUES: Record<string, string[]> = {
  VisibilityTimeout: ["0", "30", "43200", "43201"],
  DelaySeconds: ["0", "900", "901"],
  MessageRetentionPeriod: ["60", "1209600"],
  MaximumMessageSize: ["1024", "1048576"],
  ReceiveMessageWaitTimeSeconds: ["0", "20"],
  FifoQueue: ["true", "false"],
  ContentBasedDeduplication: ["true"],
  DeduplicationScope: ["queue", "messageGroup"],
  FifoThroughputLimit: ["perQueue", "perMessageGroupId"],
  RedrivePolicy: ['{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":3}', "{}", ""],
  RedriveAllowPolicy: ['{"redrivePermission":"allowAll"}', '{"redrivePermission":"byQueue","sourceQueueArns":[]}'],
  Policy: ['{"Version":"2012-10-17","Statement":[]}', '{"Statement":[null]}', '{"Statement":1}', "{"],
  KmsMasterKeyId: ["alias/aws/sqs"],
  SqsManagedSseEnabled: ["true"],
  DisplayName: ["Spring"],
  FifoTopic: ["true", "false"],
  FifoThroughputScope: ["Topic", "MessageGroup"],
  ArchivePolicy: ['{"MessageRetentionPeriod":"1"}', "{}", "[]"],
  SignatureVersion: ["1", "2"],
  RawMessageDelivery: ["true", "False"],
  FilterPolicy: ['{"a":["b",{"numeric":[">",1]}]}', '{"a":{"b":[null]}}', "{}", ""],
  FilterPolicyScope: ["MessageAttributes", "MessageBody"],
  DeliveryPolicy: [
    '{"healthyRetryPolicy":{"numRetries":5}}',
    '{"http":{"defaultHealthyRetryPolicy":{"numRetries":5}}}',
    '{"http":null,"healthyRetryPolicy":[]}',
  ],
  ReplayPolicy: ['{"PointType":"Timestamp","StartingPoint":"2026-01-01T00:00:00Z"}'],
};

const TOPIC_ARNS = ["pond", "pond.fifo", "absent"].map((name) => `arn:aws:sns:us-east-1:000000000000:${name}`);
const SUBSCRIPTION_ID = "00000000-0000-4000-8000-000000000001";

/** What a right value of a text member looks like, by the member's name. */
const TEXTS: Record<string, fc.Arbitrary<string>> = {
  QueueUrl: fc.constantFrom(...NAMES).map((name) => `http://sqs.test:9324/000000000000/${name}`),
  QueueName: fc.constantFrom(...NAMES),
  SourceArn: fc.constantFrom(...NAMES).map((name) => `arn:aws:sqs:us-east-1:000000000000:${name}`),
  DestinationArn: fc.constantFrom(...NAMES).map((name) => `arn:aws:sqs:us-east-1:000000000000:${name}`),
  MessageBody: fc.oneof(fc.constantFrom("hello", "<a>&\r\n", "é🐸"), fc.string({ unit: "grapheme" })),
  MessageGroupId: fc.constantFrom("a", "b", "group-1"),
  MessageDeduplicationId: fc.uuid(),
  ReceiveRequestAttemptId: fc.constantFrom("try-1", "try-2"),
  Id: fc.constantFrom("a", "b", "c", "d"),
  DataType: fc.constantFrom("String", "Number", "Binary", "String.custom", "Number.int"),
  StringValue: fc.constantFrom("1", "12.5e3", "text", "-0.0001"),
  TaskHandle: fc.constant(Buffer.from('{"taskId":"t","sourceArn":"s"}').toString("base64")),
  Label: fc.constantFrom("share", "other"),
  NextToken: fc.constantFrom("b3JkZXJz", "1"),
  MessageSystemAttributeNames: fc.constantFrom("All", "SentTimestamp", "ApproximateReceiveCount"),
  AttributeNames: fc.constantFrom("All", "QueueArn", "Policy"),
  MessageAttributeNames: fc.constantFrom("All", ".*", "a.*", "Name"),
  Actions: fc.constantFrom("SendMessage", "*"),
  AWSAccountIds: fc.constantFrom("111122223333"),
  TopicArn: fc.constantFrom(...TOPIC_ARNS),
  TargetArn: fc.constantFrom(...TOPIC_ARNS),
  ResourceArn: fc.constantFrom(...TOPIC_ARNS),
  SubscriptionArn: fc.constantFrom(...TOPIC_ARNS.map((arn) => `${arn}:${SUBSCRIPTION_ID}`)),
  Name: fc.constantFrom("pond", "pond.fifo"),
  Protocol: fc.constantFrom(
    "sqs",
    "sqs",
    "sqs",
    "http",
    "https",
    "email",
    "email-json",
    "sms",
    "lambda",
    "application",
    "toString",
  ),
  Endpoint: fc.constantFrom(
    "arn:aws:sqs:us-east-1:000000000000:orders",
    "arn:aws:sqs:us-east-1:000000000000:steps.fifo",
    "http://127.0.0.1:1/",
    "frog@pond.test",
    "+15550100200",
  ),
  Token: fc.constantFrom("0a".repeat(32), "frog"),
  Message: fc.constantFrom("hello", '{"default":"d","sqs":"s"}', "[]"),
  MessageStructure: fc.constantFrom("json", "string"),
  AttributeName: fc.constantFrom(...Object.keys(ATTRIBUTE_VALUES)),
  AttributeValue: fc.constantFrom(...Object.values(ATTRIBUTE_VALUES).flat()),
  PhoneNumber: fc.constantFrom("+15550100200", "0"),
  phoneNumber: fc.constantFrom("+15550100200", "0"),
  AWSAccountId: fc.constantFrom("111122223333"),
  ActionName: fc.constantFrom("Publish", "SendMessage"),
  Key: fc.constantFrom("a", "b"),
  Value: fc.constantFrom("1", ""),
};

/** Rarely: most of a request must be right for the rest of it to be looked at. */
const SPOILED = 20;

function anyValueOf(shape: Shape, name: string): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: SPOILED, arbitrary: rightValueOf(shape, name) }, { weight: 1, arbitrary: hostileJson });
}

function rightValueOf(shape: Shape, name: string): fc.Arbitrary<unknown> {
  switch (shape.is) {
    case "text":
      return fc.oneof(
        { weight: SPOILED, arbitrary: TEXTS[name] ?? fc.string() },
        { weight: 1, arbitrary: hostileText },
      );
    case "integer":
      return fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 }) },
        { weight: 1, arbitrary: fc.integer() },
      );
    case "timestamp":
      return fc.integer({ min: 0, max: 2_000_000_000 });
    case "boolean":
      return fc.boolean();
    case "blob":
      return fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64"));
    case "list":
      return fc.array(anyValueOf(shape.of, name), { maxLength: 11 });
    case "map":
      return name === "Attributes" || name === "attributes" ? attributes : mapOf(shape.of);
    case "structure":
      return inputOf(shape);
  }
}

const attributes = fc
  .array(
    fc
      .constantFrom(...Object.keys(ATTRIBUTE_VALUES))
      .chain((name) =>
        fc.tuple(fc.constant(name), fc.oneof(fc.constantFrom(...(ATTRIBUTE_VALUES[name] ?? [])), hostileText)),
      ),
    { maxLength: 4 },
  )
  .map((pairs) => Object.fromEntries(pairs));

function mapOf(of: Shape): fc.Arbitrary<unknown> {
  const key = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("a", "b", "Name", "AWSTraceHeader") },
    { weight: 1, arbitrary: hostileText },
  );
  return fc.array(fc.tuple(key, anyValueOf(of, "value")), { maxLength: 11 }).map((pairs) => Object.fromEntries(pairs));
}

function inputOf(shape: Structure): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(shape.members).map(([name, member]) => {
    const isGiven = fc.integer({ min: 0, max: 9 }).map((drawn) => (member.required ? drawn > 0 : drawn > 5));
    return fc.tuple(fc.constant(name), isGiven, anyValueOf(member.shape, name));
  });
  return fc
    .tuple(...members)
    .map((drawn) => Object.fromEntries(drawn.flatMap(([name, isGiven, value]) => (isGiven ? [[name, value]] : []))));
}

// How it is written.

const PATHS = [
  "/",
  "/000000000000/orders",
  "/000000000000/orders/",
  "/000000000000/steps.fifo",
  "/queue/orders",
  "/us-east-1/000000000000/orders",
  "//000000000000//orders",
  "/000000000000/%6frders",
  "/000000000000/%zz",
  "http://sqs.test:9324/000000000000/orders",
  "http://sqs.test",
  "*",
  "",
  "sqs.test:443",
  "/%00/..;/",
];

const credential = fc
  .tuple(
    fc.oneof(fc.constantFrom("test", "000000000000", "AKIA/WITH/SLASHES", ""), hostileText),
    fc.oneof(fc.constantFrom("20260101", ""), hostileText),
    fc.oneof(fc.constantFrom("us-east-1", "eu-west-1", "local", "a".repeat(33), ""), hostileText),
    fc.oneof(fc.constantFrom("sqs/aws4_request", "sns", ""), hostileText),
  )
  .map((parts) => parts.join("/"));

export const authorization: fc.Arbitrary<string | undefined> = fc.oneof(
  fc.constant(undefined),
  credential.map((scope) => `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0a1b`),
  credential.map((scope) => `AWS4-HMAC-SHA256 SignedHeaders=host,Credential=${scope}`),
  fc.constantFrom(
    "",
    "AWS4-",
    "Basic dGVzdDp0ZXN0",
    "Credential=",
    "AWS4-HMAC-SHA256 Credential=a/b/c/d/e/Credential=f",
  ),
  upTo(20_000).map((count) => `AWS4-HMAC-SHA256 ${"Credential=,".repeat(count)}`),
  hostileText,
);

/** Seldom near the maximum: a large input costs as much as a thousand small ones. */
function upTo(max: number): fc.Arbitrary<number> {
  return fc.oneof({ weight: 19, arbitrary: fc.nat(Math.ceil(max / 100)) }, { weight: 1, arbitrary: fc.nat(max) });
}

function usually<Value>(right: Value, ...wrong: fc.Arbitrary<Value>[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 10, arbitrary: fc.constant(right) },
    ...wrong.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
}

const commonHeaders = fc.record({
  host: fc.oneof(
    fc.constantFrom("sqs.test:9324", "sqs.eu-west-1.amazonaws.com", "sns.test", "[::1]:1", undefined),
    hostileText,
  ),
  authorization,
  accept: usually<string | undefined>(undefined, fc.constantFrom("application/json", "text/xml", "*/*"), hostileText),
  "x-amzn-trace-id": usually<string | undefined>(undefined, fc.constant("Root=1-5e1b-aa"), hostileText),
  "x-forwarded-proto": usually<string | undefined>(
    undefined,
    fc.constantFrom("https", "ftp", "http, https"),
    hostileText,
  ),
  "x-forwarded-host": usually<string | undefined>(undefined, fc.constant("a.test, b.test"), hostileText),
  "x-forwarded-port": usually<string | undefined>(undefined, fc.constantFrom("443", "99999"), hostileText),
});

/** Damage to the text of a document that an encoder would never do. */
const jsonTricks: fc.Arbitrary<(text: string) => string> = fc.oneof(
  { weight: 12, arbitrary: fc.constant((text: string) => text) },
  { weight: 1, arbitrary: fc.constant((text: string) => `\ufeff${text}`) },
  {
    weight: 1,
    arbitrary: fc.constant((text: string) => text.replace(/^\{/, '{"QueueUrl":"http://other/0/q","QueueUrl":[1],')),
  },
  { weight: 1, arbitrary: fc.constant((text: string) => text.replace(/\d+/, "1e999")) },
  { weight: 1, arbitrary: fc.constant((text: string) => text.replace(/\d+/, "9".repeat(10_000))) },
  { weight: 1, arbitrary: fc.constant((text: string) => text.replace(/"(?=[^"]*$)/, '\\ud800"')) },
  {
    weight: 1,
    arbitrary: upTo(100_000).map(
      (depth) => (text: string) => text.replace(/[[{]/, `$&"deep":${'{"a":['.repeat(depth)}`),
    ),
  },
  {
    weight: 1,
    arbitrary: upTo(50_000).map(
      (depth) => (text: string) => text.replace(/^\{/, `{"Unknown":${"[".repeat(depth)}${"]".repeat(depth)},`),
    ),
  },
);

const spoilBytes: fc.Arbitrary<Damage[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Damage[]>([]) },
  { weight: 1, arbitrary: damages },
);

function jsonRequestOf(operation: string, input: fc.Arbitrary<object>): fc.Arbitrary<WireRequest> {
  return fc
    .record({
      input,
      trick: jsonTricks,
      spoiled: spoilBytes,
      common: commonHeaders,
      contentType: usually<string | undefined>(
        "application/x-amz-json-1.0",
        fc.constantFrom(undefined, "text/plain", "application/json"),
        hostileText,
      ),
      target: usually<string | undefined>(
        `AmazonSQS.${operation}`,
        fc.constantFrom(undefined, operation, `AmazonSQS.${operation}X`, "AmazonSQS.", "."),
        hostileText,
      ),
      queryMode: usually<string | undefined>(undefined, fc.constantFrom("true", "false", "")),
      method: usually("POST", fc.constantFrom("GET", "PUT", "HEAD", "")),
      path: usually("/", fc.constantFrom(...PATHS)),
    })
    .map(({ input: value, trick, spoiled, common, contentType, target, queryMode, method, path }) => ({
      method,
      target: path,
      headers: { ...common, "content-type": contentType, "x-amz-target": target, "x-amzn-query-mode": queryMode },
      body: damaged(Buffer.from(trick(JSON.stringify(value))), spoiled),
      secure: false,
      localAuthority: "127.0.0.1:9324",
    }));
}

export type Numbering = "one" | "zero" | "gaps" | "none" | "member" | "huge";

/** An input as the flat names of the Query protocol. What does not fit the shape is written by its look. */
function* fieldsOf(
  shape: Shape | undefined,
  value: unknown,
  name: string,
  numbering: Numbering,
): Generator<[string, string]> {
  if (value === null || typeof value !== "object") {
    yield [name, String(value)];
    return;
  }
  const under = (inner: string) => (name === "" ? inner : `${name}.${inner}`);
  if (Array.isArray(value)) {
    const of = shape?.is === "list" ? shape.of : undefined;
    for (const [index, element] of value.entries())
      yield* fieldsOf(of, element, under(numberOf(index, numbering)), numbering);
    return;
  }
  const pairs = Object.entries(value);
  if (shape?.is === "map") {
    for (const [index, [key, element]] of pairs.entries()) {
      const pair = under(numberOf(index, numbering));
      yield [`${pair}.${shape.keyName}`, key];
      yield* fieldsOf(shape.of, element, `${pair}.${shape.valueName}`, numbering);
    }
    return;
  }
  const members = shape?.is === "structure" ? shape.members : {};
  for (const [own, element] of pairs) {
    const member = Object.hasOwn(members, own) ? members[own] : undefined;
    yield* fieldsOf(member?.shape, element, under(member?.queryName ?? own), numbering);
  }
}

function numberOf(index: number, numbering: Numbering): string {
  switch (numbering) {
    case "one":
      return String(index + 1);
    case "zero":
      return String(index);
    case "gaps":
      return String(index * 7 + 3);
    case "none":
      return "x";
    case "member":
      return `member.${index + 1}`;
    case "huge":
      return `${index + 1}${"0".repeat(12)}`;
  }
}

const formTricks: fc.Arbitrary<(form: string) => string> = fc.oneof(
  { weight: 12, arbitrary: fc.constant((form: string) => form) },
  { weight: 1, arbitrary: fc.constant((form: string) => `${form}&${form}`) },
  { weight: 1, arbitrary: fc.constant((form: string) => form.replaceAll("&", ";")) },
  { weight: 1, arbitrary: fc.constant((form: string) => form.replaceAll("=", "")) },
  { weight: 1, arbitrary: fc.constant((form: string) => form.replace(/%../, "%")) },
  { weight: 1, arbitrary: fc.constant((form: string) => `${form}&X-Amz-Credential=a/b/c/d/e&AWSAccessKeyId=k`) },
  { weight: 1, arbitrary: upTo(12_000).map((count) => (form: string) => `${form}${"&a=".repeat(count)}`) },
  { weight: 1, arbitrary: upTo(60_000).map((count) => (form: string) => `${form}&${".".repeat(count)}=1`) },
  {
    weight: 1,
    arbitrary: upTo(3_000).map((count) => (form: string) => {
      return `${form}${Array.from({ length: count }, (_, index) => `&Attribute.${index}.Name=n${index}`).join("")}`;
    }),
  },
);

function queryRequestOf(operation: string, shape: Structure, input: fc.Arbitrary<object>): fc.Arbitrary<WireRequest> {
  return fc
    .record({
      input,
      numbering: fc.constantFrom<Numbering>("one", "one", "one", "zero", "gaps", "none", "member", "huge"),
      action: usually(operation, fc.constantFrom("", `${operation}2`, "__proto__"), hostileText),
      trick: formTricks,
      spoiled: spoilBytes,
      common: commonHeaders,
      contentType: usually<string | undefined>(
        "application/x-www-form-urlencoded",
        fc.constantFrom(undefined, "application/json", "multipart/form-data"),
        hostileText,
      ),
      way: fc.constantFrom("body", "query", "both"),
      method: usually<string | undefined>(undefined, fc.constantFrom("PUT", "HEAD", "get", "")),
      path: fc.oneof({ weight: 2, arbitrary: fc.constant("/") }, { weight: 3, arbitrary: fc.constantFrom(...PATHS) }),
    })
    .map(({ input: value, numbering, action, trick, spoiled, common, contentType, way, method, path }) => {
      const fields = [["Action", action], ...fieldsOf(shape, value, "", numbering)] as [string, string][];
      const cut = way === "body" ? 0 : way === "query" ? fields.length : Math.ceil(fields.length / 2);
      const query = damaged(Buffer.from(trick(formOf(fields.slice(0, cut)))), way === "query" ? spoiled : []).toString(
        "latin1",
      );
      return {
        method: method ?? (way === "query" ? "GET" : "POST"),
        target: query === "" ? path : `${path}?${query}`,
        headers: { ...common, "content-type": contentType },
        body: way === "query" ? new Uint8Array(0) : damaged(Buffer.from(trick(formOf(fields.slice(cut)))), spoiled),
        secure: false,
        localAuthority: "127.0.0.1:9324",
      };
    });
}

function formOf(fields: [string, string][]): string {
  return fields.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
}

/** Lone surrogates as clients in other languages encode them. */
function encoded(text: string): string {
  const wellFormed = Buffer.from(text).toString();
  return wellFormed === text
    ? encodeURIComponent(text)
    : encodeURIComponent(wellFormed).replaceAll("%EF%BF%BD", "%ED%A0%80");
}

/** A request for any of the operations, in any of the protocols. */
export const request: fc.Arbitrary<WireRequest> = fc.oneof(
  ...Object.entries(sqsOperations).flatMap(([operation, { input }]) => {
    const drawn = inputOf(input);
    return [jsonRequestOf(operation, drawn), queryRequestOf(operation, input, drawn)];
  }),
  ...Object.entries(snsOperations).map(([operation, { input }]) =>
    queryRequestOf(operation, input, inputOf(input)).map((given) => ofVersion(given, "2010-03-31")),
  ),
);

/** Most actions tell their service by their name; for the others a version does. */
function ofVersion(given: WireRequest, version: string): WireRequest {
  const { target } = given;
  return { ...given, target: `${target}${target.includes("?") ? "&" : "?"}Version=${version}` };
}
