import assert from "node:assert/strict";
import type { MessageSystemAttributeName } from "@aws-sdk/client-sqs";
import { assertRefused, scenarios } from "../world.ts";

const TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
const TRACE_MD5 = "5ae4d5d7636402d80f4eb6d213245a88";
const traced = { MessageSystemAttributes: { AWSTraceHeader: { DataType: "String", StringValue: TRACE } } };

scenarios("system attributes", (scenario) => {
  scenario("a receive tells when a message was sent and received and how often", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "5" });
    const sentAtMs = world.nowMs();
    await queue.send("m");
    await world.advance(2);
    const firstMs = world.nowMs();
    const { Attributes: first = {} } = await queue.receiveOne();
    assert.match(first.SenderId ?? "", /^AIDA[A-Z0-9]+$/);
    assert.deepEqual(
      { ...first },
      {
        SenderId: first.SenderId,
        SentTimestamp: String(sentAtMs),
        ApproximateFirstReceiveTimestamp: String(firstMs),
        ApproximateReceiveCount: "1",
      },
    );
    await world.advance(5);
    const { Attributes: second = {} } = await queue.receiveOne();
    assert.deepEqual({ ...second }, { ...first, ApproximateReceiveCount: "2" });
  });

  scenario("system attributes come only when asked for, one by one or all", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "0" });
    await queue.send("m");
    const names = async (...wanted: string[]) => {
      const MessageSystemAttributeNames = wanted as MessageSystemAttributeName[];
      const [message] = await queue.receive(wanted.length === 0 ? {} : { MessageSystemAttributeNames });
      return message?.Attributes === undefined ? undefined : Object.keys(message.Attributes).sort();
    };
    assert.equal(await names(), undefined);
    assert.deepEqual(await names("SentTimestamp"), ["SentTimestamp"]);
    assert.deepEqual(await names("SenderId", "ApproximateReceiveCount"), ["ApproximateReceiveCount", "SenderId"]);
    assert.equal((await names("All"))?.length, 4);
    assert.equal((await names("SenderId", "All"))?.length, 4);
    assert.equal(await names("AWSTraceHeader"), undefined);
    assert.equal(await names("MessageGroupId", "SequenceNumber"), undefined);
  });

  scenario("the older and the newer list of names are taken together", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "0" });
    await queue.send("m");
    const [both] = await queue.receive({
      AttributeNames: ["SenderId"] as never,
      MessageSystemAttributeNames: ["SentTimestamp"],
    });
    assert.deepEqual(Object.keys(both?.Attributes ?? {}).sort(), ["SenderId", "SentTimestamp"]);
    const [old] = await queue.receive({ AttributeNames: ["All"] });
    assert.equal(Object.keys(old?.Attributes ?? {}).length, 4);
  });

  scenario("a trace header has a checksum of its own and leaves the user's alone", async (world) => {
    const queue = await world.queue();
    const plain = await queue.send("m", traced);
    assert.equal(plain.MD5OfMessageSystemAttributes, TRACE_MD5);
    assert.equal(plain.MD5OfMessageAttributes, undefined);
    const both = await queue.send("m", {
      ...traced,
      MessageAttributes: { Foo: { DataType: "String", StringValue: "Bar" } },
    });
    assert.equal(both.MD5OfMessageSystemAttributes, TRACE_MD5);
    assert.equal(both.MD5OfMessageAttributes, "ae7155c6026991b6d54b11589678bf9c");
    const messages = await queue.receive({ MessageSystemAttributeNames: ["AWSTraceHeader"] });
    assert.deepEqual(
      messages.map(({ Attributes }) => ({ ...Attributes })),
      [{ AWSTraceHeader: TRACE }, { AWSTraceHeader: TRACE }],
    );
  });

  scenario("a trace header travels in batches and to the dead-letter queue", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    const { Successful = [] } = await source.sendBatch([{ Id: "a", MessageBody: "m", ...traced }]);
    assert.equal(Successful[0]?.MD5OfMessageSystemAttributes, TRACE_MD5);
    assert.equal((await source.receiveOne()).Attributes?.AWSTraceHeader, TRACE);
    await world.advance(1);
    assert.deepEqual(await source.receive(), []);
    assert.equal((await dlq.receiveOne()).Attributes?.AWSTraceHeader, TRACE);
  });

  scenario("other system attributes, and trace headers that are no text, are refused", async (world) => {
    const queue = await world.queue();
    for (const MessageSystemAttributes of [
      { SenderId: { DataType: "String", StringValue: "me" } },
      { AWSTraceHeader: { DataType: "Number", StringValue: "abc" } },
      { AWSTraceHeader: { DataType: "Binary", BinaryValue: Buffer.from("x") } },
      { AWSTraceHeader: { DataType: "String", StringValue: "" } },
    ]) {
      const send = queue.send("m", { MessageSystemAttributes: MessageSystemAttributes as never });
      await assertRefused(send, "InvalidParameterValue");
    }
  });
});
