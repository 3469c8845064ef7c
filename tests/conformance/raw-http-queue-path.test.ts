// Requests sent to a queue's own path, as boto2, PHP, Ruby, Celery and shell scripts do.

import assert from "node:assert/strict";
import type { Answer } from "./http.ts";
import { elementText, exchange, formOf, get, json, query } from "./http.ts";
import type { World } from "./world.ts";
import { freshName, scenariosOnOneServer } from "./world.ts";

async function givenQueue(world: World) {
  const queue = await world.queue();
  return { queue, path: new URL(queue.url).pathname };
}

function assertXmlError(answer: Answer, code: string, message?: string, status = 400): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(elementText(answer, "Code"), code);
  if (message !== undefined) assert.equal(elementText(answer, "Message"), message);
}

scenariosOnOneServer((scenario) => {
  scenario("GET and POST on a queue's path run, the queue is taken from the path", async (world) => {
    const { queue, path } = await givenQueue(world);
    const fields = { Action: "SendMessage", MessageBody: "by GET", Version: "2012-11-05" };
    assert.equal((await get(world.endpoint, path, fields)).status, 200);
    assert.equal((await query(world.endpoint, { ...fields, MessageBody: "by POST" }, { path })).status, 200);
    const received = await get(world.endpoint, path, { Action: "ReceiveMessage", MaxNumberOfMessages: 10 });
    assert.match(received.text, /by GET.*by POST/s);
    const mixed = await query(world.endpoint, { MessageBody: "m" }, { path: `${path}?Action=SendMessage` });
    assert.equal(mixed.status, 200);
    assert.deepEqual((await queue.receiveBodies()).length, 1);
  });

  scenario("a QueueUrl parameter wins over the path", async (world) => {
    const { path } = await givenQueue(world);
    const other = await world.queue();
    await get(world.endpoint, path, { Action: "SendMessage", MessageBody: "m", QueueUrl: other.url });
    assert.deepEqual(await other.receiveBodies(), ["m"]);
  });

  scenario("no action is an unknown operation, in XML whatever is accepted", async (world) => {
    const { path } = await givenQueue(world);
    for (const accept of [undefined, "application/json", "*/*"]) {
      const headers = accept === undefined ? {} : { accept };
      for (const target of [
        path,
        `${path}?`,
        `${path}?Version=2012-11-05`,
        "/?Version=2012-11-05",
        `${path}?Action=`,
      ]) {
        const answer = await exchange(world.endpoint, { method: "GET", path: target, headers });
        assert.equal(answer.status, 404, target);
        assert.match(answer.text, /<UnknownOperationException\s*\/>/);
        assert.match(String(answer.headers["content-type"]), /^(text|application)\/xml/);
      }
    }
    assert.equal((await query(world.endpoint, {}, { path })).status, 404);
  });

  scenario("unknown actions, and those that are not about one queue, are invalid on a queue's path", async (world) => {
    const { path } = await givenQueue(world);
    for (const Action of ["Dance", "CreateQueue", "ListQueues", "sendmessage"]) {
      const answer = await get(world.endpoint, path, { Action, QueueName: freshName() });
      assertXmlError(answer, "InvalidAction", `The action ${Action} is not valid for this endpoint.`);
    }
    assertXmlError(await get(world.endpoint, "/", { Action: "Dance" }), "InvalidAction");
    assert.equal((await get(world.endpoint, "/", { Action: "ListQueues" })).status, 200);
  });

  scenario("GetQueueUrl works for another queue than the path's", async (world) => {
    const { path } = await givenQueue(world);
    const other = await world.queue();
    const answer = await get(world.endpoint, path, { Action: "GetQueueUrl", QueueName: other.name });
    assert.equal(elementText(answer, "QueueUrl"), other.url);
  });

  scenario("parameters are checked as ever", async (world) => {
    const { path } = await givenQueue(world);
    const send = await get(world.endpoint, path, { Action: "SendMessage" });
    assertXmlError(send, "MissingParameter", "The request must contain the parameter MessageBody.");
    const attributes = await get(world.endpoint, path, { Action: "GetQueueAttributes", "AttributeName.1": "Foobar" });
    assertXmlError(attributes, "InvalidAttributeName", "Unknown Attribute Foobar.");
  });

  scenario("a deleted or unknown queue is not there", async (world) => {
    const { queue, path } = await givenQueue(world);
    assert.equal((await get(world.endpoint, path, { Action: "DeleteQueue" })).status, 200);
    const text = "The specified queue does not exist for this wsdl version.";
    for (const gone of [path, "/000000000000/never-there", "/000000000000/"]) {
      const answer = await get(world.endpoint, gone, { Action: "GetQueueAttributes", "AttributeName.1": "All" });
      assertXmlError(answer, "AWS.SimpleQueueService.NonExistentQueue", text);
    }
    const jsonAnswer = await json(world.endpoint, "PurgeQueue", { QueueUrl: queue.url });
    assert.equal(JSON.parse(jsonAnswer.text).message, "The specified queue does not exist.");
  });

  scenario("a QueueUrl may be only the name, and nonsense is a queue that is not there", async (world) => {
    const { queue } = await givenQueue(world);
    const fields = { Action: "SendMessage", MessageBody: "m" };
    assert.equal((await query(world.endpoint, { ...fields, QueueUrl: queue.name })).status, 200);
    assert.deepEqual(await queue.receiveBodies(), ["m"]);
    for (const QueueUrl of ["http://whatever-non-existing-queue/", "nonsense", "%%%", "::", "/", "a/b/c"]) {
      const answer = await query(world.endpoint, { ...fields, QueueUrl });
      if (answer.status !== 404) assertXmlError(answer, "AWS.SimpleQueueService.NonExistentQueue");
    }
  });

  scenario(
    "a QueueUrl with an empty path is an invalid address, a bare host a queue that is not there",
    async (world) => {
      const bare = { Action: "GetQueueAttributes", QueueUrl: "http://whatever-incorrect-queue-address" };
      assertXmlError(await query(world.endpoint, bare), "AWS.SimpleQueueService.NonExistentQueue");
      for (const QueueUrl of ["https://sqs.us-east-1.amazonaws.com/", "http://localhost:4566/"]) {
        const text = `The address ${QueueUrl} is not valid for this endpoint.`;
        const answer = await query(world.endpoint, { Action: "SendMessage", MessageBody: "m", QueueUrl });
        assertXmlError(answer, "InvalidAddress", text, 404);
        const jsonAnswer = await json(world.endpoint, "SendMessage", { MessageBody: "m", QueueUrl });
        assert.equal(jsonAnswer.status, 404);
        assert.equal(JSON.parse(jsonAnswer.text).message, text);
      }
    },
  );

  scenario("without any address the queue is a missing parameter", async (world) => {
    const answer = await query(world.endpoint, { Action: "SendMessage", MessageBody: "m" });
    assertXmlError(answer, "MissingParameter", "The request must contain the parameter QueueUrl.");
  });

  scenario("JSON requests may be sent to a queue's path too", async (world) => {
    const { queue, path } = await givenQueue(world);
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": "AmazonSQS.SendMessage" };
    for (const input of [{ MessageBody: "1", QueueUrl: queue.url }, { MessageBody: "2" }]) {
      const answer = await exchange(world.endpoint, { path, headers, body: JSON.stringify(input) });
      assert.equal(answer.status, 200, answer.text);
    }
    assert.deepEqual(await queue.receiveBodies(), ["1", "2"]);
  });

  scenario("the signature may be in the query string", async (world) => {
    const { queue, path } = await givenQueue(world);
    const signature = {
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": "111122223333/20260101/eu-west-1/sqs/aws4_request",
      "X-Amz-Date": "20260101T000000Z",
      "X-Amz-Expires": 60,
      "X-Amz-SignedHeaders": "host",
      "X-Amz-Signature": "0a1b2c",
    };
    const created = await get(world.endpoint, "/", { Action: "CreateQueue", QueueName: queue.name, ...signature });
    assert.equal(elementText(created, "QueueUrl"), queue.url.replace("000000000000", "111122223333"));
    const listed = await get(world.endpoint, "/", { Action: "ListQueues", ...signature });
    assert.equal(listed.text.match(/<QueueUrl>/g)?.length, 1);
    const arn = { Action: "GetQueueAttributes", "AttributeName.1": "QueueArn", ...signature };
    const attributes = await get(world.endpoint, `/111122223333/${queue.name}`, arn);
    assert.equal(elementText(attributes, "Value"), `arn:aws:sqs:eu-west-1:111122223333:${queue.name}`);
    assert.equal((await get(world.endpoint, path, { Action: "SendMessage", MessageBody: "m" })).status, 200);
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("lists and maps are read numbered, unnumbered, gapped and from any first number", async (world) => {
    const { path } = await givenQueue(world);
    const names = async (query: string) => {
      const target = `${path}?Action=GetQueueAttributes&${query}`;
      const answer = await exchange(world.endpoint, { method: "GET", path: target });
      return [...answer.text.matchAll(/<Name>(.*?)<\/Name>/g)].map((match) => match[1]).sort();
    };
    const two = ["DelaySeconds", "VisibilityTimeout"];
    assert.deepEqual(await names("AttributeName.1=DelaySeconds&AttributeName.2=VisibilityTimeout"), two);
    assert.deepEqual(await names("AttributeName.0=DelaySeconds&AttributeName.1=VisibilityTimeout"), two);
    assert.deepEqual(await names("AttributeName.3=DelaySeconds&AttributeName.17=VisibilityTimeout"), two);
    assert.deepEqual(await names("AttributeName=DelaySeconds"), ["DelaySeconds"]);
  });

  scenario("every composite parameter of the Query protocol has its spelling", async (world) => {
    const { queue, path } = await givenQueue(world);
    const call = async (fields: Record<string, string>) => {
      const answer = await query(world.endpoint, fields, { path });
      assert.equal(answer.status, 200, answer.text);
      return answer;
    };
    await call({ Action: "SetQueueAttributes", "Attribute.1.Name": "DelaySeconds", "Attribute.1.Value": "0" });
    await call({ Action: "TagQueue", "Tag.1.Key": "a", "Tag.1.Value": "1", "Tag.2.Key": "b", "Tag.2.Value": "2" });
    await call({ Action: "UntagQueue", "TagKey.1": "b" });
    assert.match((await call({ Action: "ListQueueTags" })).text, /<Tag><Key>a<\/Key><Value>1<\/Value><\/Tag>/);
    const sent = await call({
      Action: "SendMessage",
      MessageBody: "m",
      "MessageAttribute.1.Name": "k",
      "MessageAttribute.1.Value.DataType": "String",
      "MessageAttribute.1.Value.StringValue": "x",
      "MessageSystemAttribute.1.Name": "AWSTraceHeader",
      "MessageSystemAttribute.1.Value.DataType": "String",
      "MessageSystemAttribute.1.Value.StringValue": "Root=1",
    });
    assert.equal(elementText(sent, "MD5OfMessageAttributes"), "a45daa70926828a2f0a1db3418e6feb4");
    assert.match(elementText(sent, "MD5OfMessageSystemAttributes") ?? "", /^[0-9a-f]{32}$/);
    const received = await call({
      Action: "ReceiveMessage",
      "MessageAttributeName.1": "k",
      "AttributeName.1": "SenderId",
      "MessageSystemAttributeName.1": "AWSTraceHeader",
    });
    assert.match(
      received.text,
      /<MessageAttribute><Name>k<\/Name><Value>(<DataType>String<\/DataType>|<StringValue>x<\/StringValue>){2}<\/Value><\/MessageAttribute>/,
    );
    assert.match(received.text, /<Attribute><Name>AWSTraceHeader<\/Name><Value>Root=1<\/Value><\/Attribute>/);
    assert.match(received.text, /<Attribute><Name>SenderId<\/Name>/);
    const ReceiptHandle = elementText(received, "ReceiptHandle") ?? "";
    const hidden = await call({
      Action: "ChangeMessageVisibilityBatch",
      "ChangeMessageVisibilityBatchRequestEntry.1.Id": "a",
      "ChangeMessageVisibilityBatchRequestEntry.1.ReceiptHandle": ReceiptHandle,
      "ChangeMessageVisibilityBatchRequestEntry.1.VisibilityTimeout": "0",
    });
    assert.match(hidden.text, /<ChangeMessageVisibilityBatchResultEntry><Id>a<\/Id>/);
    const deleted = await call({
      Action: "DeleteMessageBatch",
      "DeleteMessageBatchRequestEntry.1.Id": "a",
      "DeleteMessageBatchRequestEntry.1.ReceiptHandle": ReceiptHandle,
      "DeleteMessageBatchRequestEntry.2.Id": "b",
      "DeleteMessageBatchRequestEntry.2.ReceiptHandle": "bad",
    });
    assert.match(deleted.text, /<DeleteMessageBatchResultEntry><Id>a<\/Id>/);
    assert.match(deleted.text, /<BatchResultErrorEntry>.*<SenderFault>true<\/SenderFault>.*<\/BatchResultErrorEntry>/s);
    const batch = await call({
      Action: "SendMessageBatch",
      "SendMessageBatchRequestEntry.1.Id": "a",
      "SendMessageBatchRequestEntry.1.MessageBody": "m",
      "SendMessageBatchRequestEntry.1.MessageAttribute.1.Name": "k",
      "SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.DataType": "Binary",
      "SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.BinaryValue": "AQID",
    });
    assert.match(batch.text, /<SendMessageBatchResultEntry><Id>a<\/Id>/);
    await call({ Action: "AddPermission", Label: "l", "AWSAccountId.1": "111122223333", "ActionName.1": "*" });
    assert.match((await queue.attribute("Policy")) ?? "", /SQS:\*/);
  });

  scenario("a form without a content type, or with a charset, is read", async (world) => {
    const { queue, path } = await givenQueue(world);
    const body = formOf({ Action: "SendMessage", MessageBody: "ü" });
    for (const headers of [{}, { "content-type": "application/x-www-form-urlencoded; charset=utf-8" }]) {
      assert.equal((await exchange(world.endpoint, { path, headers, body })).status, 200);
    }
    assert.deepEqual(await queue.receiveBodies(), ["ü", "ü"]);
  });
});
