import assert from "node:assert/strict";
import { bodiesOf, scenarios } from "../world.ts";

scenarios("long poll", (scenario) => {
  scenario("a long poll ends empty when its time is over", async (world) => {
    const queue = await world.queue();
    let hasEnded = false;
    const poll = queue.receive({ WaitTimeSeconds: 20 }).finally(() => {
      hasEnded = true;
    });
    await world.untilReceiving(1);
    await world.advance(19.999);
    assert.equal(hasEnded, false);
    await world.advance(0.001);
    assert.deepEqual(await poll, []);
  });

  scenario("a long poll answers at once when there is a message, and does not wait for ten", async (world) => {
    const queue = await world.queue();
    await queue.send("m");
    assert.deepEqual(await queue.receiveBodies({ WaitTimeSeconds: 20 }), ["m"]);
  });

  scenario("a long poll wakes for a send", async (world) => {
    const queue = await world.queue();
    const poll = queue.receiveBodies({ WaitTimeSeconds: 20 });
    await world.untilReceiving(1);
    await queue.send("m");
    assert.deepEqual(await poll, ["m"]);
  });

  scenario("a long poll wakes when a delay ends", async (world) => {
    const queue = await world.queue();
    await queue.send("m", { DelaySeconds: 5 });
    const poll = queue.receiveBodies({ WaitTimeSeconds: 20 });
    await world.untilReceiving(1);
    await world.advance(5);
    assert.deepEqual(await poll, ["m"]);
  });

  scenario("a long poll wakes when a visibility timeout ends", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "5" });
    await queue.send("m");
    await queue.receiveOne();
    const poll = queue.receiveBodies({ WaitTimeSeconds: 20 });
    await world.untilReceiving(1);
    await world.advance(5);
    assert.deepEqual(await poll, ["m"]);
  });

  scenario("a long poll wakes when a message is made visible", async (world) => {
    const queue = await world.queue();
    await queue.send("m");
    const message = await queue.receiveOne();
    const poll = queue.receiveBodies({ WaitTimeSeconds: 20 });
    await world.untilReceiving(1);
    await queue.hide(message, 0);
    assert.deepEqual(await poll, ["m"]);
  });

  scenario("a long poll on a FIFO queue wakes when the group is unlocked", async (world) => {
    const queue = await world.fifo();
    await queue.sendTo("g", "1");
    const first = await queue.receiveOne({ MaxNumberOfMessages: 1 });
    await queue.sendTo("g", "2");
    const poll = queue.receiveBodies({ WaitTimeSeconds: 20 });
    await world.untilReceiving(1);
    await queue.delete(first);
    assert.deepEqual(await poll, ["2"]);
  });

  scenario("a long poll on a dead-letter queue wakes for a message that is moved there", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    await source.send("m");
    await source.receiveOne();
    await world.advance(1);
    const poll = dlq.receiveBodies({ WaitTimeSeconds: 20 });
    await world.untilReceiving(1);
    assert.deepEqual(await source.receive(), []);
    assert.deepEqual(await poll, ["m"]);
  });

  scenario("a long poll wakes for a message that is moved back from the dead-letter queue", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    await source.send("m");
    await source.receiveOne();
    await world.advance(1);
    assert.deepEqual(await source.receive(), []);
    const poll = source.receiveBodies({ WaitTimeSeconds: 20 });
    await world.untilReceiving(1);
    await world.sqs.startMessageMoveTask({ SourceArn: dlq.arn });
    assert.deepEqual(await poll, ["m"]);
  });

  scenario("a waiting receive moves a spent message to the dead-letter queue", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1);
    await source.send("m");
    await source.receiveOne();
    const poll = source.receiveBodies({ WaitTimeSeconds: 2 });
    await world.untilReceiving(1);
    await world.advance(1);
    assert.deepEqual(await dlq.receiveBodies(), ["m"]);
    await world.advance(1);
    assert.deepEqual(await poll, []);
  });

  scenario("a wait of its own, also of 0, beats the queue's", async (world) => {
    const queue = await world.queue({ ReceiveMessageWaitTimeSeconds: "10" });
    assert.deepEqual(await queue.receive({ WaitTimeSeconds: 0 }), []);
    const byDefault = queue.receiveBodies();
    await world.untilReceiving(1);
    const longer = queue.receiveBodies({ WaitTimeSeconds: 20 });
    await world.untilReceiving(2);
    await world.advance(10);
    assert.deepEqual(await byDefault, []);
    await queue.send("m");
    assert.deepEqual(await longer, ["m"]);
  });

  scenario("each message goes to one of the receives that wait, the first one first", async (world) => {
    const queue = await world.queue();
    const first = queue.receive({ WaitTimeSeconds: 20, MaxNumberOfMessages: 1 });
    await world.untilReceiving(1);
    const second = queue.receive({ WaitTimeSeconds: 20 });
    await world.untilReceiving(2);
    await queue.send("a");
    assert.deepEqual(bodiesOf(await first), ["a"]);
    await queue.send("b");
    assert.deepEqual(bodiesOf(await second), ["b"]);
  });

  scenario("a receive that waits outlives a purge and a change of attributes", async (world) => {
    const queue = await world.queue();
    const poll = queue.receiveBodies({ WaitTimeSeconds: 20 });
    await world.untilReceiving(1);
    await world.sqs.purgeQueue({ QueueUrl: queue.url });
    await queue.set({ VisibilityTimeout: "7" });
    await queue.send("m");
    assert.deepEqual(await poll, ["m"]);
    await world.advance(7);
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("a receive that waits on a deleted queue ends", async (world) => {
    const queue = await world.queue();
    const poll = queue.receive({ WaitTimeSeconds: 20 }).then(
      () => "empty",
      ({ code }) => code,
    );
    await world.untilReceiving(1);
    await world.sqs.deleteQueue({ QueueUrl: queue.url });
    assert.ok(["empty", "AWS.SimpleQueueService.NonExistentQueue"].includes(await poll));
  });
});
