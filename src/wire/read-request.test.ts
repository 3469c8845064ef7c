import assert from "node:assert/strict";
import test from "node:test";
import { queueDoesNotExist, refusal } from "../engine/refusal.ts";
import {
  answerTo,
  commandOf,
  getRequest,
  jsonOf,
  jsonRequest,
  QUEUE,
  QUEUE_URL,
  queryRequest,
  REQUEST_ID,
  read,
  refusalTo,
  request,
  responseTo,
  xmlErrorOf,
} from "./exchange.test.fixture.ts";
import { REQUEST_BYTES_MAX } from "./exchange.ts";
import { faultResponse, refusalResponse } from "./read-request.ts";

const PATH = "/000000000000/orders";
const onlyJson = { accept: "application/json" };
const done = { entries: [{ ok: true, value: null }] };

test("a JSON answer has its type and a request id, and an empty one is {} whatever is accepted (C039)", () => {
  for (const accept of ["application/json", "*/*", undefined]) {
    for (const type of ["application/x-amz-json-1.0", "application/x-amz-json-1.0; charset=utf-8"]) {
      const input = { QueueUrl: QUEUE_URL, ReceiptHandle: "r" };
      assert.deepEqual(answerTo(jsonRequest("DeleteMessage", input, { accept, "content-type": type }), done), {
        status: 200,
        headers: { "Content-Type": "application/x-amz-json-1.0", "x-amzn-RequestId": REQUEST_ID },
        body: "{}",
      });
    }
  }
});

test("a JSON error names its shape, and the older code in a header", () => {
  const given = jsonRequest("PurgeQueue", { QueueUrl: QUEUE_URL });
  assert.deepEqual(refusalTo(given, queueDoesNotExist()), {
    status: 400,
    headers: {
      "Content-Type": "application/x-amz-json-1.0",
      "x-amzn-RequestId": REQUEST_ID,
      "x-amzn-query-error": "AWS.SimpleQueueService.NonExistentQueue;Sender",
    },
    body: '{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."}',
  });
});

test("an XML answer wraps its result, and one without output holds only metadata", () => {
  const opening = 'xmlns="http://queue.amazonaws.com/doc/2012-11-05/"';
  const metadata = `<ResponseMetadata><RequestId>${REQUEST_ID}</RequestId></ResponseMetadata>`;
  const url = answerTo(queryRequest({ Action: "GetQueueUrl", QueueName: "orders" }), { queue: QUEUE });
  assert.deepEqual(url.headers, { "Content-Type": "text/xml", "x-amzn-RequestId": REQUEST_ID });
  const result = `<GetQueueUrlResult><QueueUrl>${QUEUE_URL}</QueueUrl></GetQueueUrlResult>`;
  const xml = `<GetQueueUrlResponse ${opening}>${result}${metadata}</GetQueueUrlResponse>`;
  assert.equal(url.body, `<?xml version="1.0"?>${xml}`);
  const purged = answerTo(queryRequest({ Action: "PurgeQueue", QueueUrl: QUEUE_URL }), null);
  assert.equal(purged.body, `<?xml version="1.0"?><PurgeQueueResponse ${opening}>${metadata}</PurgeQueueResponse>`);
});

test("an XML error has type, code, text, an empty detail and the request id", () => {
  const given = queryRequest({ Action: "PurgeQueue", QueueUrl: QUEUE_URL });
  const { status, body } = refusalTo(given, refusal("OverLimit", "<&>"));
  assert.equal(status, 403);
  assert.equal(
    body,
    '<?xml version="1.0"?><ErrorResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><Error><Type>Sender</Type>' +
      "<Code>OverLimit</Code><Message>&lt;&amp;&gt;</Message><Detail/></Error>" +
      `<RequestId>${REQUEST_ID}</RequestId></ErrorResponse>`,
  );
});

test("a queue's path runs actions by GET and by POST (C040)", () => {
  const fields = { Action: "GetQueueAttributes", Version: "2012-11-05", AttributeName: "QueueArn" };
  for (const given of [
    getRequest(fields, PATH),
    queryRequest(fields, PATH),
    queryRequest({}, `${PATH}?Action=GetQueueAttributes`),
  ]) {
    assert.deepEqual(commandOf(given, "getQueueAttributes").queue, QUEUE);
  }
  const presigned = {
    Action: "DeleteMessage",
    ReceiptHandle: "r+/=",
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": "111122223333/20260131/eu-west-1/sqs/aws4_request",
    "X-Amz-Signature": "00",
  };
  const { queue, receiptHandles } = commandOf(getRequest(presigned, PATH), "deleteMessages");
  assert.deepEqual([queue, receiptHandles], [{ ...QUEUE, region: "eu-west-1" }, ["r+/="]]);
});

test("without an action there is no operation, whatever is accepted", () => {
  for (const given of [
    getRequest({}, PATH),
    queryRequest({}, PATH),
    getRequest({}, PATH, onlyJson),
    queryRequest({}),
  ]) {
    const { status, headers, body } = responseTo(given);
    assert.deepEqual([status, headers["Content-Type"]], [404, "text/xml"]);
    assert.match(String(body), /^<UnknownOperationException\/>/);
  }
});

test("an unknown action, and one that has no queue on a queue's path, is invalid", () => {
  const cases = [
    getRequest({ Action: "Nope" }, PATH),
    getRequest({ Action: "CreateQueue", QueueName: "q" }, PATH),
    queryRequest({ Action: "ListQueues" }, PATH),
    queryRequest({ Action: "Nope" }),
  ];
  for (const given of cases) {
    const { code, message, status } = xmlErrorOf(responseTo(given));
    assert.deepEqual([code, status], ["InvalidAction", 400]);
    assert.match(message, /^The action \w+ is not valid for this endpoint\.$/);
  }
  assert.equal(
    commandOf(getRequest({ Action: "GetQueueUrl", QueueName: "other" }, PATH), "getQueue").queue.name,
    "other",
  );
});

test("refusals of path requests are AWS's", () => {
  const noBody = xmlErrorOf(responseTo(getRequest({ Action: "SendMessage" }, PATH)));
  const missing = "The request must contain the parameter MessageBody.";
  assert.deepEqual(noBody, { code: "MissingParameter", message: missing, status: 400 });
  const attribute = getRequest({ Action: "GetQueueAttributes", "AttributeName.1": "Foobar" }, PATH);
  const unknown = { code: "InvalidAttributeName", message: "Unknown Attribute Foobar.", status: 400 };
  assert.deepEqual(xmlErrorOf(responseTo(attribute)), unknown);
  assert.deepEqual(xmlErrorOf(refusalTo(getRequest({ Action: "PurgeQueue" }, PATH), queueDoesNotExist())), {
    code: "AWS.SimpleQueueService.NonExistentQueue",
    message: "The specified queue does not exist for this wsdl version.",
    status: 400,
  });
});

test("a Query caller that accepts JSON gets the Query answer as JSON", () => {
  const metadata = { ResponseMetadata: { RequestId: REQUEST_ID } };
  const list = answerTo(getRequest({ Action: "ListQueues" }, "/", onlyJson), { queues: [QUEUE] });
  assert.equal(list.headers["Content-Type"], "application/json");
  const result = { queueUrls: [QUEUE_URL], NextToken: null };
  assert.deepEqual(jsonOf(list), { ListQueuesResponse: { ListQueuesResult: result, ...metadata } });

  const one = getRequest({ Action: "GetQueueAttributes", "AttributeName.1": "QueueArn" }, PATH, onlyJson);
  const Attributes = [{ Name: "QueueArn", Value: "arn" }];
  assert.deepEqual(jsonOf(answerTo(one, { attributes: { QueueArn: "arn" } })), {
    GetQueueAttributesResponse: { GetQueueAttributesResult: { Attributes }, ...metadata },
  });

  const empty = answerTo(getRequest({ Action: "ReceiveMessage" }, PATH, onlyJson), { messages: [] });
  const received = { ReceiveMessageResponse: { ReceiveMessageResult: { messages: null }, ...metadata } };
  assert.deepEqual(jsonOf(empty), received);

  const purged = answerTo(getRequest({ Action: "PurgeQueue" }, PATH, onlyJson), null);
  assert.deepEqual(jsonOf(purged), { PurgeQueueResponse: metadata });

  const refused = responseTo(getRequest({ Action: "SendMessage" }, PATH, onlyJson));
  const { Error: error } = jsonOf(refused) as { Error: { Code: string; Message: string } };
  const missing = "The request must contain the parameter MessageBody.";
  assert.deepEqual([refused.status, error.Code, error.Message], [400, "MissingParameter", missing]);
});

test("a target that names no operation is unknown, in JSON", () => {
  const untyped = request({ headers: { "content-type": "application/x-amz-json-1.0" }, body: Buffer.from("{}") });
  const otherService = request({ headers: { "x-amz-target": "DynamoDB_20120810.ListTables" } });
  for (const given of [jsonRequest("Nope", {}), jsonRequest("toString", {}), untyped, otherService]) {
    const { status, body } = responseTo(given);
    assert.equal(status, 404);
    const { __type } = JSON.parse(String(body)) as { __type: string };
    assert.equal(__type, "com.amazon.coral.service#UnknownOperationException");
  }
});

test("a form is JSON for a target that exists, as curl sends it, and Query for any other, as old clients sign it", () => {
  const form = "application/x-www-form-urlencoded";
  const byCurl = jsonRequest("PurgeQueue", { QueueUrl: QUEUE_URL }, { "content-type": form });
  assert.equal(answerTo(byCurl, null).body, "{}");
  const fields = { Action: "PurgeQueue", QueueUrl: QUEUE_URL };
  const byPerl = queryRequest(fields, "/", { "x-amz-target": "AmazonSQSv20121105.PurgeQueue" });
  assert.match(String(answerTo(byPerl, null).body), /^<\?xml version="1.0"\?><PurgeQueueResponse /);
});

test("broken encoding and bodies beyond the bound are refused, not thrown", () => {
  const broken = queryRequest({}, "/?Action=ListQueues&QueueNamePrefix=%E9");
  assert.deepEqual([xmlErrorOf(responseTo(broken)).code, responseTo(broken).status], ["MalformedQueryString", 404]);
  const bytes = { ...queryRequest({}), body: Uint8Array.of(0x41, 0x3d, 0xff) };
  assert.equal(xmlErrorOf(responseTo(bytes)).code, "MalformedQueryString");
  const huge = { ...jsonRequest("ListQueues", {}), body: new Uint8Array(REQUEST_BYTES_MAX + 1) };
  assert.equal(responseTo(huge).status, 413);
});

test("1 MiB of text fits whatever its encoding", () => {
  const MessageBody = "é".repeat(512 * 1024);
  const form = queryRequest({ Action: "SendMessage", QueueUrl: QUEUE_URL, MessageBody });
  assert.equal(commandOf(form, "sendMessages").entries[0]?.sizeBytes, 1024 * 1024);
  const escaped = `{"QueueUrl":"${QUEUE_URL}","MessageBody":"${"\\u0061".repeat(1024 * 1024)}"}`;
  assert.equal(commandOf(jsonRequest("SendMessage", escaped), "sendMessages").entries[0]?.sizeBytes, 1024 * 1024);
});

test("a fault of the server is in the caller's protocol and may be retried", () => {
  const json = faultResponse(jsonRequest("ListQueues", {}), "id", "Stopped.");
  assert.equal(json.status, 503);
  assert.deepEqual(jsonOf(json), { __type: "com.amazon.coral.service#ServiceUnavailable", message: "Stopped." });
  const xml = faultResponse(queryRequest({ Action: "ListQueues" }), "id", "Stopped.");
  assert.match(String(xml.body), /<Type>Receiver<\/Type><Code>ServiceUnavailable<\/Code>/);
});

test("the server's own refusals are in the caller's protocol", () => {
  const tooLarge = refusal("RequestTooLarge", "Too long.");
  assert.equal(refusalResponse(jsonRequest("ListQueues", {}), "id", tooLarge).status, 413);
  const xml = refusalResponse(queryRequest({ Action: "ListQueues" }), "id", tooLarge);
  assert.match(String(xml.body), /<Type>Sender<\/Type><Code>RequestTooLarge<\/Code><Message>Too long\.<\/Message>/);
});

test("the parsed request names its operation, also when it is refused", () => {
  const refused = read(jsonRequest("SendMessage", { QueueUrl: QUEUE_URL }));
  assert.deepEqual([refused.is, refused.operation], ["response", "SendMessage"]);
  assert.equal(read(jsonRequest("SendMessage", { QueueUrl: QUEUE_URL, MessageBody: "b" })).operation, "SendMessage");
});
