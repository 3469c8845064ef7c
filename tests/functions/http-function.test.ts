import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { answer, eventually, invoke, logOf, openWorld, ran } from "./world.ts";

const clock = new VirtualClock(1_800_000_000_000);
const world = openWorld({ clock });

let handle: (request: IncomingMessage, body: string, response: ServerResponse) => void;
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => handle(request, body, response));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => server.close());
after(() => server.closeAllConnections());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test("the event is posted where the runtime interface emulator has it, and the body is the answer", async () => {
  handle = (request, body, response) => response.end(JSON.stringify([request.method, request.url, JSON.parse(body)]));
  const running = world.start({ form: "http", url });
  const result = await ran(running, { n: 1 }, { requestId: "one" });
  assert.deepEqual(answer(result), ["POST", "/2015-03-31/functions/function/invocations", { n: 1 }]);
  assert.equal(result.functionError, undefined);
  assert.match(logOf(result), /^START RequestId: one Version: \$LATEST\nEND RequestId: one\nREPORT /);
  const elsewhere = world.start({ form: "http", url: `${url}/hook` });
  assert.equal(answer(await ran(elsewhere))[1], "/hook");
});

test("an error is told by the header, or by its shape where the emulator sends none", async () => {
  const error = JSON.stringify({ errorType: "OrderMissing", errorMessage: "no order 7" });
  handle = (_request, _body, response) => response.end(error);
  const running = world.start({ form: "http", url });
  const bare = await ran(running);
  assert.deepEqual([bare.functionError, bare.errorType], ["Unhandled", "OrderMissing"]);
  handle = (_request, _body, response) => {
    response.setHeader("x-amz-function-error", "Unhandled");
    response.setHeader("x-amz-log-result", Buffer.from("START RequestId: theirs\nhello\n").toString("base64"));
    response.end('{"other":1}');
  };
  const told = await ran(running);
  assert.equal(told.functionError, "Unhandled");
  assert.match(logOf(told), /\nhello\n/);
  assert.doesNotMatch(logOf(told), /theirs/);
});

test("the time limit, throttling, other statuses and an endpoint that is not there", async () => {
  const running = world.start({ form: "http", url }, { timeoutMs: 5000 });
  let isCut = false;
  let hasArrived = false;
  handle = (request, _body, _response) => {
    hasArrived = true;
    request.socket.on("close", () => {
      isCut = true;
    });
  };
  const slow = ran(running, {}, { requestId: "slow" });
  await eventually("the request arrived", () => hasArrived);
  await clock.advance(5000);
  assert.equal(answer(await slow).errorMessage, "RequestId: slow Error: Task timed out after 5.00 seconds");
  await eventually("the request is given up", () => isCut);

  handle = (_request, _body, response) => response.writeHead(429).end();
  assert.deepEqual(await invoke(running, {}), { status: "throttled", reason: "ConcurrentInvocationLimitExceeded" });
  handle = (_request, _body, response) => response.writeHead(502).end("bad gateway");
  assert.match(answer(await ran(running)).errorMessage, /HTTP status 502: bad gateway/);
  handle = (_request, _body, response) => response.end("x".repeat(6_291_557));
  assert.equal((await ran(running)).errorType, "Function.ResponseSizeTooLarge");

  const absent = await invoke(world.start({ form: "http", url: "http://127.0.0.1:1" }), {});
  assert.ok(absent.status === "cannotRun");
  assert.match(absent.message, /orders is not there at http:\/\/127\.0\.0\.1:1.*ECONNREFUSED/);
});
