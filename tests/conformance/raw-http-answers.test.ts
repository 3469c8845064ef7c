// What answers look like as bytes: what is left out when empty, how XML escapes, what Accept changes, which headers
// there are.

import assert from "node:assert/strict";
import { elementText, exchange, get, JSON_TYPE, json, query } from "./http.ts";
import { freshName, scenariosOnOneServer } from "./world.ts";

const NAMESPACE = 'xmlns="http://queue.amazonaws.com/doc/2012-11-05/"';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

scenariosOnOneServer((scenario) => {
  scenario("JSON answers leave out what is empty", async (world) => {
    const { url: QueueUrl } = await world.queue();
    const { endpoint } = world;
    const text = async (action: string, input: object) => (await json(endpoint, action, input)).text;
    assert.equal(await text("ReceiveMessage", { QueueUrl }), "{}");
    assert.equal(await text("ListQueues", { QueueNamePrefix: "nothing" }), "{}");
    assert.equal(await text("ListQueueTags", { QueueUrl }), "{}");
    assert.equal(await text("GetQueueAttributes", { QueueUrl }), "{}");
    assert.equal(await text("GetQueueAttributes", { QueueUrl, AttributeNames: ["Policy"] }), "{}");
    const sent = JSON.parse(await text("SendMessage", { QueueUrl, MessageBody: "m" }));
    assert.deepEqual(Object.keys(sent).sort(), ["MD5OfMessageBody", "MessageId"]);
    const Entries = [{ Id: "a", MessageBody: "m" }];
    assert.deepEqual(Object.keys(JSON.parse(await text("SendMessageBatch", { QueueUrl, Entries }))), ["Successful"]);
    const bad = [{ Id: "a", ReceiptHandle: "h" }];
    assert.deepEqual(Object.keys(JSON.parse(await text("DeleteMessageBatch", { QueueUrl, Entries: bad }))), ["Failed"]);
    const { Messages } = JSON.parse(await text("ReceiveMessage", { QueueUrl, MessageAttributeNames: ["All"] }));
    assert.deepEqual(Object.keys(Messages[0]).sort(), ["Body", "MD5OfBody", "MessageId", "ReceiptHandle"]);
  });

  scenario("actions without output answer an empty object or nothing, and in XML only metadata", async (world) => {
    const { url: QueueUrl } = await world.queue();
    const { endpoint } = world;
    for (const [action, input] of [
      ["SetQueueAttributes", { Attributes: { DelaySeconds: "1" } }],
      ["TagQueue", { Tags: { a: "b" } }],
      ["PurgeQueue", {}],
    ] as const) {
      const answer = await json(endpoint, action, { QueueUrl, ...input });
      assert.equal(answer.status, 200);
      assert.ok(["", "{}"].includes(answer.text));
    }
    const purged = await query(endpoint, { Action: "PurgeQueue", QueueUrl });
    const start = `<PurgeQueueResponse ${NAMESPACE}><ResponseMetadata><RequestId>`;
    assert.ok(purged.text.replace(/^<\?xml.*?\?>\s*/, "").startsWith(start), purged.text);
  });

  scenario("an XML answer wraps its result, and an empty receive is an empty result", async (world) => {
    const { url: QueueUrl } = await world.queue();
    const answer = await query(world.endpoint, { Action: "ReceiveMessage", QueueUrl });
    assert.equal(answer.status, 200);
    assert.match(
      answer.text,
      /<ReceiveMessageResponse xmlns="http:\/\/queue\.amazonaws\.com\/doc\/2012-11-05\/">\s*<ReceiveMessageResult\s*(\/>|><\/ReceiveMessageResult>)\s*<ResponseMetadata><RequestId>[0-9a-f-]{36}<\/RequestId><\/ResponseMetadata>\s*<\/ReceiveMessageResponse>/,
    );
    const listed = await query(world.endpoint, { Action: "ListQueues", QueueNamePrefix: "nothing" });
    assert.match(listed.text, /<ListQueuesResult\s*\/>|<ListQueuesResult><\/ListQueuesResult>/);
    const tags = await query(world.endpoint, { Action: "ListQueueTags", QueueUrl });
    assert.doesNotMatch(tags.text, /<Tag>/);
  });

  scenario("every answer has a request id, a length and its protocol's content type", async (world) => {
    const { url: QueueUrl } = await world.queue();
    const { endpoint } = world;
    const answers = [
      [await json(endpoint, "ListQueues", {}), JSON_TYPE],
      [await json(endpoint, "Dance", {}), JSON_TYPE],
      [await query(endpoint, { Action: "PurgeQueue", QueueUrl }), "text/xml"],
      [await query(endpoint, { Action: "Dance" }), "text/xml"],
    ] as const;
    for (const [{ headers, text }, type] of answers) {
      assert.match(String(headers["x-amzn-requestid"]), UUID);
      assert.equal(headers["content-length"], String(Buffer.byteLength(text)));
      assert.equal(String(headers["content-type"]).split(";")[0], type);
    }
    const ids = answers.map(([{ headers }]) => headers["x-amzn-requestid"]);
    assert.equal(new Set(ids).size, ids.length);
  });

  scenario("XML keeps carriage returns and entity texts of bodies and attributes", async (world) => {
    const { url: QueueUrl } = await world.queue();
    const MessageBody = 'a\r\nb\rc &quot; &#xD; <x y="z">\'</x> ]]>';
    const MessageAttributes = { "k.1": { DataType: "String", StringValue: "v\r<&>" } };
    await json(world.endpoint, "SendMessage", { QueueUrl, MessageBody, MessageAttributes });
    const fields = { Action: "ReceiveMessage", QueueUrl, "MessageAttributeName.1": "All" };
    const answer = await query(world.endpoint, fields);
    const body = elementText(answer, "Body") ?? "";
    assert.doesNotMatch(answer.text, /\r/);
    assert.match(body, /^a&#(xD|13);\nb&#(xD|13);c &amp;quot; &amp;#xD; &lt;x /);
    assert.match(body, /\]\]&gt;$/);
    assert.match(elementText(answer, "StringValue") ?? "", /^v&#(xD|13);&lt;&amp;&gt;$/);
  });

  scenario("a Query caller that accepts only JSON gets the same answer as JSON", async (world) => {
    const queue = await world.queue({}, freshName("-accept"));
    const path = new URL(queue.url).pathname;
    const call = async (target: string, fields: Record<string, string>) => {
      const answer = await get(world.endpoint, target, fields, { accept: "application/json" });
      assert.match(String(answer.headers["content-type"]), /^application\/(x-amz-)?json/);
      return { status: answer.status, body: JSON.parse(answer.text) };
    };
    const listed = await call("/", { Action: "ListQueues", QueueNamePrefix: queue.name });
    assert.deepEqual(listed.body.ListQueuesResponse.ListQueuesResult.queueUrls, [queue.url]);
    assert.match(listed.body.ListQueuesResponse.ResponseMetadata.RequestId, UUID);
    const delay = { Action: "GetQueueAttributes", "AttributeName.1": "DelaySeconds" };
    const { GetQueueAttributesResponse } = (await call(path, delay)).body;
    assert.deepEqual(GetQueueAttributesResponse.GetQueueAttributesResult.Attributes, [
      { Name: "DelaySeconds", Value: "0" },
    ]);
    await queue.send("m");
    const { ReceiveMessageResponse } = (await call(path, { Action: "ReceiveMessage" })).body;
    assert.equal(ReceiveMessageResponse.ReceiveMessageResult.messages[0].Body, "m");
    const failed = await call("/", { Action: "GetQueueUrl", QueueName: "not-there" });
    assert.equal(failed.status, 400);
    assert.equal(failed.body.Error.Code, "AWS.SimpleQueueService.NonExistentQueue");
    assert.equal(failed.body.Error.Message, "The specified queue does not exist for this wsdl version.");
  });

  scenario("any other Accept gets XML, and JSON requests get JSON whatever they accept", async (world) => {
    const { url: QueueUrl } = await world.queue();
    for (const accept of ["*/*", "text/xml", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "", "nonsense"]) {
      const answer = await query(world.endpoint, { Action: "PurgeQueue", QueueUrl }, { headers: { accept } });
      assert.match(String(answer.headers["content-type"]), /^text\/xml/);
      const jsonAnswer = await json(world.endpoint, "PurgeQueue", { QueueUrl }, { accept });
      assert.equal(jsonAnswer.headers["content-type"], JSON_TYPE);
    }
  });

  scenario("a charset in the content type of a JSON request changes nothing", async (world) => {
    const { url: QueueUrl } = await world.queue();
    for (const type of [`${JSON_TYPE}; charset=utf-8`, "application/x-amz-json-1.1", "application/json"]) {
      const headers = { "content-type": type };
      const answer = await json(world.endpoint, "SendMessage", { QueueUrl, MessageBody: "é" }, headers);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers["content-type"], JSON_TYPE);
    }
  });

  scenario("a trace header on the request becomes a system attribute without a checksum", async (world) => {
    const queue = await world.queue();
    const trace = "Root=1-5e3d83c1-e6a0db584850d61342823d4c;Parent=53995c3f42cd8ad8;Sampled=1";
    const headers = { "x-amzn-trace-id": trace };
    const input = { QueueUrl: queue.url, MessageBody: "m" };
    const sent = await json(world.endpoint, "SendMessage", input, headers);
    assert.equal(JSON.parse(sent.text).MD5OfMessageSystemAttributes, undefined);
    await query(world.endpoint, { Action: "SendMessage", ...input }, { headers });
    const messages = await queue.receive({ MessageSystemAttributeNames: ["AWSTraceHeader"] });
    assert.deepEqual(
      messages.map(({ Attributes }) => Attributes?.AWSTraceHeader),
      [trace, trace],
    );
  });

  scenario("timestamps of move tasks are numbers of milliseconds in both protocols", async (world) => {
    const { dlq } = await world.withDeadLetters(1);
    await world.sqs.startMessageMoveTask({ SourceArn: dlq.arn });
    await world.advance(0);
    const listed = await json(world.endpoint, "ListMessageMoveTasks", { SourceArn: dlq.arn });
    assert.equal(JSON.parse(listed.text).Results[0].StartedTimestamp, world.nowMs());
    const fields = { Action: "ListMessageMoveTasks", SourceArn: dlq.arn };
    const answer = await query(world.endpoint, fields);
    assert.match(answer.text, /<ListMessageMoveTasksResultEntry>/);
    assert.equal(elementText(answer, "StartedTimestamp"), String(world.nowMs()));
  });

  scenario("HEAD, OPTIONS, PUT and DELETE run nothing and leave the server whole", async (world) => {
    const queue = await world.queue();
    const path = new URL(queue.url).pathname;
    for (const method of ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"]) {
      for (const target of ["/", path, `${path}?Action=SendMessage&MessageBody=m`]) {
        const { status, headers } = await exchange(world.endpoint, {
          method,
          path: target,
          headers: { authorization: "AWS4-x" },
        });
        assert.ok(status >= 400 && status < 500, `${method} ${target}: ${status}`);
        assert.equal(headers["access-control-allow-origin"], undefined);
      }
    }
    assert.equal(await queue.counts(), "0/0/0");
  });
});
