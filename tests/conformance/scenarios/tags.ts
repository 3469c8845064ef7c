import assert from "node:assert/strict";
import { assertRefused, freshName, scenarios } from "../world.ts";

scenarios("tags", (scenario) => {
  scenario("tags are added, overwritten and removed", async (world) => {
    const { sqs } = world;
    const { url: QueueUrl } = await world.queue();
    assert.deepEqual(await sqs.listQueueTags({ QueueUrl }), {});
    await sqs.tagQueue({ QueueUrl, Tags: { pond: "north", depth: "2" } });
    await sqs.tagQueue({ QueueUrl, Tags: { depth: "3", empty: "" } });
    const { Tags } = await sqs.listQueueTags({ QueueUrl });
    assert.deepEqual({ ...Tags }, { pond: "north", depth: "3", empty: "" });
    await sqs.untagQueue({ QueueUrl, TagKeys: ["pond", "empty", "not there"] });
    assert.deepEqual({ ...(await sqs.listQueueTags({ QueueUrl })).Tags }, { depth: "3" });
    await sqs.untagQueue({ QueueUrl, TagKeys: ["depth"] });
    assert.deepEqual(await sqs.listQueueTags({ QueueUrl }), {});
  });

  scenario("a queue can be created with tags", async ({ sqs }) => {
    const { QueueUrl } = await sqs.createQueue({ QueueName: freshName(), tags: { Pond: "north", pond: "south" } });
    assert.deepEqual({ ...(await sqs.listQueueTags({ QueueUrl })).Tags }, { Pond: "north", pond: "south" });
  });

  scenario("keys and values keep their letters, signs and case", async (world) => {
    const { url: QueueUrl } = await world.queue();
    const Tags = { "a_.:/=+-@ é": "水 _.:/=+-@", ["k".repeat(128)]: "v".repeat(256), __proto: "x" };
    await world.sqs.tagQueue({ QueueUrl, Tags });
    assert.deepEqual({ ...(await world.sqs.listQueueTags({ QueueUrl })).Tags }, Tags);
  });

  scenario("fifty tags are the most", async (world) => {
    const { url: QueueUrl } = await world.queue();
    const tags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "v"]));
    await world.sqs.tagQueue({ QueueUrl, Tags: tags(50) });
    await world.sqs.tagQueue({ QueueUrl, Tags: tags(50) });
    await assertRefused(world.sqs.tagQueue({ QueueUrl, Tags: { more: "v" } }), "InvalidParameterValue");
    await assertRefused(world.sqs.createQueue({ QueueName: freshName(), tags: tags(51) }), "InvalidParameterValue");
    assert.equal(Object.keys((await world.sqs.listQueueTags({ QueueUrl })).Tags ?? {}).length, 50);
  });

  scenario("tags that AWS does not take are refused", async (world) => {
    const { url: QueueUrl } = await world.queue();
    for (const Tags of [
      { ["k".repeat(129)]: "v" },
      { k: "v".repeat(257) },
      { "aws:x": "v" },
      { "k!": "v" },
      { k: "<" },
    ]) {
      await assertRefused(world.sqs.tagQueue({ QueueUrl, Tags } as never), "InvalidParameterValue");
    }
    await assertRefused(world.sqs.tagQueue({ QueueUrl, Tags: {} }), "MissingParameter");
    await assertRefused(world.sqs.tagQueue({ QueueUrl, Tags: undefined }), "MissingParameter");
    await assertRefused(world.sqs.untagQueue({ QueueUrl, TagKeys: [] }), "MissingParameter");
    assert.deepEqual(await world.sqs.listQueueTags({ QueueUrl }), {});
  });
});
