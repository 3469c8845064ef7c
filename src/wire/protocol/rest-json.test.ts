import assert from "node:assert/strict";
import test from "node:test";
import { commandOf, jsonOf, refusalTo, request, responseTo } from "../exchange.test.fixture.ts";
import { longBodyBytesMax } from "../long-body.ts";

const MAPPINGS = "/2015-03-31/event-source-mappings";

test("the path, the query string and headers carry input beside the body", () => {
  const invoke = request({
    method: "POST",
    target:
      "/2015-03-31/functions/arn%3Aaws%3Alambda%3Aus-east-1%3A000000000000%3Afunction%3Aorders/invocations?Qualifier=live",
    headers: { "x-amz-invocation-type": "Event", "x-amz-client-context": Buffer.from('{"a":1}').toString("base64") },
    body: Buffer.from('{"n":1}'),
  });
  const command = commandOf(invoke, "invokeFunction");
  assert.deepEqual(
    { name: command.function.name, qualifier: command.qualifier, how: command.how, context: command.clientContext },
    { name: "orders", qualifier: "live", how: "event", context: '{"a":1}' },
  );
  assert.equal(Buffer.from(command.payload).toString(), '{"n":1}');
  const list = commandOf(request({ method: "GET", target: `${MAPPINGS}?MaxItems=7&Marker=a%3Ab` }), "listMappings");
  assert.deepEqual([list.itemsMax, list.marker], [7, "a:b"]);
  const resource = encodeURIComponent("arn:aws:lambda:us-east-1:000000000000:function:orders");
  const untag = request({ method: "DELETE", target: `/2017-03-31/tags/${resource}?tagKeys=a&tagKeys=b` });
  assert.deepEqual(commandOf(untag, "untagFunction").tagKeys, ["a", "b"]);
});

test("what is not set is null in an answer, and an error is named by a header", () => {
  const get = request({ method: "GET", target: `${MAPPINGS}/00000000-0000-4000-8000-000000000001` });
  const refused = refusalTo(get, { code: "ResourceNotFoundException", message: "The resource is not there." });
  assert.equal(refused.status, 404);
  assert.equal(refused.headers["x-amzn-ErrorType"], "ResourceNotFoundException");
  assert.deepEqual(jsonOf(refused), { Type: "User", Message: "The resource is not there." });
  const throttled = refusalTo(get, { code: "TooManyRequestsException", message: "Rate Exceeded.", reason: "Limit" });
  assert.deepEqual(jsonOf(throttled), { Type: "User", Reason: "Limit", message: "Rate Exceeded." });
  const settings = responseTo(request({ method: "GET", target: "/2016-08-19/account-settings" }));
  assert.equal(settings.status, 200);
  const { AccountUsage, AccountLimit } = jsonOf(settings) as Record<string, unknown>;
  assert.equal(AccountUsage, null);
  assert.equal((AccountLimit as { ConcurrentExecutions: number }).ConcurrentExecutions, 1000);
});

test("a path or method that leads nowhere, and a value that cannot be read, are told so", () => {
  const unknown = responseTo(request({ method: "GET", target: "/2018-10-31/layers" }));
  assert.deepEqual([unknown.status, unknown.headers["x-amzn-ErrorType"]], [404, "UnknownOperationException"]);
  const unreadable = responseTo(request({ method: "GET", target: `${MAPPINGS}?MaxItems=many` }));
  assert.deepEqual([unreadable.status, unreadable.headers["x-amzn-ErrorType"]], [400, "SerializationException"]);
  const broken = responseTo(request({ method: "POST", target: MAPPINGS, body: Buffer.from("{") }));
  assert.equal(broken.headers["x-amzn-ErrorType"], "SerializationException");
});

test("only requests that bring code may be long", () => {
  assert.equal(longBodyBytesMax({ method: "POST", target: "/2015-03-31/functions" }), 70_167_211);
  assert.equal(longBodyBytesMax({ method: "POST", target: "/2015-03-31/functions/" }), 70_167_211);
  assert.equal(longBodyBytesMax({ method: "PUT", target: "/2015-03-31/functions/orders/code" }), 69_905_067);
  assert.equal(longBodyBytesMax({ method: "POST", target: "/2015-03-31/functions/orders/invocations" }), undefined);
  assert.equal(longBodyBytesMax({ method: "PUT", target: "/" }), undefined);
});
