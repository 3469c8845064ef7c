import assert from "node:assert/strict";
import type { Message } from "@aws-sdk/client-sqs";
import { bodiesOf, scenarios } from "../world.ts";

scenarios("fifo order", (scenario) => {
  scenario("a receive takes as much as possible of one group before the next", async (world) => {
    const queue = await world.fifo();
    for (const [group, body] of [
      ["g1", "g1-m1"],
      ["g2", "g2-m1"],
      ["g1", "g1-m2"],
      ["g1", "g1-m3"],
    ] as const) {
      await queue.sendTo(group, body);
    }
    assert.deepEqual(await queue.receiveBodies(), ["g1-m1", "g1-m2", "g1-m3", "g2-m1"]);
  });

  scenario(
    "one message at a time comes from one group, then from the other while the first is locked",
    async (world) => {
      const queue = await world.fifo();
      for (const body of ["a1", "b1", "a2", "b2"]) await queue.sendTo(body.slice(0, 1), body);
      assert.deepEqual(await queue.receiveBodies({ MaxNumberOfMessages: 1 }), ["a1"]);
      assert.deepEqual(await queue.receiveBodies({ MaxNumberOfMessages: 1 }), ["b1"]);
      assert.deepEqual(await queue.receiveBodies({ MaxNumberOfMessages: 1 }), []);
    },
  );

  scenario("a group whose messages came back is behind the groups that wait", async (world) => {
    const queue = await world.fifo();
    for (const body of ["a1", "b1", "b2", "c1", "a2"]) await queue.sendTo(body.slice(0, 1), body);
    const some = { MaxNumberOfMessages: 3, VisibilityTimeout: 0 };
    assert.deepEqual(await queue.receiveBodies(some), ["a1", "a2", "b1"]);
    assert.deepEqual(await queue.receiveBodies({ VisibilityTimeout: 0 }), ["c1", "a1", "a2", "b1", "b2"]);
  });

  scenario("a group is locked while any of its messages is in flight", async (world) => {
    const queue = await world.fifo();
    for (const body of ["1", "2", "3"]) await queue.sendTo("g", body);
    const [one, two] = await queue.receive({ MaxNumberOfMessages: 2 });
    await queue.sendTo("g", "4");
    assert.deepEqual(await queue.receive(), []);
    await queue.delete(one as Message);
    assert.deepEqual(await queue.receive(), []);
    await queue.delete(two as Message);
    assert.deepEqual(await queue.receiveBodies(), ["3", "4"]);
  });

  scenario("deleting a later message first keeps the group locked by the earlier one", async (world) => {
    const queue = await world.fifo();
    for (const body of ["1", "2", "3"]) await queue.sendTo("g", body);
    const [one, two] = await queue.receive({ MaxNumberOfMessages: 2 });
    await queue.delete(two as Message);
    assert.deepEqual(await queue.receive(), []);
    await queue.hide(one as Message, 0);
    assert.deepEqual(await queue.receiveBodies(), ["1", "3"]);
  });

  scenario("messages come back in their order when the timeout ends", async (world) => {
    const queue = await world.fifo({ VisibilityTimeout: "5" });
    for (const body of ["1", "2", "3"]) await queue.sendTo("g", body);
    await queue.receive();
    await world.advance(5);
    assert.deepEqual(await queue.receiveBodies(), ["1", "2", "3"]);
  });

  scenario("messages made visible one by one come back in their order", async (world) => {
    const queue = await world.fifo();
    for (const body of ["1", "2", "3"]) await queue.sendTo("g", body);
    for (const message of (await queue.receive()).toReversed()) await queue.hide(message, 0);
    assert.deepEqual(await queue.receiveBodies(), ["1", "2", "3"]);
  });

  scenario("a message made visible early is received again although later ones are held", async (world) => {
    const queue = await world.fifo();
    for (const body of ["1", "2", "3"]) await queue.sendTo("g", body);
    const [first] = await queue.receive();
    await queue.hide(first as Message, 0);
    assert.deepEqual(await queue.receiveBodies(), ["1"]);
    assert.deepEqual(await queue.receive(), []);
  });

  scenario("extending a message hides those behind it too, earlier ones return", async (world) => {
    const queue = await world.fifo({ VisibilityTimeout: "5" });
    for (const body of ["1", "2", "3"]) await queue.sendTo("g", body);
    const messages = await queue.receive();
    await queue.hide(messages[1] as Message, 30);
    await world.advance(5);
    assert.deepEqual(bodiesOf(await queue.receive({ VisibilityTimeout: 40 })), ["1"]);
    await world.advance(25);
    assert.deepEqual(await queue.receive(), []);
    await world.advance(15);
    assert.deepEqual(await queue.receiveBodies(), ["1", "2", "3"]);
  });

  scenario("a receive with a timeout of 0 leaves the group unlocked", async (world) => {
    const queue = await world.fifo();
    for (const body of ["1", "2"]) await queue.sendTo("g", body);
    assert.deepEqual(await queue.receiveBodies({ VisibilityTimeout: 0, MaxNumberOfMessages: 1 }), ["1"]);
    assert.deepEqual(await queue.receiveBodies(), ["1", "2"]);
  });

  scenario("messages that wait behind a lock still count as visible", async (world) => {
    const queue = await world.fifo();
    for (const body of ["1", "2", "3"]) await queue.sendTo("g", body);
    await queue.receive({ MaxNumberOfMessages: 1 });
    assert.equal(await queue.counts(), "2/1/0");
  });

  scenario("the queue's delay holds each message, in order", async (world) => {
    const queue = await world.fifo({ DelaySeconds: "5" });
    await queue.sendTo("g", "1");
    await world.advance(3);
    await queue.sendTo("g", "2");
    await world.advance(2);
    assert.deepEqual(await queue.receiveBodies({ VisibilityTimeout: 0 }), ["1"]);
    await world.advance(3);
    assert.deepEqual(await queue.receiveBodies(), ["1", "2"]);
  });

  scenario("when a group's first message expires the next one is free", async (world) => {
    const queue = await world.fifo({ MessageRetentionPeriod: "60" });
    await queue.sendTo("g", "1");
    await world.advance(30);
    await queue.sendTo("g", "2");
    await queue.receiveOne({ MaxNumberOfMessages: 1, VisibilityTimeout: 600 });
    await world.advance(30);
    assert.deepEqual(await queue.receiveBodies(), ["2"]);
  });
});
