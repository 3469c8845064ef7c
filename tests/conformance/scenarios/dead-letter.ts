import assert from "node:assert/strict";
import type { ScenarioQueue } from "../scenario-queue.ts";
import type { World } from "../world.ts";
import { scenarios } from "../world.ts";

/** Receives until the source is empty, a visibility timeout apart. */
async function spend(world: World, source: ScenarioQueue, receives: number): Promise<void> {
  for (let n = 0; n < receives; n++) {
    await source.receiveOne();
    await world.advance(1);
  }
  assert.deepEqual(await source.receive(), []);
}

scenarios("dead letter", (scenario) => {
  scenario("the receive after the last allowed one moves the message", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    await source.send("m");
    await source.receiveOne();
    await world.advance(60);
    assert.equal(await source.counts(), "1/0/0");
    assert.equal(await dlq.counts(), "0/0/0");
    assert.deepEqual(await source.receive(), []);
    assert.equal(await source.counts(), "0/0/0");
    assert.equal(await dlq.counts(), "1/0/0");
  });

  scenario("a message is delivered as often as the policy says", async (world) => {
    const { source, dlq } = await world.withDeadLetters(3);
    await source.send("m");
    await spend(world, source, 3);
    assert.equal((await dlq.receiveOne()).Attributes?.ApproximateReceiveCount, "4");
  });

  scenario("a moved message keeps what it was and tells where it came from", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    const MessageAttributes = { Foo: { DataType: "String", StringValue: "Bar" } };
    const sent = await source.send("m", { MessageAttributes, MessageGroupId: "tenant" });
    const before = await source.receiveOne();
    await world.advance(1);
    assert.deepEqual(await source.receive(), []);
    const after = await dlq.receiveOne();
    assert.equal(after.MessageId, sent.MessageId);
    assert.equal(after.Body, "m");
    assert.deepEqual(after.MessageAttributes, before.MessageAttributes);
    assert.equal(after.MD5OfMessageAttributes, before.MD5OfMessageAttributes);
    assert.notEqual(after.ReceiptHandle, before.ReceiptHandle);
    assert.deepEqual(
      { ...after.Attributes },
      { ...before.Attributes, ApproximateReceiveCount: "2", DeadLetterQueueSourceArn: source.arn },
    );
  });

  scenario("a message sent straight to the dead-letter queue has no source", async (world) => {
    const { dlq } = await world.withDeadLetters(1);
    await dlq.send("m");
    assert.equal((await dlq.receiveOne()).Attributes?.DeadLetterQueueSourceArn, undefined);
  });

  scenario("one receive moves the spent messages and hands out the others", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    for (const body of ["a", "b"]) await source.send(body);
    assert.equal((await source.receive()).length, 2);
    await world.advance(1);
    await source.send("fresh");
    assert.deepEqual(await source.receiveBodies(), ["fresh"]);
    assert.deepEqual((await dlq.receiveBodies()).sort(), ["a", "b"]);
  });

  scenario("a receive with a timeout of 0 counts towards the limit", async (world) => {
    const { source, dlq } = await world.withDeadLetters(2);
    await source.send("m");
    await source.receiveOne({ VisibilityTimeout: 0 });
    await source.receiveOne({ VisibilityTimeout: 0 });
    assert.deepEqual(await source.receive(), []);
    assert.deepEqual(await dlq.receiveBodies(), ["m"]);
  });

  scenario("a policy that is set later counts earlier receives, and without one nothing moves", async (world) => {
    const source = await world.queue({ VisibilityTimeout: "1" });
    const dlq = await world.queue();
    await source.send("m");
    for (let n = 0; n < 3; n++) {
      await source.receiveOne();
      await world.advance(1);
    }
    await source.set({ RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dlq.arn, maxReceiveCount: 3 }) });
    await source.set({ RedrivePolicy: "" });
    await source.receiveOne();
    await world.advance(1);
    await source.set({ RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dlq.arn, maxReceiveCount: 3 }) });
    assert.deepEqual(await source.receive(), []);
    assert.equal((await dlq.receiveOne()).Attributes?.ApproximateReceiveCount, "5");
  });

  scenario("FIFO messages of a group reach the dead-letter queue in their order", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1, { FifoQueue: "true" });
    for (const body of ["1", "2", "3"]) await source.sendTo("g", body);
    assert.equal((await source.receive()).length, 3);
    await world.advance(1);
    assert.deepEqual(await source.receive(), []);
    assert.deepEqual(await dlq.receiveBodies(), ["1", "2", "3"]);
  });

  scenario("a message that is deleted after its last delivery does not move", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    await source.send("m");
    await source.delete(await source.receiveOne());
    await world.advance(1);
    assert.deepEqual(await source.receive(), []);
    assert.equal(await dlq.counts(), "0/0/0");
  });

  scenario("a standard message's retention goes on from its first send", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    await dlq.set({ MessageRetentionPeriod: "120" });
    await source.send("m");
    await world.advance(100);
    await spend(world, source, 1);
    assert.equal(await dlq.counts(), "1/0/0");
    await world.advance(19);
    assert.equal(await dlq.counts(), "0/0/0");
  });

  scenario("a FIFO message's retention begins anew with the move", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1, { FifoQueue: "true" });
    await dlq.set({ MessageRetentionPeriod: "120" });
    await source.sendTo("g", "m");
    await world.advance(100);
    await spend(world, source, 1);
    await world.advance(119);
    assert.equal(await dlq.counts(), "1/0/0");
    await world.advance(1);
    assert.equal(await dlq.counts(), "0/0/0");
  });

  scenario("moving a group's head frees the group, in the same receive", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1, { FifoQueue: "true" });
    for (const body of ["1", "2"]) await source.sendTo("g", body);
    await source.receiveOne({ MaxNumberOfMessages: 1 });
    await world.advance(1);
    assert.deepEqual(await source.receiveBodies(), ["2"]);
    const { Body, Attributes } = await dlq.receiveOne();
    assert.equal(Body, "1");
    assert.equal(Attributes?.MessageGroupId, "g");
    assert.equal(Attributes?.DeadLetterQueueSourceArn, source.arn);
  });

  scenario("equal ids of two FIFO sources do not collide in their dead-letter queue", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1, { FifoQueue: "true" });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dlq.arn, maxReceiveCount: 1 });
    const second = await world.fifo({ VisibilityTimeout: "1", RedrivePolicy });
    for (const queue of [source, second]) {
      await queue.sendTo("g", "m", { MessageDeduplicationId: "same" });
      await spend(world, queue, 1);
    }
    assert.equal(await dlq.counts(), "2/0/0");
  });

  scenario("a dead-letter queue may have one of its own", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    const last = await world.queue();
    await dlq.set({
      VisibilityTimeout: "1",
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: last.arn, maxReceiveCount: 3 }),
    });
    await source.send("m");
    await spend(world, source, 1);
    await dlq.receiveOne();
    await world.advance(1);
    await dlq.receiveOne();
    await world.advance(1);
    assert.deepEqual(await dlq.receive(), []);
    assert.equal((await last.receiveOne()).Attributes?.DeadLetterQueueSourceArn, dlq.arn);
  });

  scenario("without its dead-letter queue a spent message stays and nothing is lost", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    await source.send("m");
    await world.sqs.deleteQueue({ QueueUrl: dlq.url });
    await source.receiveOne();
    await world.advance(1);
    await source.receive();
    const counts = (await source.counts()).split("/").map(Number);
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      1,
    );
  });
});
