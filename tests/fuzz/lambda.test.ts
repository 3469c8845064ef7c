// Lambda's REST requests, most of them right: each becomes a command or one of Lambda's errors, in time, and what the
// host answers to the command can be read by the client that sent it. Nothing runs: the host here has no functions.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after } from "node:test";
import fc from "fast-check";
import { systemClock } from "../../src/base/clock.ts";
import type { Outcome } from "../../src/engine/command.ts";
import type { Host } from "../../src/host/index.ts";
import { startHost } from "../../src/host/index.ts";
import { openMemoryStorage } from "../../src/log/index.ts";
import type { WireRequest, WireResponse } from "../../src/wire/index.ts";
import { readRequest } from "../../src/wire/index.ts";
import { operations } from "../../src/wire/models/lambda.ts";
import type { HttpBinding } from "../../src/wire/protocol/model.ts";
import { fuzz, withinBounds } from "./budget.ts";
import { damaged, damages, hostileJson, hostileText } from "./hostile.ts";

const UUID = "00000000-0000-4000-8000-000000000001";
const settings = { trustForwarded: false, defaultRegion: "us-east-1", uuid: () => UUID };

const word = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      "orders",
      "orders:live",
      UUID,
      "arn:aws:lambda:us-east-1:000000000000:function:orders",
      `arn:aws:lambda:us-east-1:000000000000:event-source-mapping:${UUID}`,
      "arn:aws:sqs:us-east-1:000000000000:orders",
      "$LATEST",
      "1",
    ),
  },
  { weight: 1, arbitrary: hostileText },
);

const body: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.dictionary(fc.constantFrom(...memberNames()), fc.oneof(word, hostileJson, fc.nat(20_000))),
  },
  { weight: 1, arbitrary: hostileJson },
);

const request: fc.Arbitrary<WireRequest> = fc
  .record({
    http: fc.constantFrom(...Object.values(operations).map(({ http }) => http as HttpBinding)),
    words: fc.array(word, { minLength: 4, maxLength: 4 }),
    body,
    spoiled: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: damages }),
    query: fc.dictionary(fc.constantFrom("Qualifier", "MaxItems", "Marker", "tagKeys", "FunctionName"), word),
    type: fc.constantFrom(undefined, "Event", "DryRun", "RequestResponse", "frog"),
    context: fc.option(hostileText, { nil: undefined }),
    method: fc.option(fc.constantFrom("GET", "POST", "PATCH"), { nil: undefined, freq: 9 }),
  })
  .map(({ http, words, body: value, spoiled, query, type, context, method }) => {
    const path = http.path.replace(/\{\w+\}/g, () => encode(words.pop() ?? ""));
    const fields = Object.entries(query).map(([name, given]) => `${name}=${encode(given)}`);
    return {
      method: method ?? http.method,
      target: fields.length === 0 ? path : `${path}?${fields.join("&")}`,
      headers: { "x-amz-invocation-type": type, "x-amz-client-context": context },
      body: damaged(Buffer.from(JSON.stringify(value) ?? ""), spoiled),
      secure: false,
      localAuthority: "127.0.0.1:9324",
    };
  });

let host: Host | undefined;
after(() => host?.stop());

fuzz("any request to Lambda becomes a command or an error, and answers can be read", 0.05, request, async (given) => {
  const parsed = withinBounds(given.body.length + given.target.length, () => readRequest(given, settings));
  if (parsed.is === "response") return assertReadable(parsed.response);
  host ??= await start();
  const outcome = await host.execute(parsed.command);
  assertReadable(parsed.respond(outcome as Outcome));
});

function assertReadable({ status, headers, body: text }: WireResponse): void {
  const written = String(text);
  if (status >= 400) {
    assert.match(headers["x-amzn-ErrorType"] ?? "", /^[A-Za-z]+Exception$/);
    const { Type, message, Message } = JSON.parse(written);
    assert.ok(Type === "User" || Type === "Service", written);
    assert.equal(typeof (message ?? Message), "string");
  } else if (written !== "") JSON.parse(written);
  for (const value of Object.values(headers)) assert.doesNotMatch(value, /[\r\n]/);
}

function memberNames(): string[] {
  return [...new Set(Object.values(operations).flatMap(({ input }) => Object.keys(input.members)))];
}

/** Lone surrogates cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function start(): Promise<Host> {
  return startHost({
    openStorage: async () => openMemoryStorage(),
    shardCount: 2,
    clock: systemClock,
    ids: { uuid: randomUUID },
    awsDelays: false,
    bodyCacheBytesMax: 1024 * 1024,
    log: (_level, text, details) => assert.fail(`${text} ${JSON.stringify(details)}`),
  });
}
