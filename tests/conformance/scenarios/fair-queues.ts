import assert from "node:assert/strict";
import { scenarios } from "../world.ts";

scenarios("fair queues", (scenario) => {
  scenario("a standard queue keeps a message's group and nothing else of FIFO", async (world) => {
    const queue = await world.queue();
    const sent = await queue.sendTo("tenant", "m");
    assert.equal(sent.SequenceNumber, undefined);
    const { Attributes = {} } = await queue.receiveOne();
    assert.equal(Attributes.MessageGroupId, "tenant");
    assert.deepEqual(Object.keys(Attributes).sort(), [
      "ApproximateFirstReceiveTimestamp",
      "ApproximateReceiveCount",
      "MessageGroupId",
      "SenderId",
      "SentTimestamp",
    ]);
  });

  scenario("a group on a standard queue neither deduplicates nor locks", async (world) => {
    const queue = await world.queue();
    const first = await queue.sendTo("tenant", "same");
    assert.notEqual((await queue.sendTo("tenant", "same")).MessageId, first.MessageId);
    assert.equal((await queue.receive({ MaxNumberOfMessages: 1 })).length, 1);
    assert.equal((await queue.receive({ MaxNumberOfMessages: 1 })).length, 1);
  });

  scenario("batches carry groups to a standard queue, and messages without one mix with them", async (world) => {
    const queue = await world.queue();
    await queue.sendBatch([
      { Id: "a", MessageBody: "a", MessageGroupId: "tenant" },
      { Id: "b", MessageBody: "b" },
      { Id: "c", MessageBody: "c", MessageGroupId: "other" },
    ]);
    const messages = await queue.receive({ MessageSystemAttributeNames: ["MessageGroupId"] });
    assert.deepEqual(
      messages.map(({ Body, Attributes }) => [Body, Attributes?.MessageGroupId]),
      [
        ["a", "tenant"],
        ["b", undefined],
        ["c", "other"],
      ],
    );
  });

  scenario("when all tenants are noisy, the one with fewer in flight comes first", async (world) => {
    const queue = await world.queue();
    const sendFifty = async (tenant: string) => {
      const entries = Array.from({ length: 10 }, (_, n) => ({
        Id: `n${n}`,
        MessageBody: tenant,
        MessageGroupId: tenant,
      }));
      for (let batch = 0; batch < 5; batch++) await queue.sendBatch(entries);
    };
    await sendFifty("more");
    for (let batch = 0; batch < 4; batch++) await queue.receive();
    await sendFifty("fewer");
    for (let batch = 0; batch < 3; batch++) assert.equal((await queue.receiveBodies())[9], "fewer");
    assert.deepEqual(await queue.receiveBodies({ MaxNumberOfMessages: 1 }), ["fewer"]);
  });

  scenario("quiet tenants are served before one that holds too much of what is in flight", async (world) => {
    const queue = await world.queue();
    const backlog = Array.from({ length: 10 }, (_, n) => ({
      Id: `n${n}`,
      MessageBody: `noisy${n}`,
      MessageGroupId: "noisy",
    }));
    for (let batch = 0; batch < 5; batch++) await queue.sendBatch(backlog);
    for (let batch = 0; batch < 3; batch++) assert.equal((await queue.receive()).length, 10);
    await queue.sendTo("quiet", "quiet");
    await queue.send("alone");
    const next = await queue.receiveBodies();
    assert.deepEqual(next.slice(0, 2), ["quiet", "alone"]);
    assert.equal(next.length, 10);
  });
});
