import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { scenarios } from "../world.ts";

const WINDOW_SECONDS = 300;

scenarios("fifo deduplication", (scenario) => {
  scenario("a repeat within five minutes is answered like the first send and adds nothing", async (world) => {
    const queue = await world.fifo();
    const first = await queue.sendTo("g", "first", { MessageDeduplicationId: "d" });
    await world.advance(WINDOW_SECONDS - 1);
    const again = await queue.sendTo("g", "second", { MessageDeduplicationId: "d" });
    assert.equal(again.MessageId, first.MessageId);
    assert.equal(await queue.counts(), "1/0/0");
    assert.deepEqual(await queue.receiveBodies(), ["first"]);
  });

  scenario("after five minutes the same id is a new message, and repeats do not lengthen that", async (world) => {
    const queue = await world.fifo();
    const first = await queue.sendTo("g", "m");
    await world.advance(WINDOW_SECONDS - 1);
    await queue.sendTo("g", "m");
    await world.advance(1);
    assert.notEqual((await queue.sendTo("g", "m")).MessageId, first.MessageId);
    assert.equal(await queue.counts(), "2/0/0");
  });

  scenario("a message that was received and deleted still deduplicates", async (world) => {
    const queue = await world.fifo();
    const first = await queue.sendTo("g", "m");
    await queue.delete(await queue.receiveOne());
    assert.equal((await queue.sendTo("g", "m")).MessageId, first.MessageId);
    assert.deepEqual(await queue.receive(), []);
  });

  scenario("a purge forgets what was sent", async (world) => {
    const queue = await world.fifo();
    await queue.sendTo("g", "m");
    await world.sqs.purgeQueue({ QueueUrl: queue.url });
    await queue.sendTo("g", "m");
    assert.deepEqual(await queue.receiveBodies(), ["m"]);
  });

  scenario("by default an id counts for the whole queue", async (world) => {
    const queue = await world.fifo();
    const first = await queue.sendTo("north", "m");
    assert.equal((await queue.sendTo("south", "m")).MessageId, first.MessageId);
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("with the message group as scope an id counts for its group", async (world) => {
    for (const FifoThroughputLimit of ["perQueue", "perMessageGroupId"]) {
      const queue = await world.fifo({ DeduplicationScope: "messageGroup", FifoThroughputLimit });
      const first = await queue.sendTo("north", "m");
      assert.notEqual((await queue.sendTo("south", "m")).MessageId, first.MessageId);
      assert.equal((await queue.sendTo("north", "m")).MessageId, first.MessageId);
      assert.equal(await queue.counts(), "2/0/0");
    }
  });

  scenario("content is the body alone, attributes do not count", async (world) => {
    const queue = await world.fifo();
    const first = await queue.sendTo("g", "m");
    const MessageAttributes = { a: { DataType: "String", StringValue: "v" } };
    assert.equal((await queue.sendTo("g", "m", { MessageAttributes })).MessageId, first.MessageId);
    assert.notEqual((await queue.sendTo("g", "n")).MessageId, first.MessageId);
  });

  scenario("an explicit id overrides the content, and may collide with its hash", async (world) => {
    const queue = await world.fifo();
    const first = await queue.sendTo("g", "m");
    const other = await queue.sendTo("g", "m", { MessageDeduplicationId: "other" });
    assert.notEqual(other.MessageId, first.MessageId);
    const MessageDeduplicationId = createHash("sha256").update("m").digest("hex");
    assert.equal((await queue.sendTo("g", "n", { MessageDeduplicationId })).MessageId, first.MessageId);
    assert.equal(await queue.counts(), "2/0/0");
  });

  scenario("repeats within one batch are found as well", async (world) => {
    const queue = await world.fifo();
    const { Successful = [] } = await queue.sendBatch(
      ["a", "b"].map((Id) => ({ Id, MessageBody: "m", MessageGroupId: "g" })),
    );
    assert.equal(Successful.length, 2);
    assert.equal(Successful[0]?.MessageId, Successful[1]?.MessageId);
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("deduplication by content can be turned on and off", async (world) => {
    const queue = await world.fifo({ ContentBasedDeduplication: "false" });
    await assert.rejects(queue.sendTo("g", "m"), { code: "InvalidParameterValue" });
    await queue.set({ ContentBasedDeduplication: "true" });
    const first = await queue.sendTo("g", "m");
    assert.equal((await queue.sendTo("g", "m")).MessageId, first.MessageId);
    await queue.set({ ContentBasedDeduplication: "false" });
    await assert.rejects(queue.sendTo("g", "m"), { code: "InvalidParameterValue" });
  });

  scenario("a refused send is not remembered", async (world) => {
    const queue = await world.fifo({ MaximumMessageSize: "1024" });
    const MessageDeduplicationId = "d";
    await assert.rejects(queue.sendTo("g", "x".repeat(1025), { MessageDeduplicationId }));
    await queue.sendTo("g", "short", { MessageDeduplicationId });
    assert.deepEqual(await queue.receiveBodies(), ["short"]);
  });

  scenario("a repeat of a delayed message stays a repeat", async (world) => {
    const queue = await world.fifo({ DelaySeconds: "10" });
    await queue.sendTo("g", "m");
    await world.advance(5);
    await queue.sendTo("g", "m");
    assert.equal(await queue.counts(), "0/0/1");
    await world.advance(5);
    assert.equal(await queue.counts(), "1/0/0");
  });
});
