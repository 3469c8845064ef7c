import assert from "node:assert/strict";
import { assertRefused, scenarios } from "../world.ts";

scenarios("receive", (scenario) => {
  scenario("an empty receive has no list of messages", async (world) => {
    const queue = await world.queue();
    assert.deepEqual(await world.sqs.receiveMessage({ QueueUrl: queue.url }), {});
    assert.deepEqual(await world.sqs.receiveMessage({ QueueUrl: queue.url, WaitTimeSeconds: 0 }), {});
  });

  scenario("one message comes unless more are asked for, ten at most", async (world) => {
    const queue = await world.queue();
    for (let n = 0; n < 12; n++) await queue.send(`m${n}`);
    const { Messages: one = [] } = await world.sqs.receiveMessage({ QueueUrl: queue.url });
    assert.equal(one.length, 1);
    const ten = await queue.receiveBodies();
    assert.equal(ten.length, 10);
    const last = await queue.receiveBodies();
    assert.equal(new Set([...one.map(({ Body }) => Body), ...ten, ...last]).size, 12);
  });

  scenario("the number of messages is 1 to 10", async (world) => {
    const queue = await world.queue();
    for (const MaxNumberOfMessages of [0, 11, -1, 9999]) {
      const text = `Value ${MaxNumberOfMessages} for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.`;
      await assertRefused(queue.receive({ MaxNumberOfMessages }), "InvalidParameterValue", text);
    }
  });

  scenario("the waiting time is 0 to 20 seconds", async (world) => {
    const queue = await world.queue();
    for (const WaitTimeSeconds of [-1, 21]) {
      const text = `Value ${WaitTimeSeconds} for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided.`;
      await assertRefused(queue.receive({ WaitTimeSeconds }), "InvalidParameterValue", text);
    }
  });

  scenario("the visibility timeout is 0 to 43200 seconds", async (world) => {
    const queue = await world.queue();
    for (const VisibilityTimeout of [-1, 43_201]) {
      const text = `Value ${VisibilityTimeout} for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided.`;
      await assertRefused(queue.receive({ VisibilityTimeout }), "InvalidParameterValue", text);
    }
    await queue.send("m");
    await queue.receiveOne({ VisibilityTimeout: 43_200 });
    await world.advance(43_199);
    assert.equal(await queue.counts(), "0/1/0");
    await world.advance(1);
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("a receive hides a message for the queue's visibility timeout and counts", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "10" });
    await queue.send("m");
    const first = await queue.receiveOne();
    assert.deepEqual(await queue.receive(), []);
    await world.advance(9.999);
    assert.deepEqual(await queue.receive(), []);
    await world.advance(0.001);
    const second = await queue.receiveOne();
    assert.equal(second.Attributes?.ApproximateReceiveCount, "2");
    assert.notEqual(second.ReceiptHandle, first.ReceiptHandle);
  });

  scenario("a visibility timeout of 0 hands out a message and leaves it there, counted", async (world) => {
    const queue = await world.queue();
    await queue.send("a");
    await queue.send("b");
    const messages = await queue.receive({ VisibilityTimeout: 0 });
    assert.equal(new Set(messages.map(({ MessageId }) => MessageId)).size, 2);
    assert.equal(await queue.counts(), "2/0/0");
    const again = await queue.receive({ VisibilityTimeout: 0, MessageSystemAttributeNames: ["All"] });
    assert.deepEqual(
      again.map(({ Attributes }) => Attributes?.ApproximateReceiveCount),
      ["2", "2"],
    );
  });

  scenario("an attempt id is ignored on a standard queue", async (world) => {
    const queue = await world.queue();
    await queue.send("m");
    assert.deepEqual(await queue.receiveBodies({ ReceiveRequestAttemptId: "again" }), ["m"]);
    assert.deepEqual(await queue.receiveBodies({ ReceiveRequestAttemptId: "again" }), []);
  });

  scenario("a message that was received three times goes behind the others when it returns", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "1" });
    await queue.send("stubborn");
    for (let n = 0; n < 2; n++) {
      await queue.receiveOne();
      await world.advance(1);
    }
    await queue.receiveOne();
    await queue.send("fresh");
    await world.advance(1);
    assert.deepEqual(await queue.receiveBodies(), ["fresh", "stubborn"]);
  });

  scenario("messages that were never received come in the order they were sent", async (world) => {
    const queue = await world.queue();
    const bodies = Array.from({ length: 5 }, (_, n) => `m${n}`);
    for (const body of bodies) await queue.send(body);
    assert.deepEqual(await queue.receiveBodies(), bodies);
  });
});
