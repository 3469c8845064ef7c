import assert from "node:assert/strict";
import { ACCOUNT, assertRefused, freshName, REGION, scenarios } from "../world.ts";

const CHANGED =
  "Invalid NextToken value. If you are passing in NextToken, you must not change the other request parameters.";

scenarios("lists", (scenario) => {
  scenario("queues are listed by prefix, in order of name", async (world) => {
    const prefix = `${freshName()}-`;
    const names = ["c", "a", "B", "b"].map((end) => `${prefix}${end}`);
    for (const name of names) await world.queue({}, name);
    const { QueueUrls = [], NextToken } = await world.sqs.listQueues({ QueueNamePrefix: prefix });
    assert.deepEqual(QueueUrls.toSorted(), names.map((name) => `${world.endpoint}/000000000000/${name}`).toSorted());
    assert.equal(NextToken, undefined);
    const { QueueUrls: upper } = await world.sqs.listQueues({ QueueNamePrefix: prefix.toUpperCase() });
    assert.equal(upper, undefined);
    const { QueueUrls: all = [] } = await world.sqs.listQueues({});
    for (const url of QueueUrls) assert.ok(all.includes(url));
  });

  scenario("no match means no list", async (world) => {
    assert.deepEqual(await world.sqs.listQueues({ QueueNamePrefix: "nothing-like-it" }), {});
  });

  scenario("pages follow each other without gaps, and only a page that is not the last has a token", async (world) => {
    const { sqs } = world;
    const QueueNamePrefix = `${freshName()}-`;
    for (let n = 0; n < 5; n++) await world.queue({}, `${QueueNamePrefix}${n}`);
    const seen: string[] = [];
    const sizes: number[] = [];
    let NextToken: string | undefined;
    do {
      const page = await sqs.listQueues({ QueueNamePrefix, MaxResults: 2, ...(NextToken && { NextToken }) });
      seen.push(...(page.QueueUrls ?? []));
      sizes.push(page.QueueUrls?.length ?? 0);
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    assert.deepEqual(sizes, [2, 2, 1]);
    assert.equal(new Set(seen).size, 5);
    const exact = await sqs.listQueues({ QueueNamePrefix, MaxResults: 5 });
    assert.equal(exact.QueueUrls?.length, 5);
    assert.equal(exact.NextToken, undefined);
  });

  scenario("a page has 1 to 1000 queues", async (world) => {
    for (const MaxResults of [0, -1, 1001]) {
      const text =
        "Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000.";
      await assertRefused(world.sqs.listQueues({ MaxResults }), "InvalidParameterValue", text);
    }
    await world.sqs.listQueues({ MaxResults: 1000 });
  });

  scenario("a token is for the request that got it, however long its pages", async (world) => {
    const { sqs } = world;
    const QueueNamePrefix = `${freshName()}-`;
    for (let n = 0; n < 3; n++) await world.queue({}, `${QueueNamePrefix}${n}`);
    const { NextToken = "" } = await sqs.listQueues({ QueueNamePrefix, MaxResults: 1 });
    const bad = sqs.listQueues({ QueueNamePrefix, MaxResults: 1, NextToken: "nonsense" });
    await assertRefused(bad, "InvalidParameterValue", "Invalid or expired next token.");
    const other = sqs.listQueues({ QueueNamePrefix: "other", MaxResults: 1, NextToken });
    await assertRefused(other, "InvalidParameterValue", CHANGED);
    const rest = await sqs.listQueues({ QueueNamePrefix, MaxResults: 10, NextToken });
    assert.equal(rest.QueueUrls?.length, 2);
    assert.equal(rest.NextToken, undefined);
  });

  scenario("a deleted queue is no longer listed", async (world) => {
    const queue = await world.queue();
    await world.sqs.deleteQueue({ QueueUrl: queue.url });
    assert.deepEqual(await world.sqs.listQueues({ QueueNamePrefix: queue.name }), {});
  });
});

scenarios(
  "lists, once",
  (scenario) => {
    scenario("a list without pages ends at a thousand queues", async (world) => {
      const { sqs, server } = world;
      for (let n = 0; n <= 1000; n++) {
        const queue = { account: ACCOUNT, region: REGION, name: `t${n}` };
        await server.queues.execute<"createQueue">({ kind: "createQueue", queue, attributes: {}, tags: {} });
      }
      const all = await sqs.listQueues({});
      assert.equal(all.QueueUrls?.length, 1000);
      assert.equal(all.NextToken, undefined);
      const first = await sqs.listQueues({ MaxResults: 1000 });
      const last = await sqs.listQueues({ MaxResults: 1000, NextToken: first.NextToken as string });
      assert.deepEqual([first.QueueUrls?.length, last.QueueUrls?.length, last.NextToken], [1000, 1, undefined]);
    });
  },
  { protocols: ["json"], shardCounts: [1] },
);
