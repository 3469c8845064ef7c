// The bytes of SNS on the wire: which service a request is for, and what answers look like (fanout.md A1).

import assert from "node:assert/strict";
import { elementText, get, query } from "../http.ts";
import { freshName, scenarios } from "../world.ts";

const Version = "2010-03-31";
const NAMESPACE = "http://sns.amazonaws.com/doc/2010-03-31/";
const signedFor = (service: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0a`,
});

scenarios("SNS in raw Query", (scenario) => {
  scenario("an answer has its result, the request's id and SNS's namespace", async (world) => {
    const Name = freshName("-raw");
    const created = await query(world.endpoint, { Action: "CreateTopic", Name, Version });
    assert.equal(created.headers["content-type"], "text/xml");
    const id = String(created.headers["x-amzn-requestid"]);
    const arn = elementText(created, "TopicArn");
    assert.equal(
      created.text,
      `<?xml version="1.0"?><CreateTopicResponse xmlns="${NAMESPACE}"><CreateTopicResult><TopicArn>${arn}</TopicArn></CreateTopicResult>` +
        `<ResponseMetadata><RequestId>${id}</RequestId></ResponseMetadata></CreateTopicResponse>`,
    );
    const deleted = await query(world.endpoint, { Action: "DeleteTopic", TopicArn: arn ?? "", Version });
    assert.match(deleted.text, /^<\?xml version="1.0"\?><DeleteTopicResponse [^>]*><ResponseMetadata>/);
  });

  scenario("an error says whose fault it is, without details", async (world) => {
    const TopicArn = "arn:aws:sns:us-east-1:000000000000:missing";
    const refused = await query(world.endpoint, { Action: "GetTopicAttributes", TopicArn, Version });
    assert.equal(refused.status, 404);
    assert.equal(
      refused.text.replace(/<RequestId>.*?<\/RequestId>/, ""),
      `<?xml version="1.0"?><ErrorResponse xmlns="${NAMESPACE}"><Error><Type>Sender</Type><Code>NotFound</Code>` +
        "<Message>Topic does not exist</Message></Error></ErrorResponse>",
    );
    const unknown = await query(world.endpoint, { Action: "Frobnicate", Version });
    assert.equal(unknown.status, 400);
    assert.equal(elementText(unknown, "Code"), "InvalidAction");
    assert.equal(elementText(unknown, "Message"), "Could not find operation Frobnicate for version 2010-03-31");
  });

  scenario("signature, version, action and host say which service is meant", async (world) => {
    const isSns = (text: string) => text.includes(NAMESPACE);
    // An action that both have: without any sign SQS answers, as it always did.
    const shared = { Action: "AddPermission", Label: "l" };
    const ask = async (fields: Record<string, string>, headers = {}) =>
      isSns((await query(world.endpoint, fields, { headers })).text);
    assert.equal(await ask(shared), false);
    assert.equal(await ask(shared, signedFor("sns")), true);
    assert.equal(await ask(shared, signedFor("sqs")), false);
    assert.equal(await ask({ ...shared, Version }), true);
    assert.equal(await ask({ ...shared, Version: "2012-11-05" }), false);
    assert.equal(await ask(shared, { host: "sns.us-east-1.localhost.test" }), true);
    assert.equal(await ask({ Action: "ListTopics" }), true);
    assert.equal(await ask({ Action: "ListQueues" }, { host: "sns.us-east-1.localhost.test" }), false);
    assert.equal(isSns((await get(world.endpoint, "/", { Action: "ListTopics" })).text), true);
  });

  scenario("lists and maps are numbered below member and entry", async (world) => {
    const Name = freshName("-maps");
    const created = await query(world.endpoint, {
      Action: "CreateTopic",
      Version,
      Name,
      "Attributes.entry.1.key": "DisplayName",
      "Attributes.entry.1.value": "Spring",
      "Tags.member.1.Key": "a",
      "Tags.member.1.Value": "1",
    });
    const TopicArn = elementText(created, "TopicArn") ?? "";
    const attributes = await query(world.endpoint, { Action: "GetTopicAttributes", Version, TopicArn });
    assert.match(
      attributes.text,
      /<Attributes>(?:.*<\/entry>)?<entry><key>DisplayName<\/key><value>Spring<\/value><\/entry>/,
    );
    const tags = await query(world.endpoint, { Action: "ListTagsForResource", Version, ResourceArn: TopicArn });
    assert.match(tags.text, /<Tags><member><Key>a<\/Key><Value>1<\/Value><\/member><\/Tags>/);
    // Fields of the query string of a POST count, too.
    const posted = await query(
      world.endpoint,
      { Action: "GetTopicAttributes" },
      {
        path: `/?TopicArn=${encodeURIComponent(TopicArn)}&Version=${Version}`,
      },
    );
    assert.equal(posted.status, 200);
  });

  scenario("a message is published by hand, and its trace goes with it", async (world) => {
    const created = await query(world.endpoint, { Action: "CreateTopic", Name: freshName("-raw"), Version });
    const TopicArn = elementText(created, "TopicArn") ?? "";
    const queue = await world.queue();
    await query(world.endpoint, {
      Action: "Subscribe",
      Version,
      TopicArn,
      Protocol: "sqs",
      Endpoint: queue.arn,
      "Attributes.entry.1.key": "RawMessageDelivery",
      "Attributes.entry.1.value": "true",
    });
    const trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1";
    const published = await query(
      world.endpoint,
      {
        Action: "Publish",
        Version,
        TopicArn,
        Message: "a=b&c é",
        "MessageAttributes.entry.1.Name": "colour",
        "MessageAttributes.entry.1.Value.DataType": "String",
        "MessageAttributes.entry.1.Value.StringValue": "green",
      },
      { headers: { "x-amzn-trace-id": trace } },
    );
    assert.match(elementText(published, "MessageId") ?? "", /^[0-9a-f-]{36}$/);
    const message = await queue.receiveOne();
    assert.equal(message.Body, "a=b&c é");
    assert.equal(message.MessageAttributes?.colour?.StringValue, "green");
    assert.equal(message.Attributes?.AWSTraceHeader, trace);
    await queue.delete(message);

    const member = (n: number) => `PublishBatchRequestEntries.member.${n}`;
    const batch = await query(world.endpoint, {
      Action: "PublishBatch",
      Version,
      TopicArn,
      [`${member(1)}.Id`]: "a",
      [`${member(1)}.Message`]: "first",
      [`${member(1)}.MessageAttributes.entry.1.Name`]: "bytes",
      [`${member(1)}.MessageAttributes.entry.1.Value.DataType`]: "Binary",
      [`${member(1)}.MessageAttributes.entry.1.Value.BinaryValue`]: "AP8=",
      [`${member(2)}.Id`]: "b",
      [`${member(2)}.Message`]: "second",
    });
    assert.match(
      batch.text,
      /<PublishBatchResult>.*<Successful><member>.*<Id>a<\/Id>.*<\/member><member>.*<Id>b<\/Id>/,
    );
    const messages = await queue.receive({ MessageAttributeNames: ["All"] });
    const bodies = messages.map(({ Body = "" }) => Body);
    assert.deepEqual(bodies.sort(), ["first", "second"]);
    const [first] = messages.filter(({ Body }) => Body === "first");
    assert.deepEqual(Buffer.from(first?.MessageAttributes?.bytes?.BinaryValue ?? []), Buffer.from([0, 255]));
  });
});
