import assert from "node:assert/strict";
import { assertRefused, scenarios } from "../world.ts";

scenarios(
  "aws delays",
  (scenario) => {
    scenario("a deleted queue's name is taken for 60 seconds", async (world) => {
      const queue = await world.queue();
      await world.sqs.deleteQueue({ QueueUrl: queue.url });
      const create = () => world.sqs.createQueue({ QueueName: queue.name });
      const text = "You must wait 60 seconds after deleting a queue before you can create another with the same name.";
      const code = "AWS.SimpleQueueService.QueueDeletedRecently";
      await assertRefused(create(), code, text);
      await world.advance(59);
      await assertRefused(create(), code, text);
      await world.advance(1);
      assert.deepEqual(await create(), { QueueUrl: queue.url });
    });

    scenario("a queue is purged once in 60 seconds", async (world) => {
      const queue = await world.queue();
      const purge = () => world.sqs.purgeQueue({ QueueUrl: queue.url });
      await purge();
      await queue.send("m");
      await world.advance(59);
      const text = `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`;
      await assertRefused(purge(), "AWS.SimpleQueueService.PurgeQueueInProgress", text, 403);
      assert.equal(await queue.counts(), "1/0/0");
      await world.advance(1);
      await purge();
      assert.equal(await queue.counts(), "0/0/0");
    });
  },
  { awsDelays: true },
);
