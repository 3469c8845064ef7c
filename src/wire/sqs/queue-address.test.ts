import assert from "node:assert/strict";
import test from "node:test";
import type { QueueKey } from "../../engine/command.ts";
import {
  answerTo,
  commandOf,
  jsonOf,
  jsonRequest,
  QUEUE,
  queryRequest,
  refusedAs,
  request,
} from "../exchange.test.fixture.ts";

const signed = "AWS4-HMAC-SHA256 Credential=123456789012/20260131/eu-west-1/sqs/aws4_request, Signature=0";

test("a queue is found by the last two parts of any URL, whatever its host (C027)", () => {
  for (const url of [
    "http://sqs.test:9324/000000000000/orders",
    "https://elsewhere.example/000000000000/orders/",
    "https://sqs.us-east-1.amazonaws.com/000000000000/orders",
    "https://queue.amazonaws.com/000000000000/orders",
    "http://localhost:9324/queue/orders",
    "http://localhost:9324/queue/us-east-1/000000000000/orders",
    "http://localhost:4566/_aws/sqs/000000000000/orders",
    "http://localhost:4566/prefix/of/a/proxy/000000000000/orders",
    "/000000000000/orders",
    "orders",
  ]) {
    assert.deepEqual(queueOf(url), QUEUE, url);
  }
});

test("the URL names the account, the caller's signature the region", () => {
  const url = "https://sqs.ap-south-1.amazonaws.com/111122223333/orders";
  assert.deepEqual(queueOf(url, { authorization: signed }), {
    account: "111122223333",
    region: "eu-west-1",
    name: "orders",
  });
  assert.deepEqual(queueOf("orders", { authorization: signed }).account, "123456789012");
});

test("without a signature the URL's host or path, else the request's host, names the region", () => {
  assert.equal(queueOf("https://sqs.ap-south-1.amazonaws.com/111122223333/orders").region, "ap-south-1");
  assert.equal(queueOf("http://eu-west-3.queue.localhost:4566/111122223333/orders").region, "eu-west-3");
  assert.equal(queueOf("http://localhost/queue/ca-central-1/111122223333/orders").region, "ca-central-1");
  assert.equal(queueOf("orders", { host: "sqs.sa-east-1.localhost.localstack.cloud:4566" }).region, "sa-east-1");
});

test("nonsense and a bare host are a queue that nobody has, and an address with an empty path is no address", () => {
  assert.equal(queueOf("not a url at all").name, "not a url at all");
  assert.equal(queueOf("https://sqs.test").name, "");
  for (const url of ["https://sqs.test/", "https://sqs.test//"]) {
    assert.deepEqual(refusedAs(jsonRequest("PurgeQueue", { QueueUrl: url })), {
      type: "InvalidAddress",
      message: `The address ${url} is not valid for this endpoint.`,
      status: 404,
    });
  }
});

test("a request to a queue's path needs no QueueUrl, and a QueueUrl wins over the path", () => {
  const json = jsonRequest("PurgeQueue", {});
  assert.deepEqual(commandOf({ ...json, target: "/000000000000/orders" }, "purgeQueue").queue, QUEUE);
  const form = queryRequest({ Action: "PurgeQueue" }, "/000000000000/orders");
  assert.deepEqual(commandOf(form, "purgeQueue").queue, QUEUE);
  const both = queryRequest({ Action: "PurgeQueue", QueueUrl: "http://h/000000000000/orders" }, "/000000000000/other");
  assert.deepEqual(commandOf(both, "purgeQueue").queue, QUEUE);
});

test("answers build URLs from the caller's own host", () => {
  const asked = jsonRequest("GetQueueUrl", { QueueName: "orders", QueueOwnerAWSAccountId: "111122223333" });
  const queue = commandOf(asked, "getQueue").queue;
  const { QueueUrl } = jsonOf(answerTo(asked, { queue })) as { QueueUrl: string };
  assert.equal(QueueUrl, "http://sqs.test:9324/111122223333/orders");
  const elsewhere = request({ ...asked, headers: { ...asked.headers, host: "other:81" }, secure: true });
  assert.match(String(answerTo(elsewhere, { queue }).body), /https:\/\/other:81\/111122223333\/orders/);
});

function queueOf(url: string, headers: Record<string, string> = {}): QueueKey {
  return commandOf(jsonRequest("PurgeQueue", { QueueUrl: url }, headers), "purgeQueue").queue;
}
