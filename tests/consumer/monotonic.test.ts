// Old states out of a queue are deleted unseen and counted; what could not be handled comes back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { consume, memoryStore, monotonic } from "../../src/consumer/index.ts";
import { withWorld } from "./world.ts";

interface State {
  order: string;
  version: number;
}

test("a consumer counts the states that it skips, and tries again what failed", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own, states }) => {
    const url = await queue("orders");
    const seen: string[] = [];
    let failures = 1;
    const handler = monotonic(
      async ({ body }: { body: State }) => {
        if (body.version === 4 && failures-- > 0) throw new Error("down");
        seen.push(`${body.order} ${body.version}`);
      },
      {
        entity: ({ body }) => body.order,
        version: ({ body }) => body.version,
        store: memoryStore({ clock }),
        clock,
      },
    );
    const consumer = own(
      consume<State>({ queue: url, client: sqs, clock, handler, concurrency: 1, retry: { delay: "1s", jitter: 0 } }),
    );
    const versions = ["a 3", "a 1", "b 1", "a 3", "a 4"].map((text) => text.split(" "));
    await send(
      url,
      versions.map(([order, version]) => JSON.stringify({ order, version: Number(version) })),
    );
    await consumer.start();
    await clock.advance("10s");
    assert.deepEqual(seen, ["a 3", "b 1", "a 4"]);
    const { done, discarded, retried } = consumer.stats();
    assert.deepEqual([done, discarded, retried], [3, 2, 1]);
    assert.deepEqual(await states("orders"), []);
  });
});
