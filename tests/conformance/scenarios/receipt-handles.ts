import assert from "node:assert/strict";
import { assertRefused, scenarios } from "../world.ts";

const GONE = "Message does not exist or is not available for visibility timeout change.";

function invalid(handle: string): string {
  return `The input receipt handle "${handle}" is not a valid receipt handle.`;
}

scenarios("receipt handles", (scenario) => {
  scenario("a handle that is none is refused", async (world) => {
    const queue = await world.queue();
    const genuine = async () => {
      await queue.send("m");
      return (await queue.receiveOne()).ReceiptHandle;
    };
    const whole = await genuine();
    const changed = `${whole.slice(0, 9)}${whole[9] === "A" ? "B" : "A"}${whole.slice(10)}`;
    for (const ReceiptHandle of [
      "garbage",
      "AQEB",
      "a b <c> &",
      "é".repeat(300),
      "x".repeat(2000),
      changed,
      whole.slice(0, -4),
      `${whole}A`,
      ` ${whole}`,
    ]) {
      const handle = { ReceiptHandle };
      await assertRefused(queue.delete(handle), "ReceiptHandleIsInvalid", invalid(ReceiptHandle), 404);
      await assertRefused(queue.hide(handle, 1), "ReceiptHandleIsInvalid", invalid(ReceiptHandle), 404);
    }
  });

  scenario("a handle of another queue is refused", async (world) => {
    const mine = await world.queue();
    const other = await world.queue();
    await mine.send("m");
    const message = await mine.receiveOne();
    await assertRefused(other.delete(message), "ReceiptHandleIsInvalid", undefined, 404);
    await assertRefused(other.hide(message, 1), "ReceiptHandleIsInvalid", undefined, 404);
    await mine.delete(message);
  });

  scenario("an absent or empty handle is a missing parameter", async (world) => {
    const queue = await world.queue();
    const text = "The request must contain the parameter ReceiptHandle.";
    for (const ReceiptHandle of ["", undefined]) {
      await assertRefused(queue.delete({ ReceiptHandle }), "MissingParameter", text);
      await assertRefused(queue.hide({ ReceiptHandle }, 1), "MissingParameter", text);
    }
  });

  scenario("on a standard queue an older handle still deletes the message", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "1" });
    await queue.send("m");
    const older = await queue.receiveOne();
    await world.advance(1);
    await queue.receiveOne({ VisibilityTimeout: 100 });
    await queue.delete(older);
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("on a standard queue an older handle still makes the message visible", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "1" });
    await queue.send("m");
    const older = await queue.receiveOne();
    await world.advance(1);
    await queue.receiveOne({ VisibilityTimeout: 100 });
    await queue.hide(older, 0);
    assert.equal((await queue.receiveOne()).Attributes?.ApproximateReceiveCount, "3");
  });

  scenario("on a standard queue a handle works after its timeout", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "1" });
    await queue.send("hidden anew");
    const hidden = await queue.receiveOne();
    await world.advance(2);
    await queue.hide(hidden, 10);
    assert.equal(await queue.counts(), "0/1/0");
    await world.advance(10);
    assert.equal(await queue.counts(), "1/0/0");
    await queue.delete(hidden);
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("on a FIFO queue a handle expires with its timeout", async (world) => {
    const queue = await world.fifo({ VisibilityTimeout: "1" });
    await queue.sendTo("g", "m");
    const late = await queue.receiveOne();
    await world.advance(1);
    const text = `Value ${late.ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`;
    await assertRefused(queue.delete(late), "InvalidParameterValue", text);
    await assertRefused(queue.hide(late, 1), "InvalidParameterValue", text);
    const current = await queue.receiveOne();
    await assertRefused(queue.delete(late), "InvalidParameterValue", text);
    await queue.delete(current);
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("on a FIFO queue an extended handle lives as long as the extension", async (world) => {
    const queue = await world.fifo({ VisibilityTimeout: "1" });
    await queue.sendTo("g", "m");
    const message = await queue.receiveOne();
    await queue.hide(message, 10);
    await world.advance(9);
    await queue.delete(message);
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("deleting twice succeeds, on both kinds of queue", async (world) => {
    for (const queue of [await world.queue(), await world.fifo()]) {
      const group = queue.name.endsWith(".fifo") ? { MessageGroupId: "g" } : {};
      await queue.send("m", group);
      const message = await queue.receiveOne();
      await queue.delete(message);
      await queue.delete(message);
      await queue.send("n", group);
      await queue.delete(message);
      assert.equal(await queue.counts(), "1/0/0");
    }
  });

  scenario("the visibility of a deleted message cannot be changed, on both kinds of queue", async (world) => {
    for (const queue of [await world.queue(), await world.fifo()]) {
      await queue.send("m", queue.name.endsWith(".fifo") ? { MessageGroupId: "g" } : {});
      const message = await queue.receiveOne();
      await queue.delete(message);
      const text = `Value ${message.ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: ${GONE}`;
      await assertRefused(queue.hide(message, 10), "InvalidParameterValue", text);
      await assertRefused(queue.hide(message, 0), "InvalidParameterValue", text);
    }
  });
});
