import assert from "node:assert/strict";
import type { Message } from "@aws-sdk/client-sqs";
import { assertRefused, scenarios } from "../world.ts";

function handlesOf(messages: Message[]): (string | undefined)[] {
  return messages.map(({ ReceiptHandle }) => ReceiptHandle);
}

scenarios("receive attempts", (scenario) => {
  scenario("a repeated attempt gets the same messages and handles, hidden anew", async (world) => {
    const queue = await world.fifo({ VisibilityTimeout: "30" });
    for (const body of ["1", "2"]) await queue.sendTo("g", body);
    const first = await queue.receive({ ReceiveRequestAttemptId: "try" });
    await world.advance(20);
    const again = await queue.receive({ ReceiveRequestAttemptId: "try", MessageSystemAttributeNames: ["All"] });
    assert.equal(again.length, 2);
    assert.deepEqual(handlesOf(again), handlesOf(first));
    assert.equal(again[0]?.Attributes?.ApproximateReceiveCount, "1");
    await world.advance(20);
    assert.equal(await queue.counts(), "0/2/0");
    for (const message of first) await queue.delete(message);
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("another attempt does not see the groups of the first", async (world) => {
    const queue = await world.fifo();
    await queue.sendTo("g", "1");
    await queue.receive({ ReceiveRequestAttemptId: "one" });
    await queue.sendTo("g", "2");
    await queue.sendTo("h", "3");
    assert.deepEqual(await queue.receiveBodies({ ReceiveRequestAttemptId: "two" }), ["3"]);
  });

  scenario("an attempt whose messages were deleted or made visible is a new receive", async (world) => {
    const queue = await world.fifo();
    for (const body of ["1", "2"]) await queue.sendTo("g", body);
    const [one, two] = await queue.receive({ ReceiveRequestAttemptId: "try" });
    await queue.delete(one as Message);
    assert.deepEqual(await queue.receive({ ReceiveRequestAttemptId: "try" }), []);
    await queue.hide(two as Message, 0);
    const [again] = await queue.receive({ ReceiveRequestAttemptId: "try" });
    assert.equal(again?.Body, "2");
    assert.notEqual(again?.ReceiptHandle, two?.ReceiptHandle);
  });

  scenario("an attempt whose messages expired is a new receive", async (world) => {
    const queue = await world.fifo({ VisibilityTimeout: "5" });
    await queue.sendTo("g", "1");
    const first = await queue.receive({ ReceiveRequestAttemptId: "try" });
    await world.advance(5);
    const second = await queue.receive({ ReceiveRequestAttemptId: "try", MessageSystemAttributeNames: ["All"] });
    assert.notDeepEqual(handlesOf(second), handlesOf(first));
    assert.equal(second[0]?.Attributes?.ApproximateReceiveCount, "2");
  });

  scenario("an attempt is remembered for five minutes", async (world) => {
    const queue = await world.fifo({ VisibilityTimeout: "600" });
    await queue.sendTo("g", "1");
    const first = await queue.receive({ ReceiveRequestAttemptId: "try" });
    await world.advance(299);
    assert.deepEqual(handlesOf(await queue.receive({ ReceiveRequestAttemptId: "try" })), handlesOf(first));
    await world.advance(1);
    assert.deepEqual(await queue.receive({ ReceiveRequestAttemptId: "try" }), []);
  });

  scenario("an attempt id has 1 to 128 letters, digits and punctuation characters", async (world) => {
    const queue = await world.fifo();
    for (const ReceiveRequestAttemptId of ["has space", "x".repeat(129), "ü"]) {
      await assertRefused(queue.receive({ ReceiveRequestAttemptId }), "InvalidParameterValue");
    }
    assert.deepEqual(await queue.receive({ ReceiveRequestAttemptId: "x".repeat(128) }), []);
  });
});
