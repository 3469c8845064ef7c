// Whatever bytes come in, a command or an answer goes out: nothing throws, nothing reaches into prototypes, and no
// request costs more than its size. The random part prints its seed; set WIRE_SEED to repeat a run.

import assert from "node:assert/strict";
import test from "node:test";
import { jsonRequest, QUEUE_URL, queryRequest, read, request } from "./exchange.test.fixture.ts";
import type { WireRequest } from "./exchange.ts";
import { isAwsRequest } from "./is-aws-request.ts";
import { operations } from "./models/sqs.ts";

const actions = Object.keys(operations);
const texts = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "__proto__",
  "constructor",
  "toString",
  "../../etc",
  "%",
  "%%%",
  "https://",
  "https://h/",
  "http://[::1",
  "-1",
  "1e999",
  "NaN",
  "x".repeat(5000),
  "é🐸",
];
const values: unknown[] = [...texts, null, true, 0, -1, 1.5, 1e300, [], [[]], [null], {}, { a: {} }, { Name: null }];
const names = [
  "QueueUrl",
  "QueueName",
  "Entries",
  "Attributes",
  "MessageAttributes",
  "MessageBody",
  "ReceiptHandle",
  "TaskHandle",
  "SourceArn",
  "MaxResults",
  "AttributeNames",
  "Tags",
  "__proto__",
  "constructor",
];

test("deep and wide documents are read without harm", () => {
  const depth = 200_000;
  const documents = [
    "[".repeat(depth),
    `${"[".repeat(depth)}${"]".repeat(depth)}`,
    `{"MessageAttributes":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`,
    `{"Unknown":${"[".repeat(depth)}${"]".repeat(depth)}}`,
    `{"Entries":[${"{},".repeat(depth)}{}]}`,
    `{"__proto__":{"QueueUrl":"${QUEUE_URL}"},"MessageBody":"b"}`,
  ];
  for (const document of documents) answered(jsonRequest("SendMessageBatch", document));
  const forms = [
    "&".repeat(depth),
    "a=&".repeat(depth),
    ".".repeat(depth),
    `${"a.".repeat(depth)}=1`,
    "=".repeat(depth),
  ];
  for (const form of forms) answered({ ...queryRequest({}), body: Buffer.from(`Action=SendMessage&${form}`) });
});

test("an inherited queue URL is no queue URL", () => {
  const parsed = read(jsonRequest("SendMessage", `{"__proto__":{"QueueUrl":"${QUEUE_URL}"},"MessageBody":"b"}`));
  assert.equal(parsed.is, "response");
});

test("random requests are always answered", () => {
  const seed = Number(process.env["WIRE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`WIRE_SEED=${seed}`);
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  for (let round = 0; round < 5000; round++) {
    const action = pick(actions);
    const kind = Math.floor(random() * 4);
    if (kind === 0) answered(jsonRequest(action, documentOf(pick)));
    else if (kind === 1)
      answered(queryRequest({ Action: action, ...fieldsOf(pick) }, pick(["/", "/000000000000/q", "//"])));
    else if (kind === 2) answered(damaged(jsonRequest(action, documentOf(pick)), random));
    else answered(oddRequest(action, pick));
  }
});

type Pick = <Item>(items: readonly Item[]) => Item;

function documentOf(pick: Pick): object {
  const entry = { Id: pick(["a", "b", ...texts]), [pick(names)]: pick(values), MessageBody: pick(values) };
  return {
    QueueUrl: pick([QUEUE_URL, QUEUE_URL, ...texts]),
    MessageBody: pick(texts),
    [pick(names)]: pick(values),
    [pick(names)]: { [pick(texts)]: pick(values), k: { DataType: pick(texts), StringValue: pick(texts) } },
    Entries: pick<unknown>([[entry], [entry, entry], pick(values)]),
  };
}

function fieldsOf(pick: Pick): Record<string, string> {
  const suffixes = [
    "",
    ".1",
    ".1.Name",
    ".1.Value",
    ".entry.1.Value.DataType",
    ".1.Id",
    ".99999999999",
    ".-1",
    "..",
    ".1.1.1",
  ];
  const prefixes = [...names, "Attribute", "Tag", "MessageAttribute", "SendMessageBatchRequestEntry"];
  const fields: Record<string, string> = {};
  for (let count = 0; count < 4; count++)
    fields[pick(prefixes) + pick(suffixes)] = pick(texts).replaceAll("\ud800", "");
  return fields;
}

function damaged(given: WireRequest, random: () => number): WireRequest {
  const body = Buffer.from(given.body);
  for (let count = 0; count < 3 && body.length > 0; count++) {
    body[Math.floor(random() * body.length)] = Math.floor(random() * 256);
  }
  return { ...given, body: random() < 0.3 ? body.subarray(0, Math.floor(random() * body.length)) : body };
}

function oddRequest(action: string, pick: Pick): WireRequest {
  return request({
    method: pick(["GET", "POST", "PUT", "DELETE", "HEAD", ""]),
    target: pick(["", "?", "/?", "*", "http://h", "//h//", "/%zz/%00", `/?Action=${action}&%=`, `/?Action=${action}`]),
    headers: {
      host: pick([undefined, ...texts]),
      authorization: pick([undefined, "Credential=", ...texts]),
      "x-amz-target": pick([undefined, "", ".", "AmazonSQS.", `AmazonSQS.${action}`, ...texts]),
      "content-type": pick([undefined, "", "application/json", ...texts]),
      "x-amzn-trace-id": pick([undefined, ...texts]),
      accept: pick([undefined, "application/json", ...texts]),
    },
    body: Buffer.from(pick(["", "{}", "null", `Action=${action}`, "\u0000"])),
  });
}

function answered(given: WireRequest): void {
  const parsed = read(given);
  isAwsRequest(given);
  if (parsed.is === "command") {
    assert.equal(typeof parsed.command.kind, "string");
    parsed.respond({ ok: false, refusal: { code: "InternalFailure", message: "\u0000<" } });
    return;
  }
  assert.ok(parsed.response.status >= 400);
  assert.equal(typeof parsed.response.headers["x-amzn-RequestId"], "string");
}

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
