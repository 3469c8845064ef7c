import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { assertRefused, scenarios } from "../world.ts";

const ALLOWED = "#x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]";

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

scenarios("messages", (scenario) => {
  scenario("a message comes back with its id, its body and the body's checksum", async (world) => {
    const queue = await world.queue();
    const sent = await queue.send("message");
    assert.equal(sent.MD5OfMessageBody, "78e731027d8fd50ed642340b7c9a63b3");
    assert.match(sent.MessageId ?? "", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.deepEqual(Object.keys(sent).sort(), ["MD5OfMessageBody", "MessageId"]);
    const [message] = await queue.receive();
    assert.deepEqual(Object.keys(message ?? {}).sort(), ["Body", "MD5OfBody", "MessageId", "ReceiptHandle"]);
    assert.equal(message?.MessageId, sent.MessageId);
    assert.equal(message?.Body, "message");
    assert.equal(message?.MD5OfBody, sent.MD5OfMessageBody);
  });

  scenario("bodies come back byte for byte", async (world) => {
    const queue = await world.queue();
    const bodies = [
      " ",
      "\r\n mixed \r line \n ends \t",
      "&quot; &amp; &#xD; <tag attribute='x'>\"]]></tag>",
      "100% a+b=c & d %41",
      "naïve 水 🐸 \u{10FFFF} \uFFFD \uE000 \uD7FF\u0085\u2028",
      '{"json": [1, "two"], "__proto__": null}',
      "%EF%BB%BF\uFEFF",
    ];
    for (const body of bodies) {
      const sent = await queue.send(body);
      assert.equal(sent.MD5OfMessageBody, md5(body));
      const message = await queue.receiveOne();
      assert.equal(message.Body, body);
      assert.equal(message.MD5OfBody, md5(body));
      await queue.delete(message);
    }
  });

  scenario("an empty body is a missing one", async (world) => {
    const queue = await world.queue();
    const text = "The request must contain the parameter MessageBody.";
    await assertRefused(queue.send(""), "MissingParameter", text);
    const send = world.sqs.sendMessage({ QueueUrl: queue.url, MessageBody: undefined });
    await assertRefused(send, "MissingParameter", text);
  });

  scenario("characters outside of XML's are refused by their code", async (world) => {
    const queue = await world.queue();
    for (const [body, found] of [
      ["a\u0000b", "#x0"],
      ["\u0001", "#x1"],
      ["bell \u0007", "#x7"],
      ["\u001F", "#x1F"],
      ["\uFFFE", "#xFFFE"],
      ["ok \uFFFF", "#xFFFF"],
    ] as const) {
      const text = `Invalid binary character '${found}' was found in the message body, the set of allowed characters is ${ALLOWED}.`;
      await assertRefused(queue.send(body), "InvalidMessageContents", text);
    }
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("a message may be exactly as long as the queue allows, in bytes", async (world) => {
    const queue = await world.queue({ MaximumMessageSize: "1024" });
    await queue.send("x".repeat(1024));
    await queue.send("é".repeat(512));
    const text = "One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes.";
    await assertRefused(queue.send("x".repeat(1025)), "InvalidParameterValue", text);
    await assertRefused(queue.send(`${"é".repeat(512)}x`), "InvalidParameterValue", text);
  });

  scenario(
    "names, types and values of message attributes count towards the size, system attributes do not",
    async (world) => {
      const queue = await world.queue({ MaximumMessageSize: "1024" });
      const MessageAttributes = { name: { DataType: "Binary.x", BinaryValue: new Uint8Array(12) } };
      const attributeBytes = 4 + 8 + 12;
      const MessageSystemAttributes = { AWSTraceHeader: { DataType: "String", StringValue: "t".repeat(500) } };
      await queue.send("x".repeat(1024 - attributeBytes), { MessageAttributes, MessageSystemAttributes });
      const send = queue.send("x".repeat(1025 - attributeBytes), { MessageAttributes });
      const text = "One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes.";
      await assertRefused(send, "InvalidParameterValue", text);
    },
  );

  scenario("a mebibyte fits and a byte more does not", async (world) => {
    const queue = await world.queue();
    const body = `${"水".repeat(349_525)}x`; // 3 × 349525 + 1 = 1048576
    const sent = await queue.send(body);
    assert.equal(sent.MD5OfMessageBody, md5(body));
    const message = await queue.receiveOne();
    assert.equal(message.MD5OfBody, md5(body));
    assert.equal(message.Body, body);
    const text = "One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.";
    await assertRefused(queue.send(`${body}x`), "InvalidParameterValue", text);
  });

  scenario("a delay of its own overrides the queue's, also when it is 0", async (world) => {
    const queue = await world.queue({ DelaySeconds: "10" });
    await queue.send("at once", { DelaySeconds: 0 });
    await queue.send("by default");
    await queue.send("late", { DelaySeconds: 900 });
    assert.equal(await queue.counts(), "1/0/2");
    assert.deepEqual(await queue.receiveBodies(), ["at once"]);
    await world.advance(9.999);
    assert.deepEqual(await queue.receiveBodies(), []);
    await world.advance(0.001);
    assert.deepEqual(await queue.receiveBodies(), ["by default"]);
    await world.advance(890);
    assert.ok((await queue.receiveBodies()).includes("late"));
  });

  scenario("a delay is 0 to 900 seconds", async (world) => {
    const queue = await world.queue();
    for (const DelaySeconds of [-1, 901, 2_147_483_647]) {
      const text = new RegExp(`^Value ${DelaySeconds} for parameter DelaySeconds is invalid\\.`);
      await assertRefused(queue.send("m", { DelaySeconds }), "InvalidParameterValue", text);
    }
  });

  scenario("messages go when their retention period ends, in flight or not", async (world) => {
    const queue = await world.queue({ MessageRetentionPeriod: "60" });
    await queue.send("waiting");
    await queue.send("delayed", { DelaySeconds: 900 });
    await queue.send("held");
    const held = (await queue.receive({ VisibilityTimeout: 600 })).find(({ Body }) => Body === "held");
    await queue.send("fresh", { DelaySeconds: 30 });
    await world.advance(59);
    assert.equal(await queue.counts(), "1/2/1");
    await world.advance(1);
    assert.equal(await queue.counts(), "0/0/0");
    await queue.delete(held as object);
  });

  scenario("retention counts from the send, not from the end of the delay or a receive", async (world) => {
    const queue = await world.queue({ MessageRetentionPeriod: "60" });
    await queue.send("m", { DelaySeconds: 50 });
    await world.advance(50);
    await queue.receiveOne({ VisibilityTimeout: 0 });
    await world.advance(10);
    assert.deepEqual(await queue.receiveBodies(), []);
  });

  scenario("a queue that is not there refuses every action that names it", async (world) => {
    const { sqs } = world;
    const QueueUrl = `${world.endpoint}/000000000000/not-there`;
    const ReceiptHandle = "handle";
    const calls: Promise<unknown>[] = [
      sqs.sendMessage({ QueueUrl, MessageBody: "m" }),
      sqs.sendMessageBatch({ QueueUrl, Entries: [{ Id: "a", MessageBody: "m" }] }),
      sqs.receiveMessage({ QueueUrl }),
      sqs.receiveMessage({ QueueUrl, WaitTimeSeconds: 20 }),
      sqs.deleteMessage({ QueueUrl, ReceiptHandle }),
      sqs.deleteMessageBatch({ QueueUrl, Entries: [{ Id: "a", ReceiptHandle }] }),
      sqs.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout: 1 }),
      sqs.changeMessageVisibilityBatch({ QueueUrl, Entries: [{ Id: "a", ReceiptHandle, VisibilityTimeout: 1 }] }),
      sqs.getQueueAttributes({ QueueUrl, AttributeNames: ["All"] }),
      sqs.setQueueAttributes({ QueueUrl, Attributes: { DelaySeconds: "1" } }),
      sqs.purgeQueue({ QueueUrl }),
      sqs.deleteQueue({ QueueUrl }),
      sqs.tagQueue({ QueueUrl, Tags: { a: "b" } }),
      sqs.untagQueue({ QueueUrl, TagKeys: ["a"] }),
      sqs.listQueueTags({ QueueUrl }),
      sqs.listDeadLetterSourceQueues({ QueueUrl }),
      sqs.addPermission({ QueueUrl, Label: "l", AWSAccountIds: ["111122223333"], Actions: ["*"] }),
      sqs.removePermission({ QueueUrl, Label: "l" }),
    ];
    const missing = world.protocol === "json" ? "exist." : "exist for this wsdl version.";
    const text = `The specified queue does not ${missing}`;
    await Promise.all(calls.map((call) => assertRefused(call, "AWS.SimpleQueueService.NonExistentQueue", text)));
  });
});
