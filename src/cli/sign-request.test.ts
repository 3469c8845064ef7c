import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { GetQueueUrlCommand, SQSClient } from "@aws-sdk/client-sqs";
import { isAwsEndpoint, keysIn, signed } from "./sign-request.ts";

test("signatures are the ones that AWS's SDK makes", async () => {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      seen.push({ headers: request.headers, body });
      response.setHeader("content-type", "application/x-amz-json-1.0");
      response.end('{"QueueUrl":"http://x/1/q"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalr/example", sessionToken: "token" };
  const sqs = new SQSClient({ endpoint, region: "eu-west-1", credentials: keys });
  try {
    await sqs.send(new GetQueueUrlCommand({ QueueName: "orders" }));
  } finally {
    sqs.destroy();
    server.close();
  }
  const { headers, body } = seen[0] as (typeof seen)[number];
  const theirs = String(headers.authorization);
  const names = (/SignedHeaders=([^,]+)/.exec(theirs)?.[1] ?? "").split(";");
  const given = Object.fromEntries(
    names
      .filter((name) => !["host", "x-amz-date", "x-amz-security-token"].includes(name))
      .map((name) => [name, String(headers[name])]),
  );
  const date = String(headers["x-amz-date"]).replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5");
  const ours = signed(`${endpoint}/`, given, body, {
    region: "eu-west-1",
    service: "sqs",
    keys,
    nowMs: Date.parse(date),
  });
  assert.equal(ours["authorization"], theirs);
});

test("only AWS's own endpoints are signed for, and only with a whole key", () => {
  assert.equal(isAwsEndpoint("https://sqs.eu-west-1.amazonaws.com"), true);
  assert.equal(isAwsEndpoint("https://sqs.cn-north-1.amazonaws.com.cn"), true);
  assert.equal(isAwsEndpoint("http://127.0.0.1:4566"), false);
  assert.equal(isAwsEndpoint("https://amazonaws.com.example.org"), false);
  assert.equal(keysIn({ AWS_ACCESS_KEY_ID: "AKID" }), undefined);
});
