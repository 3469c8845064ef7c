// Reports from users about the bytes on the wire, each by its id.

import assert from "node:assert/strict";
import { elementText, exchange, FORM_TYPE, formOf, get, JSON_TYPE, json, query } from "../conformance/http.ts";
import { freshName, scenariosOnOneServer } from "../conformance/world.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

scenariosOnOneServer((scenario) => {
  scenario("C032: an empty receive has no Messages key", async (world) => {
    const { url: QueueUrl } = await world.queue();
    const waited = async <Result>(receive: Promise<Result>) => {
      await world.untilReceiving(1);
      await world.advance(1);
      return receive;
    };
    const short = await json(world.endpoint, "ReceiveMessage", { QueueUrl, WaitTimeSeconds: 0 });
    const long = await waited(json(world.endpoint, "ReceiveMessage", { QueueUrl, WaitTimeSeconds: 1 }));
    for (const { text } of [short, long]) assert.deepEqual(JSON.parse(text), {});
    const fields = { Action: "ReceiveMessage", QueueUrl };
    const shortXml = await query(world.endpoint, { ...fields, WaitTimeSeconds: 0 });
    const longXml = await waited(query(world.endpoint, { ...fields, WaitTimeSeconds: 1 }));
    for (const { text } of [shortXml, longXml]) {
      assert.match(text, /<ReceiveMessageResult\s*\/>|<ReceiveMessageResult><\/ReceiveMessageResult>/);
    }
  });

  scenario("C039: answers with an empty body ignore the Accept header", async (world) => {
    for (const accept of ["application/json", "*/*", undefined]) {
      for (const type of [JSON_TYPE, `${JSON_TYPE}; charset=utf-8`]) {
        const queue = await world.queue();
        const QueueUrl = queue.url;
        await queue.send("m");
        const { ReceiptHandle } = await queue.receiveOne();
        for (const [action, input] of [
          ["ChangeMessageVisibility", { QueueUrl, ReceiptHandle, VisibilityTimeout: 10 }],
          ["DeleteMessage", { QueueUrl, ReceiptHandle }],
          ["PurgeQueue", { QueueUrl }],
          ["TagQueue", { QueueUrl, Tags: { a: "b" } }],
          ["DeleteQueue", { QueueUrl }],
        ] as const) {
          const headers = { "content-type": type, ...(accept === undefined ? {} : { accept }) };
          const answer = await json(world.endpoint, action, input, headers);
          assert.equal(answer.status, 200, `${action} with ${accept}`);
          assert.ok(["", "{}"].includes(answer.text));
          assert.match(String(answer.headers["x-amzn-requestid"]), UUID);
        }
      }
    }
  });

  scenario("C040: the Query protocol by GET, with unnumbered list parameters", async (world) => {
    const QueueName = freshName("-worker");
    const created = await query(world.endpoint, { Action: "CreateQueue", QueueName });
    const QueueUrl = elementText(created, "QueueUrl") ?? "";
    const path = new URL(QueueUrl).pathname;
    const Version = "2012-11-05";
    const attributes = { Action: "GetQueueAttributes", Version };
    const name = "ApproximateNumberOfMessages";
    const resultOf = (text: string) => /<GetQueueAttributesResult>.*<\/GetQueueAttributesResult>/s.exec(text)?.[0];
    const unnumbered = await get(world.endpoint, path, { ...attributes, AttributeName: name });
    const numbered = await get(world.endpoint, path, { ...attributes, "AttributeName.1": name });
    const posted = await query(world.endpoint, { ...attributes, QueueUrl, AttributeName: name });
    for (const answer of [unnumbered, numbered, posted]) {
      assert.equal(answer.status, 200);
      assert.match(String(answer.headers["content-type"]), /^text\/xml/);
      assert.match(resultOf(answer.text) ?? "", new RegExp(`<Name>${name}</Name><Value>0</Value>`));
      assert.equal(resultOf(answer.text), resultOf(numbered.text));
    }
    await query(world.endpoint, {
      Action: "SendMessage",
      QueueUrl,
      MessageBody: "m",
      "MessageAttribute.1.Name": "k",
      "MessageAttribute.1.Value.DataType": "String",
      "MessageAttribute.1.Value.StringValue": "x",
    });
    const received = await get(world.endpoint, path, { Action: "ReceiveMessage", MessageAttributeName: "All" });
    assert.equal(elementText(received, "MD5OfMessageAttributes"), "a45daa70926828a2f0a1db3418e6feb4");
    const presigned = {
      ReceiptHandle: elementText(received, "ReceiptHandle") ?? "",
      Version,
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": "test/20260101/us-east-1/sqs/aws4_request",
      "X-Amz-Date": "20260101T000000Z",
      "X-Amz-Expires": 900,
      "X-Amz-SignedHeaders": "host",
      "X-Amz-Signature": "0a1b2c3d",
    };
    const hide = { Action: "ChangeMessageVisibility", VisibilityTimeout: 10, ...presigned };
    assert.equal((await get(world.endpoint, path, hide)).status, 200);
    assert.equal((await get(world.endpoint, path, { Action: "DeleteMessage", ...presigned })).status, 200);
    const none = await exchange(world.endpoint, { method: "GET", path });
    assert.equal(none.status, 404);
    assert.match(none.text, /UnknownOperationException/);
    const body = formOf({ ...attributes, "AttributeName.1": name });
    const form = await exchange(world.endpoint, { path, headers: { "content-type": FORM_TYPE }, body });
    assert.match(form.text, /<Value>0<\/Value>/);
  });
});
