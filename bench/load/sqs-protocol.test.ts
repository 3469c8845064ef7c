import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpClient } from "./http-client.ts";
import { encode, expectCount, expectOk, readCounts, readMessages } from "./sqs-protocol.ts";

const client = new HttpClient("http://127.0.0.1:1");
const ok = (text: string, status = 200) => ({ status, body: Buffer.from(text) });

test("the Query protocol's lists are written as AWS's", () => {
  const form = (action: string, input: Parameters<typeof encode>[3]) =>
    encode(client, "query", action, input).toString("latin1").split("\r\n\r\n")[1];
  assert.equal(
    form("SendMessageBatch", { QueueUrl: "q", Entries: [{ Id: "0", MessageBody: "a b" }] }),
    "Action=SendMessageBatch&Version=2012-11-05&QueueUrl=q&SendMessageBatchRequestEntry.1.Id=0" +
      "&SendMessageBatchRequestEntry.1.MessageBody=a+b",
  );
  assert.equal(
    form("CreateQueue", { QueueName: "q.fifo", Attributes: { FifoQueue: "true" } }),
    "Action=CreateQueue&Version=2012-11-05&QueueName=q.fifo&Attribute.1.Name=FifoQueue&Attribute.1.Value=true",
  );
  assert.match(form("GetQueueAttributes", { AttributeNames: ["All"] }) as string, /&AttributeName\.1=All$/);
});

test("both protocols' messages are read, entities included", () => {
  assert.deepEqual(readMessages(ok('{"Messages":[{"Body":"\\"a\\"","ReceiptHandle":"h"}]}'), "json"), [
    { body: '"a"', receiptHandle: "h" },
  ]);
  const xml = "<Message><Body>&quot;a&#34;&#x22;&amp;</Body><ReceiptHandle>h=</ReceiptHandle></Message>";
  assert.deepEqual(readMessages(ok(xml), "query"), [{ body: '"a""&', receiptHandle: "h=" }]);
  assert.deepEqual(readMessages(ok("{}"), "json"), []);
});

test("counts are read as numbers, whatever else is there", () => {
  const xml =
    "<Attribute><Name>A</Name><Value>3</Value></Attribute><Attribute><Name>P</Name><Value>x</Value></Attribute>";
  assert.equal(readCounts(ok(xml), "query")["A"], 3);
  assert.equal(readCounts(ok('{"Attributes":{"A":"3"}}'), "json")["A"], 3);
});

test("a failed entry, a bad status and a missing entry are errors", () => {
  assert.throws(() => expectOk(ok('{"Successful":[],"Failed":[{"Id":"1"}]}')));
  assert.throws(() => expectOk(ok("<BatchResultErrorEntry>")));
  assert.throws(() => expectOk(ok("{}", 500)));
  assert.equal(expectOk(ok('{"Failed":[]}')), '{"Failed":[]}');
  const md5 = Buffer.from("abc");
  expectCount(ok("abc abc"), md5, 2);
  assert.throws(() => expectCount(ok("abc"), md5, 2), /1 of 2/);
});
