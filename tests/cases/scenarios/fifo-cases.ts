// Reports from users about FIFO queues, each by its id.

import assert from "node:assert/strict";
import type { Message } from "@aws-sdk/client-sqs";
import { assertRefused, bodiesOf, scenarios } from "../../conformance/world.ts";

scenarios("fifo cases", (scenario) => {
  scenario("C001: sending into a FIFO group does not unlock it while a message is in flight", async (world) => {
    const queue = await world.fifo({ VisibilityTimeout: "20" });
    const receive = async () => {
      const poll = queue.receiveBodies({ WaitTimeSeconds: 1 });
      await world.untilReceiving(1);
      await world.advance(1);
      return poll;
    };
    await queue.sendTo("g1", "a1");
    const held = await queue.receiveOne({ MaxNumberOfMessages: 1 });
    assert.equal(held.Body, "a1");
    await queue.sendTo("g1", "a2");
    assert.deepEqual(await receive(), []);
    await queue.sendTo("g2", "b1");
    assert.deepEqual(await queue.receiveBodies({ WaitTimeSeconds: 1 }), ["b1"]);
    await queue.delete(held);
    assert.deepEqual(await queue.receiveBodies({ WaitTimeSeconds: 1 }), ["a2"]);
  });

  scenario("C003: two receivers polling at once never share one FIFO group", async (world) => {
    for (let round = 0; round < 20; round++) {
      const queue = await world.fifo({ ContentBasedDeduplication: "false", VisibilityTimeout: "30" });
      await queue.sendBatch(
        Array.from({ length: 10 }, (_, n) => ({
          Id: `e${n}`,
          MessageBody: `d${n}`,
          MessageGroupId: "g",
          MessageDeduplicationId: `d${n}`,
        })),
      );
      const poll = () => queue.receive({ MaxNumberOfMessages: 3, WaitTimeSeconds: 2 });
      const polls = [poll(), poll()];
      const first = await Promise.race(polls);
      await world.untilReceiving(1);
      await world.advance(2);
      const [one = [], two = []] = await Promise.all(polls);
      assert.deepEqual(bodiesOf(first), ["d0", "d1", "d2"]);
      assert.equal(one.length + two.length, 3);
      assert.ok(one.length === 0 || two.length === 0);
    }
  });

  scenario("C005: DeduplicationScope=messageGroup limits deduplication to one group", async (world) => {
    const scoped = await world.fifo({ DeduplicationScope: "messageGroup", FifoThroughputLimit: "perQueue" });
    const control = await world.fifo();
    for (const queue of [scoped, control]) {
      const north = await queue.sendTo("north", "ripple");
      const south = await queue.sendTo("south", "ripple");
      const again = await queue.sendTo("north", "ripple");
      assert.equal(south.MessageId === north.MessageId, queue === control);
      assert.equal(again.MessageId, north.MessageId);
    }
    assert.equal((await scoped.receive()).length, 2);
    assert.equal((await control.receive()).length, 1);
  });

  scenario("C006: a deleted FIFO message still deduplicates for five minutes and replays its ids", async (world) => {
    const queue = await world.fifo({ ContentBasedDeduplication: "false" });
    const first = await queue.sendTo("g", "first", { MessageDeduplicationId: "d1" });
    const received = await queue.receiveOne();
    assert.match(received.Attributes?.SequenceNumber ?? "", /^\d{20}$/);
    assert.equal(received.Attributes?.SequenceNumber, first.SequenceNumber);
    assert.equal(received.Attributes?.MessageGroupId, "g");
    assert.equal(received.Attributes?.MessageDeduplicationId, "d1");
    await queue.delete(received);
    const second = await queue.sendTo("g", "second", { MessageDeduplicationId: "d1" });
    assert.equal(second.MessageId, first.MessageId);
    assert.equal(second.SequenceNumber, first.SequenceNumber);
    const poll = queue.receive({ WaitTimeSeconds: 1 });
    await world.untilReceiving(1);
    await world.advance(1);
    assert.deepEqual(await poll, []);
    const third = await queue.sendTo("g", "third", { MessageDeduplicationId: "d2" });
    assert.deepEqual(await queue.receiveBodies(), ["third"]);
    assert.ok(BigInt(third.SequenceNumber ?? 0) > BigInt(first.SequenceNumber ?? 0));
  });

  scenario("C007: on FIFO a delay of 0 is accepted, any other refused, and the queue's delay wins", async (world) => {
    const queue = await world.fifo({ DelaySeconds: "0" });
    await queue.sendTo("g", "x", { DelaySeconds: 0 });
    assert.deepEqual(await queue.receiveBodies({ VisibilityTimeout: 0 }), ["x"]);
    const delayed = queue.sendTo("g", "y", { DelaySeconds: 5 });
    await assertRefused(delayed, "InvalidParameterValue", /not valid for this queue type/);
    const slow = await world.fifo({ DelaySeconds: "3" });
    await slow.sendTo("g", "z", { DelaySeconds: 0 });
    assert.deepEqual(await slow.receive({ WaitTimeSeconds: 0 }), []);
    await world.advance(4);
    assert.deepEqual(await slow.receiveBodies(), ["z"]);
  });

  scenario("C008: a delayed FIFO message does not block a visible one of its group", async (world) => {
    const queue = await world.fifo({ DelaySeconds: "4" });
    await queue.sendTo("G", "A");
    await world.advance(5);
    await queue.sendTo("G", "B");
    const messages = await queue.receive({ WaitTimeSeconds: 0 });
    assert.deepEqual(bodiesOf(messages), ["A"]);
    await queue.delete(messages[0] as Message);
    await world.advance(5);
    assert.deepEqual(await queue.receiveBodies(), ["B"]);
  });

  scenario("C009: deleting with an expired handle fails on FIFO and succeeds on standard", async (world) => {
    const fifo = await world.fifo({ VisibilityTimeout: "2" });
    await fifo.sendTo("g", "m");
    const late = await fifo.receiveOne();
    await world.advance(3);
    await assertRefused(fifo.delete(late), "InvalidParameterValue", /The receipt handle has expired/);
    await fifo.delete(await fifo.receiveOne());
    const standard = await world.queue({ VisibilityTimeout: "2" });
    await standard.send("m");
    const message = await standard.receiveOne();
    await world.advance(3);
    await standard.delete(message);
    assert.equal(await standard.counts(), "0/0/0");
    await fifo.sendTo("g", "extended");
    const extended = await fifo.receiveOne();
    await fifo.hide(extended, 10);
    await world.advance(4);
    await fifo.delete(extended);
    assert.equal(await fifo.counts(), "0/0/0");
  });

  scenario("C010: moving a FIFO message to its DLQ never asks for group or deduplication ids", async (world) => {
    const sink = await world.fifo({ ContentBasedDeduplication: "false" });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: sink.arn, maxReceiveCount: 1 });
    const source = await world.fifo({ VisibilityTimeout: "1", RedrivePolicy });
    const sent = await source.sendTo("g1", "silt");
    await source.receiveOne();
    await world.advance(2);
    assert.deepEqual(await source.receive(), []);
    const { MessageId, Attributes } = await sink.receiveOne();
    assert.equal(MessageId, sent.MessageId);
    assert.equal(Attributes?.MessageGroupId, "g1");
    assert.equal(
      Attributes?.MessageDeduplicationId,
      "fb3187ec695ce9f374f80c3641d7d08aa09530c2c97c40802de721f0485875a9",
    );
    await source.sendTo("g1", "silt2");
    assert.deepEqual(await source.receiveBodies(), ["silt2"]);
  });
});
