import assert from "node:assert/strict";
import { assertRefused, scenarios } from "../world.ts";

scenarios("visibility", (scenario) => {
  scenario("a new timeout counts from the call, longer or shorter", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "30" });
    await queue.send("m");
    const message = await queue.receiveOne();
    await world.advance(20);
    await queue.hide(message, 30);
    await world.advance(29);
    assert.equal(await queue.counts(), "0/1/0");
    await queue.hide(message, 5);
    await world.advance(4);
    assert.equal(await queue.counts(), "0/1/0");
    await world.advance(1);
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("a timeout of 0 makes the message visible at once and does not count", async (world) => {
    const queue = await world.queue();
    await queue.send("m");
    await queue.hide(await queue.receiveOne(), 0);
    assert.equal((await queue.receiveOne()).Attributes?.ApproximateReceiveCount, "2");
  });

  scenario("a changed timeout is not remembered for the next receive", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "5" });
    await queue.send("m");
    await queue.hide(await queue.receiveOne(), 100);
    await world.advance(100);
    await queue.receiveOne();
    await world.advance(5);
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("a timeout is needed and lies between 0 and 43200 seconds", async (world) => {
    const queue = await world.queue();
    await queue.send("m");
    const { ReceiptHandle } = await queue.receiveOne();
    for (const seconds of [-1, 43_201]) {
      const text = new RegExp(`^Value ${seconds} for parameter VisibilityTimeout is invalid\\.`);
      await assertRefused(queue.hide({ ReceiptHandle }, seconds), "InvalidParameterValue", text);
    }
    await assertRefused(
      world.sqs.changeMessageVisibility({ QueueUrl: queue.url, ReceiptHandle, VisibilityTimeout: undefined }),
      "MissingParameter",
      "The request must contain the parameter VisibilityTimeout.",
    );
    await queue.hide({ ReceiptHandle }, 43_200);
  });

  scenario("a message is hidden for twelve hours in all, counted anew from each receive", async (world) => {
    const queue = await world.queue();
    await queue.send("m");
    const message = await queue.receiveOne();
    await world.advance(10);
    const text =
      "Value 43191 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]";
    await assertRefused(queue.hide(message, 43_191), "InvalidParameterValue", text);
    await queue.hide(message, 43_190);
    await queue.hide(message, 0);
    await queue.hide(await queue.receiveOne(), 43_200);
  });

  scenario("the three counters hold each message once", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "5" });
    assert.equal(await queue.counts(), "0/0/0");
    await queue.send("a");
    await queue.send("b");
    await queue.send("c", { DelaySeconds: 10 });
    assert.equal(await queue.counts(), "2/0/1");
    await queue.receive({ MaxNumberOfMessages: 1 });
    assert.equal(await queue.counts(), "1/1/1");
    await world.advance(5);
    assert.equal(await queue.counts(), "2/0/1");
    await world.advance(5);
    assert.equal(await queue.counts(), "3/0/0");
  });
});
