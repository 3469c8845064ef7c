import assert from "node:assert/strict";
import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import { assertRefused, scenarios } from "../world.ts";

type Attributes = Record<string, MessageAttributeValue>;

function text(StringValue: string, DataType = "String"): MessageAttributeValue {
  return { DataType, StringValue };
}

function bytes(value: Uint8Array | string, DataType = "Binary"): MessageAttributeValue {
  return { DataType, BinaryValue: typeof value === "string" ? Buffer.from(value, "latin1") : value };
}

scenarios("message attributes", (scenario) => {
  scenario("the checksum of attributes covers names, types with suffix and values in order of name", async (world) => {
    const queue = await world.queue();
    const vectors: [Attributes, string][] = [
      [{ timestamp: text("1493147359900", "Number") }, "235c5c510d26fb653d073faed50ae77c"],
      [{ timestamp: text("1493147359900", "Number.java.lang.Long") }, "2e2e4876d8e0bd6b8c2c8f556831c349"],
      [{ "SOME_Valid.attribute-Name": text("1493147359900", "Number") }, "36655e7e9d7c0e8479fa3f3f42247ae7"],
      [{ k: text("x") }, "a45daa70926828a2f0a1db3418e6feb4"],
      [{ Foo: text("Bar") }, "ae7155c6026991b6d54b11589678bf9c"],
      [{ somevalue: text("somevalue", "String.custom") }, "9e05cca738e70ff6c6041e82d5e77ef1"],
      [{ General: text("Kenobi"), "Help.Me": text("Me"), Hello: text("There") }, "4c360f3fdafd970e05fae2f149d997f5"],
      [
        { attr1: bytes("traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01") },
        "8cbe4db156db8a94db8b801b7addb984",
      ],
    ];
    for (const [MessageAttributes, md5] of vectors) {
      const sent = await queue.send("m", { MessageAttributes });
      assert.equal(sent.MD5OfMessageAttributes, md5);
      assert.equal(sent.MD5OfMessageSystemAttributes, undefined);
      const message = await queue.receiveOne();
      assert.equal(message.MD5OfMessageAttributes, md5);
      assert.deepEqual(Object.keys(message.MessageAttributes ?? {}).sort(), Object.keys(MessageAttributes).sort());
      await queue.delete(message);
    }
  });

  scenario("attribute values come back as they were sent", async (world) => {
    const queue = await world.queue();
    const everyByte = Uint8Array.from({ length: 256 }, (_, n) => n);
    const MessageAttributes = {
      text: text("line\r\nbreak & <b> 🐸"),
      number: text("007.50", "Number"),
      integer: text("-42", "Number.int"),
      blob: bytes(everyByte, "Binary.png"),
      größe: text("ø"),
    };
    await queue.send("m", { MessageAttributes });
    const { MessageAttributes: received = {} } = await queue.receiveOne();
    assert.deepEqual(Object.keys(received).sort(), Object.keys(MessageAttributes).sort());
    for (const [name, value] of Object.entries(MessageAttributes)) {
      assert.equal(received[name]?.DataType, value.DataType);
      assert.equal(received[name]?.StringValue, value.StringValue);
    }
    assert.deepEqual(Uint8Array.from(received.blob?.BinaryValue ?? []), everyByte);
  });

  scenario("ten attributes are the most", async (world) => {
    const queue = await world.queue();
    const some = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, text("v")]));
    await queue.send("m", { MessageAttributes: some(10) });
    assert.equal(Object.keys((await queue.receiveOne()).MessageAttributes ?? {}).length, 10);
    const message = "Number of message attributes [11] exceeds the allowed maximum [10].";
    await assertRefused(queue.send("m", { MessageAttributes: some(11) }), "InvalidParameterValue", message);
  });

  scenario("attribute names follow rules", async (world) => {
    const queue = await world.queue();
    await queue.send("m", { MessageAttributes: { [`_-.${"n".repeat(252)}Z`]: text("v") } });
    for (const name of ["n".repeat(257), "has space", "a/b", "AWS.x", "aws.x", "Amazon.x", "AMAZON.x", ".x", "x."]) {
      await assertRefused(queue.send("m", { MessageAttributes: { [name]: text("v") } }), "InvalidParameterValue");
    }
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("attribute types are three, with an optional suffix", async (world) => {
    const queue = await world.queue();
    for (const type of ["Text", "string", "", "Stringy", `String.${"s".repeat(250)}`]) {
      await assertRefused(queue.send("m", { MessageAttributes: { a: text("v", type) } }), "InvalidParameterValue");
    }
    await queue.send("m", { MessageAttributes: { a: text("v", `String.${"s".repeat(249)}`) } });
  });

  scenario("an attribute needs a value, of its own type", async (world) => {
    const queue = await world.queue();
    const send = (a: MessageAttributeValue) => queue.send("m", { MessageAttributes: { a } });
    const empty = "Message (user) attribute 'a' must contain a non-empty value of type 'String'.";
    await assertRefused(send(text("")), "InvalidParameterValue", empty);
    await assertRefused(send({ DataType: "String" }), "InvalidParameterValue");
    await assertRefused(send({ DataType: "Binary", StringValue: "v" }), "InvalidParameterValue");
    await assertRefused(send({ DataType: "String", BinaryValue: Buffer.from("v") }), "InvalidParameterValue");
    await assertRefused(send(text("a\u0002b")), "InvalidParameterValue");
    await assertRefused(send(text("ok\uFFFF")), "InvalidParameterValue");
  });

  scenario("lists of values are not supported", async (world) => {
    const queue = await world.queue();
    const a = { DataType: "String", StringListValues: ["v"] };
    const send = queue.send("m", { MessageAttributes: { a } });
    await assertRefused(send, "AWS.SimpleQueueService.UnsupportedOperation");
  });

  scenario("numbers have up to 38 digits between 10^-128 and 10^126", async (world) => {
    const queue = await world.queue();
    const send = (value: string) => queue.send("m", { MessageAttributes: { n: text(value, "Number") } });
    for (const value of ["0", "-1", "+1", "1.5", ".5", "1e10", "9".repeat(38), "1e126", "1e-128", "00042"]) {
      await send(value);
    }
    for (const value of ["", "abc", "1,5", "0x10", "9".repeat(39), "1e127", "1e-129", "NaN", "Infinity", "1 2"]) {
      await assertRefused(send(value), "InvalidParameterValue");
    }
  });

  scenario("only the attributes that are asked for come back, and the checksum covers just those", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "0" });
    const MessageAttributes = { "Help.Me": text("Me"), Hello: text("There"), General: text("Kenobi") };
    const sent = await queue.send("m", { MessageAttributes });
    const all = "4c360f3fdafd970e05fae2f149d997f5";
    assert.equal(sent.MD5OfMessageAttributes, all);
    const names = async (...MessageAttributeNames: string[]) => {
      const [message] = await queue.receive({ MessageAttributeNames });
      const found = Object.keys(message?.MessageAttributes ?? {}).sort();
      assert.equal(message?.MD5OfMessageAttributes === undefined, found.length === 0);
      assert.equal(message?.MessageAttributes === undefined, found.length === 0);
      assert.equal(message?.MD5OfMessageAttributes === all, found.length === 3);
      return found;
    };
    const three = ["General", "Hello", "Help.Me"];
    for (const wanted of [["All"], [".*"], ["*"], ["All", "Hello"], ["nope", "All"]]) {
      assert.deepEqual(await names(...wanted), three);
    }
    assert.deepEqual(await names(), []);
    assert.deepEqual(await names("nope"), []);
    assert.deepEqual(await names("AWS.", "..foo", "a b"), []);
    assert.deepEqual(await names("Hello"), ["Hello"]);
    assert.deepEqual(await names("hello"), []);
    assert.deepEqual(await names("Help.*"), ["Help.Me"]);
    assert.deepEqual(await names("Hel.*"), ["Hello", "Help.Me"]);
    assert.deepEqual(await names("Hel.*", "General"), three);
  });
});
