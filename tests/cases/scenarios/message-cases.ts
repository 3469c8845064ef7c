// Reports from users about messages, their attributes and their life in a queue, each by its id.

import assert from "node:assert/strict";
import { elementText, json, query } from "../../conformance/http.ts";
import { assertRefused, scenarios } from "../../conformance/world.ts";

function text(StringValue: string) {
  return { DataType: "String", StringValue };
}

scenarios("message cases", (scenario) => {
  scenario("C017: the attribute checksum covers Binary and Number values exactly", async (world) => {
    const queue = await world.queue();
    const MessageAttributes = {
      blob: { DataType: "Binary", BinaryValue: Uint8Array.of(1, 2, 3, 0xff) },
      hops: { DataType: "Number", StringValue: "42" },
      tenant: text("heron"),
    };
    const md5 = "2e87fffd796f89ec62359fbff391b72f";
    assert.equal((await queue.send("x", { MessageAttributes })).MD5OfMessageAttributes, md5);
    const all = await queue.receiveOne();
    assert.equal(all.MD5OfMessageAttributes, md5);
    assert.deepEqual([...(all.MessageAttributes?.blob?.BinaryValue ?? [])], [1, 2, 3, 0xff]);
    assert.equal(all.MessageAttributes?.hops?.StringValue, "42");
    assert.equal(all.MessageAttributes?.hops?.DataType, "Number");
    await world.advance(30);
    const filtered = await queue.receiveOne({ MessageAttributeNames: ["tenant"] });
    assert.deepEqual(Object.keys(filtered.MessageAttributes ?? {}), ["tenant"]);
    assert.equal(filtered.MD5OfMessageAttributes, "b1002d6bafc6b8da6633cd960655a984");
  });

  scenario("C019: a receive returns only the attributes asked for, with prefix wildcards", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "0" });
    await queue.send("m", { MessageAttributes: { "Reed.1": text("a"), Reef: text("b"), Silt: text("c") } });
    const all = "486ec3bacdfb405f7b95e269d70705a6";
    const expected: [string[], string[], string | undefined][] = [
      [[], [], undefined],
      [["Nope"], [], undefined],
      [["All"], ["Reed.1", "Reef", "Silt"], all],
      [[".*"], ["Reed.1", "Reef", "Silt"], all],
      [["Ree.*"], ["Reed.1", "Reef"], "eab88cfa567c5aa0b36b47374a24211c"],
    ];
    for (const [MessageAttributeNames, names, md5] of expected) {
      const [message] = await queue.receive({ MessageAttributeNames });
      assert.deepEqual(Object.keys(message?.MessageAttributes ?? {}).sort(), names);
      assert.equal(message?.MessageAttributes === undefined, names.length === 0);
      assert.equal(message?.MD5OfMessageAttributes, md5);
    }
    const [silt] = await queue.receive({ MessageAttributeNames: ["Silt", "Nope"] });
    assert.deepEqual(Object.keys(silt?.MessageAttributes ?? {}), ["Silt"]);
  });

  scenario("C021: message attributes count towards the message size", async (world) => {
    const tiny = await world.queue({ MaximumMessageSize: "1024" });
    const MessageAttributes = { k: text("v") };
    await tiny.send("a".repeat(1016), { MessageAttributes });
    for (const send of [tiny.send("a".repeat(1017), { MessageAttributes }), tiny.send("a".repeat(1025))]) {
      await assertRefused(send, "InvalidParameterValue", /must be shorter than 1024 bytes/);
    }
    assert.equal(await tiny.counts(), "1/0/0");
  });

  scenario("C034: the three counters are always there and each message is in one of them", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "2" });
    assert.equal(await queue.counts(), "0/0/0");
    await queue.send("m", { DelaySeconds: 2 });
    assert.equal(await queue.counts(), "0/0/1");
    await world.advance(3);
    assert.equal(await queue.counts(), "1/0/0");
    await queue.receiveOne();
    assert.equal(await queue.counts(), "0/1/0");
    await world.advance(3);
    assert.equal(await queue.counts(), "1/0/0");
    await queue.delete(await queue.receiveOne());
    assert.equal(await queue.counts(), "0/0/0");
    assert.deepEqual(await queue.attributes("ApproximateNumberOfMessagesDelayed"), {
      ApproximateNumberOfMessagesDelayed: "0",
    });
  });

  scenario("C035: MaxNumberOfMessages has limits and one answer has no duplicates", async (world) => {
    const queue = await world.queue();
    for (const body of ["1", "2", "3"]) await queue.send(body);
    const messages = await queue.receive({ MaxNumberOfMessages: 10, VisibilityTimeout: 0 });
    assert.ok(messages.length >= 1 && messages.length <= 3);
    assert.equal(new Set(messages.map(({ MessageId }) => MessageId)).size, messages.length);
    assert.equal(await queue.counts(), "3/0/0");
    for (const MaxNumberOfMessages of [0, 11, -1]) {
      const receive = queue.receive({ MaxNumberOfMessages });
      await assertRefused(receive, "InvalidParameterValue", /Must be between 1 and 10/);
    }
    await assertRefused(queue.receive({ VisibilityTimeout: 43_201 }), "InvalidParameterValue");
  });

  scenario("C036: bodies with line breaks, dashes and emoji come back byte for byte", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "0" });
    const body = "reed\r\nbed\t– café 🐸";
    const md5 = "8abe0b17d9e94001e12968ce310ac605";
    assert.equal(Buffer.byteLength(body), 24);
    assert.equal((await queue.send(body)).MD5OfMessageBody, md5);
    const message = await queue.receiveOne();
    assert.equal(message.Body, body);
    assert.equal(message.MD5OfBody, md5);
    const xml = await query(world.endpoint, { Action: "ReceiveMessage", QueueUrl: queue.url });
    assert.match(elementText(xml, "Body") ?? "", /^reed&#(xD|13);\nbed\t– café 🐸$/);
  });

  scenario("C038: AWSTraceHeader travels as a system attribute with its own checksum", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "0" });
    const trace = "Root=1-67a0c1de-0123456789abcdef01234567";
    const options = {
      MessageSystemAttributes: { AWSTraceHeader: text(trace) },
      MessageAttributes: { tenant: text("heron") },
    };
    const sent = await queue.send("t", options);
    const { Successful = [] } = await queue.sendBatch([{ Id: "a", MessageBody: "t", ...options }]);
    for (const each of [sent, Successful[0]]) {
      assert.equal(each?.MD5OfMessageSystemAttributes, "afb4b403a36fad30d381c6ef01e5330f");
      assert.equal(each?.MD5OfMessageAttributes, "b1002d6bafc6b8da6633cd960655a984");
    }
    for (const asked of [{ MessageSystemAttributeNames: ["AWSTraceHeader"] }, { AttributeNames: ["All"] }]) {
      const messages = await queue.receive(asked as object);
      assert.deepEqual(
        messages.map(({ Attributes }) => Attributes?.AWSTraceHeader),
        [trace, trace],
      );
    }
    for (const { Attributes } of await queue.receive()) assert.equal(Attributes, undefined);
    const other = queue.send("t", { MessageSystemAttributes: { Other: text("x") } as object });
    await assertRefused(other, "InvalidParameterValue");
  });

  scenario("C079: visibility of a deleted message and of garbage is refused in two different ways", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "4" });
    await queue.send("m");
    const message = await queue.receiveOne();
    await queue.delete(message);
    const gone = /Message does not exist or is not available for visibility timeout change/;
    await assertRefused(queue.hide(message, 4), "InvalidParameterValue", gone);
    await assertRefused(queue.hide({ ReceiptHandle: "garbage" }, 4), "ReceiptHandleIsInvalid", undefined, 404);
  });
});

scenarios(
  "message cases",
  (scenario) => {
    scenario("C018: a JSON receive has no empty map of attributes", async (world) => {
      const queue = await world.queue();
      await queue.send("bare");
      const input = { QueueUrl: queue.url, MessageAttributeNames: ["All"] };
      const answer = await json(world.endpoint, "ReceiveMessage", input);
      const [message] = JSON.parse(answer.text).Messages;
      assert.deepEqual(Object.keys(message).sort(), ["Body", "MD5OfBody", "MessageId", "ReceiptHandle"]);
    });
  },
  { protocols: ["json"] },
);
