// A dead downstream: the breaker opens, the backlog waits, nothing is burnt, and one message at a time finds out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { consume } from "../../src/consumer/index.ts";
import { sleepOn, withWorld } from "./world.ts";

for (const name of ["orders", "orders.fifo"]) {
  test(`${name}: ten minutes of a dead downstream put nothing into the dead-letter queue`, async () => {
    await withWorld(async ({ queue, send, states, inspect, sqs, clock, own }) => {
      const url = await queue(name, {}, { name: `failed-${name}`, after: 3 });
      const bodies = Array.from({ length: 40 }, (_, index) => `${index % 8}-${index}`);
      await send(url, bodies, name.endsWith(".fifo") ? (body) => body.slice(0, 1) : undefined);
      let isDown = true;
      let runningMax = 0;
      let running = 0;
      const calls = { whileDown: 0 };
      const done: string[] = [];
      const consumer = own(
        consume<string>({
          queue: url,
          client: sqs,
          clock,
          decode: "text",
          concurrency: 8,
          retry: { delay: "1s", jitter: 0 },
          breaker: { minSamples: 5, openFor: "20s" },
          handler: async ({ body }) => {
            running += 1;
            if (consumer.stats().breaker === "probing") runningMax = Math.max(runningMax, running);
            await sleepOn(clock, 100);
            running -= 1;
            if (isDown) {
              calls.whileDown += 1;
              throw new Error("connection refused");
            }
            done.push(body);
          },
        }),
      );
      const opened: number[] = [];
      consumer.on("breakerOpened", ({ failures }) => opened.push(failures));
      await consumer.start();
      await clock.advance("10m");
      assert.equal(consumer.stats().breaker, "open");
      assert.equal(opened.length, 1);
      // One probe every 20 s besides those that ran when it opened.
      assert.ok(calls.whileDown >= 25 && calls.whileDown < 60, `${calls.whileDown} calls in ten minutes`);
      assert.equal(runningMax, 1, "one probe at a time");
      assert.deepEqual(await states(`failed-${name}`), []);
      const counts = (await inspect(name)).map(({ receiveCount }) => receiveCount);
      assert.equal(counts.length, 40);
      // One for the failure that opened it, one for a receive that was open then, one for the probe.
      assert.ok(Math.max(...counts) <= 3, `receive counts ${counts}`);
      isDown = false;
      await clock.advance("2m");
      assert.equal(consumer.stats().breaker, "closed");
      assert.deepEqual([...done].sort(), [...bodies].sort());
      assert.deepEqual(await states(`failed-${name}`), []);
    });
  });
}

test("errors that say nothing about the downstream do not open the breaker, and verdicts are no errors", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const url = await queue("orders", {}, { name: "failed", after: 2 });
    await send(
      url,
      Array.from({ length: 30 }, (_, index) => String(index)),
    );
    const consumer = own(
      consume({
        queue: url,
        client: sqs,
        clock,
        breaker: { minSamples: 5, countIf: (error) => (error as Error).message !== "bad order" },
        handler: () => {
          throw new Error("bad order");
        },
      }),
    );
    await consumer.start();
    await clock.advance("1m");
    assert.equal(consumer.stats().breaker, "closed");
    assert.equal(consumer.stats().retried, 60);
  });
});

test("a probe that fails while the consumer stops is given back, not stranded", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock }) => {
    const url = await queue("orders");
    await send(url, ["a", "b", "c"]);
    const consumer = consume<string>({
      queue: url,
      client: sqs,
      clock,
      decode: "text",
      concurrency: 3,
      abortPolls: true,
      retry: { delay: "1s" },
      breaker: { minSamples: 3, openFor: "10s" },
      handler: async () => {
        await sleepOn(clock, 2000);
        throw new Error("connection refused");
      },
    });
    await consumer.start();
    await clock.advance("13s");
    assert.deepEqual([consumer.stats().breaker, consumer.stats().running], ["probing", 1]);
    const stopping = consumer.stop();
    await clock.advance("3s");
    assert.equal((await stopping).drained, true);
    assert.deepEqual((await states("orders")).sort(), ["a visible", "b visible", "c visible"]);
  });
});
