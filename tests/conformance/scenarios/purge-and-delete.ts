import assert from "node:assert/strict";
import { assertRefused, scenarios } from "../world.ts";

scenarios("purge and delete", (scenario) => {
  scenario("a purge removes visible, delayed and in-flight messages", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "5" });
    await queue.send("held");
    const held = await queue.receiveOne();
    await queue.send("visible");
    await queue.send("delayed", { DelaySeconds: 5 });
    assert.equal(await queue.counts(), "1/1/1");
    await world.sqs.purgeQueue({ QueueUrl: queue.url });
    assert.equal(await queue.counts(), "0/0/0");
    await world.advance(10);
    assert.deepEqual(await queue.receive(), []);
    await queue.delete(held);
    await assert.rejects(queue.hide(held, 5), { status: 400 });
  });

  scenario("a purged queue keeps its attributes and takes new messages", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "5" });
    await queue.send("old");
    await world.sqs.purgeQueue({ QueueUrl: queue.url });
    await queue.send("new");
    assert.deepEqual(await queue.receiveBodies(), ["new"]);
    assert.equal(await queue.attribute("VisibilityTimeout"), "5");
  });

  scenario("a purge frees locked FIFO groups", async (world) => {
    const queue = await world.fifo();
    await queue.sendTo("g", "1");
    await queue.receiveOne();
    await world.sqs.purgeQueue({ QueueUrl: queue.url });
    await queue.sendTo("g", "2");
    assert.deepEqual(await queue.receiveBodies(), ["2"]);
  });

  scenario("purging twice and creating anew at once work while the waits of AWS are off", async (world) => {
    const queue = await world.queue({ DelaySeconds: "1" });
    await world.sqs.purgeQueue({ QueueUrl: queue.url });
    await world.sqs.purgeQueue({ QueueUrl: queue.url });
    await queue.send("gone");
    await world.sqs.deleteQueue({ QueueUrl: queue.url });
    const again = await world.queue({ DelaySeconds: "2" }, queue.name);
    assert.equal(await again.counts(), "0/0/0");
    await world.advance(5);
    assert.deepEqual(await again.receive(), []);
  });

  scenario("a deleted queue is gone for every call, and cannot be deleted again", async (world) => {
    const queue = await world.queue();
    await queue.send("m");
    const message = await queue.receiveOne();
    await world.sqs.deleteQueue({ QueueUrl: queue.url });
    const code = "AWS.SimpleQueueService.NonExistentQueue";
    await assertRefused(queue.send("m"), code);
    await assertRefused(queue.receive(), code);
    await assertRefused(queue.delete(message), code);
    await assertRefused(world.sqs.getQueueUrl({ QueueName: queue.name }), code);
    await assertRefused(world.sqs.deleteQueue({ QueueUrl: queue.url }), code);
  });

  scenario("a handle of a queue's earlier life does not touch the new one", async (world) => {
    const queue = await world.queue();
    await queue.send("old");
    const old = await queue.receiveOne();
    await world.sqs.deleteQueue({ QueueUrl: queue.url });
    const again = await world.queue({}, queue.name);
    await again.send("new");
    await again.delete(old).catch(() => undefined);
    assert.deepEqual(await again.receiveBodies(), ["new"]);
  });
});
