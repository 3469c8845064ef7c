// Whatever a client sends, the wire answers: a command for the host, or an error that AWS's clients understand. What
// the host answers to the command is written so that clients can read it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { validateHeaderValue } from "node:http";
import { after, test } from "node:test";
import fc from "fast-check";
import { systemClock } from "../../src/base/clock.ts";
import type { Command, Outcome } from "../../src/engine/command.ts";
import type { RefusalCode } from "../../src/engine/refusal.ts";
import { refusal } from "../../src/engine/refusal.ts";
import type { Host } from "../../src/host/index.ts";
import { startHost } from "../../src/host/index.ts";
import { openMemoryStorage } from "../../src/log/index.ts";
import type { WireRequest, WireResponse, WireSettings } from "../../src/wire/index.ts";
import { isAwsRequest, readRequest } from "../../src/wire/index.ts";
import { errors as lambdaErrors } from "../../src/wire/lambda/errors.ts";
import { operations as snsOperations } from "../../src/wire/models/sns.ts";
import { operations as sqsOperations } from "../../src/wire/models/sqs.ts";
import { addFields } from "../../src/wire/protocol/form.ts";
import { accountOf, isAccountId, readCaller } from "../../src/wire/protocol/sigv4.ts";
import { errors as snsErrors } from "../../src/wire/sns/errors.ts";
import { errors as sqsErrors } from "../../src/wire/sqs/errors.ts";
import { fuzz, fuzzSeed, withinBounds } from "./budget.ts";
import { hostileText } from "./hostile.ts";
import { authorization, request } from "./requests.ts";
import { assertWellFormedXml } from "./xml.ts";

/** All of them: a code that is missing here does not compile. */
const CODES: Record<RefusalCode, true> = {
  BatchEntryIdsNotDistinct: true,
  BatchRequestTooLong: true,
  EmptyBatchRequest: true,
  InvalidBatchEntryId: true,
  TooManyEntriesInBatchRequest: true,
  MessageNotInflight: true,
  UnsupportedOperation: true,
  QueueDeletedRecently: true,
  QueueDoesNotExist: true,
  PurgeQueueInProgress: true,
  QueueNameExists: true,
  OverLimit: true,
  RequestThrottled: true,
  InvalidAddress: true,
  ReceiptHandleIsInvalid: true,
  ResourceNotFoundException: true,
  InvalidAttributeName: true,
  InvalidAttributeValue: true,
  InvalidMessageContents: true,
  InvalidParameterValue: true,
  MissingParameter: true,
  Serialization: true,
  UnknownOperation: true,
  InvalidAction: true,
  MissingAction: true,
  MalformedQueryString: true,
  RequestTooLarge: true,
  InternalFailure: true,
  ServiceUnavailable: true,
  AuthorizationError: true,
  FilterPolicyLimitExceeded: true,
  InvalidParameter: true,
  InvalidState: true,
  NotFound: true,
  ParameterValueInvalid: true,
  ResourceNotFound: true,
  SubscriptionLimitExceeded: true,
  TagLimitExceeded: true,
  TopicLimitExceeded: true,
  ValidationError: true,
  InvalidParameterValueException: true,
  InvalidRequestContentException: true,
  InvalidRuntimeException: true,
  PolicyLengthExceededException: true,
  PreconditionFailedException: true,
  RequestEntityTooLargeException: true,
  RequestTooLargeException: true,
  ResourceConflictException: true,
  ResourceInUseException: true,
  TooManyRequestsException: true,
  ValidationException: true,
};
const codes = Object.keys(CODES) as RefusalCode[];
const tables = [sqsErrors, snsErrors, lambdaErrors];
const spellings = tables.flatMap(({ spellingOf }) => codes.map(spellingOf));
/** What a request or a command is refused with because of what it says; the others blame us or the world. */
const ours = new Set<RefusalCode>(["InternalFailure", "ServiceUnavailable"]);

const uuid = () => "00000000-0000-4000-8000-000000000001";
const settings = fc.record({
  trustForwarded: fc.boolean(),
  defaultRegion: fc.constant("us-east-1"),
  uuid: fc.constant(uuid),
});

/** Some operations are rarely drawn whole: once in many thousand requests. */
const INPUTS_TO_REACH_ALL = 300_000;
const INPUTS_A_DRAW = 2000;
const seen = {
  commands: new Set<string>(),
  /** Operations that need no command: answered or declined at the wire. */
  answered: new Set<string>(),
  refusals: new Set<string>(),
  commandCount: 0,
  requestCount: 0,
};

fuzz(
  "any request becomes a command or an error of AWS's, in time",
  0.13,
  fc.tuple(request, settings),
  ([given, chosen]) => readOne(given, chosen),
);

function readOne(given: WireRequest, chosen: WireSettings): void {
  const bytes = given.body.length + given.target.length;
  const parsed = withinBounds(bytes, () => readRequest(given, chosen));
  withinBounds(bytes, () => isAwsRequest(given));
  seen.requestCount += 1;
  if (parsed.is === "response") {
    const isAnswer = parsed.response.status === 200 || String(parsed.response.body).includes("is not offered");
    if (isAnswer && parsed.operation !== undefined) seen.answered.add(parsed.operation);
    return parsed.response.status === 200 ? assertReadable(parsed.response) : assertError(parsed.response);
  }
  seen.commandCount += 1;
  seen.commands.add(parsed.operation);
}

test("the generator reaches every operation, and is refused for many reasons", (context) => {
  const everyName = [...new Set([...Object.keys(sqsOperations), ...Object.keys(snsOperations)])];
  const missing = () => everyName.filter((name) => !seen.commands.has(name) && !seen.answered.has(name));
  // The time above is enough for most of them, and on a busy machine for fewer.
  while (missing().length > 0 && seen.requestCount < INPUTS_TO_REACH_ALL) {
    const drawn = fc.sample(fc.tuple(request, settings), {
      numRuns: INPUTS_A_DRAW,
      seed: fuzzSeed + seen.requestCount,
    });
    for (const [given, chosen] of drawn) readOne(given, chosen);
  }
  context.diagnostic(
    `${seen.commandCount} of ${seen.requestCount} were commands; refused as ${[...seen.refusals].join(", ")}`,
  );
  assert.deepEqual([...new Set([...seen.commands, ...seen.answered])].sort(), [...everyName].sort());
  assert.ok(seen.commandCount > 0.1 * seen.requestCount, "hardly a request is right");
  assert.ok(seen.refusals.size >= 10, `only ${seen.refusals.size} codes were seen`);
});

let host: Host | undefined;
const bugs: string[] = [];
after(() => host?.stop());

let executedCount = 0;
fuzz("what the host answers to a command can be read by the client that sent it", 0.14, request, async (given) => {
  const parsed = readRequest(given, { trustForwarded: false, defaultRegion: "us-east-1", uuid });
  if (parsed.is === "response") return;
  if (executedCount++ % 2000 === 0) await startAnew();
  const outcome = await (host as Host)
    .execute(withoutWaiting(parsed.command))
    .catch((error: unknown) => bugs.push(String(error)));
  if (bugs.length > 0) {
    executedCount = 0;
    assert.fail(bugs.splice(0).join("\n"));
  }
  const response = parsed.respond(outcome as Outcome);
  if (response.status !== 200) return assertError(response);
  assertReadable(response);
  assertErrorsInBatch(parsed.operation, response);
});

fuzz(
  "any refusal is written in the caller's protocol, whatever its text",
  0.02,
  fc.tuple(request, fc.constantFrom(...codes), hostileText),
  ([given, code, text]) => {
    const parsed = readRequest(given, { trustForwarded: false, defaultRegion: "us-east-1", uuid });
    if (parsed.is === "response") return;
    const response = parsed.respond({ ok: false, refusal: refusal(code, text) });
    assertReadable(response);
    if (code === "UnknownOperation") return;
    assert.ok(tables.some(({ spellingOf }) => response.status === spellingOf(code).status));
  },
);

fuzz(
  "a credential is read or left unread",
  0.02,
  fc.tuple(authorization, fc.string({ unit: "binary" })),
  ([header, query]) => {
    const form = {};
    addFields(form, query);
    const caller = withinBounds((header?.length ?? 0) + query.length, () => readCaller(header, form));
    assert.ok(isAccountId(accountOf(caller)));
    assert.match(caller.region ?? "us-east-1", /^[A-Za-z0-9-]{1,32}$/);
    assert.notEqual(caller.accessKey, "");
  },
);

/** With the queues that requests name, so that commands find something to do. */
async function startAnew(): Promise<void> {
  await host?.stop();
  host = await startHost({
    openStorage: async () => openMemoryStorage(),
    shardCount: 2,
    clock: systemClock,
    ids: { uuid: randomUUID },
    awsDelays: false,
    bodyCacheBytesMax: 1024 * 1024,
    log: (level, text, details) => {
      if (level === "error") bugs.push(`${text} ${JSON.stringify(details)}`);
    },
  });
  for (const [name, attributes] of [
    ["dead", {}],
    ["dead.fifo", { FifoQueue: "true" }],
    [
      "orders",
      { RedrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":1}' },
    ],
    ["steps.fifo", { FifoQueue: "true" }],
  ] as const) {
    const queue = { account: "000000000000", region: "us-east-1", name };
    const outcome = await host.execute({ kind: "createQueue", queue, attributes, tags: {} });
    assert.ok(outcome.ok);
  }
  for (const [name, attributes] of [
    ["pond", {}],
    ["pond.fifo", { FifoTopic: "true" }],
  ] as const) {
    const topic = { account: "000000000000", region: "us-east-1", name };
    assert.ok((await host.execute({ kind: "createTopic", topic, attributes, tags: {} })).ok);
  }
}

function withoutWaiting(command: Command): Command {
  return command.kind === "receiveMessages" ? { ...command, waitMs: 0 } : command;
}

/** A status, code and body that AWS's clients take for an error. */
function assertError(response: WireResponse): void {
  assertReadable(response);
  const { code, kind } = codeOf(response);
  const known = spellings.find(
    (each) => each.status === response.status && (kind === "json" ? each.jsonType : each.queryCode) === code,
  );
  assert.ok(known, `${response.status} ${code} is not in the table of errors`);
  const isOurs = tables.some(({ spellingOf }) => [...ours].some((each) => spellingOf(each) === known));
  assert.ok(!isOurs, `a request must not be answered with ${code}`);
  seen.refusals.add(code);
}

function codeOf({ body, headers }: WireResponse): { kind: "json" | "query"; code: string } {
  const text = String(body);
  if (headers["Content-Type"] === "application/x-amz-json-1.0") return { kind: "json", code: JSON.parse(text).__type };
  if (headers["Content-Type"] === "application/json") return { kind: "query", code: JSON.parse(text).Error.Code };
  return { kind: "query", code: /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? /^<(\w+)\/>/.exec(text)?.[1] ?? "" };
}

/** Headers that node sends and a body that parsers take. */
function assertReadable({ headers, body }: WireResponse): void {
  for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
  // As it leaves: what is no Unicode becomes U+FFFD there.
  const text = Buffer.from(body as string).toString();
  const type = headers["Content-Type"] ?? "";
  if (type === "text/xml") assertWellFormedXml(text);
  else if (type.startsWith("application/")) assert.equal(typeof JSON.parse(text), "object");
  else assert.fail(`an answer of type ${type}`);
}

/** Entries that failed carry codes of the table, too. */
function assertErrorsInBatch(operation: string, { body, headers }: WireResponse): void {
  if (!operation.endsWith("Batch") || headers["Content-Type"] !== "application/x-amz-json-1.0") return;
  for (const failed of JSON.parse(String(body)).Failed ?? []) {
    const known = spellings.find(({ queryCode }) => queryCode === failed.Code);
    assert.ok(known, `${failed.Code} is not in the table of errors`);
    assert.equal(failed.SenderFault, known.fault === "Sender");
  }
}
