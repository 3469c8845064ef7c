// FIFO: serial within a group, parallel over groups, and a failure returns the rest of its group only.

import assert from "node:assert/strict";
import { test } from "node:test";
import { consume } from "../../src/consumer/index.ts";
import { sleepOn, withWorld } from "./world.ts";

const groupOf = (body: string) => body.slice(0, 1);

test("groups run side by side, and within a group one message at a time in order", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
    const url = await queue("orders.fifo");
    const bodies = ["a1", "a2", "b1", "a3", "b2", "c1"];
    await send(url, bodies, groupOf);
    const startMs = clock.nowMs();
    const log: string[] = [];
    const consumer = own(
      consume<string>({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        handler: async ({ body }) => {
          log.push(`${body} from ${(clock.nowMs() - startMs) / 1000}`);
          await sleepOn(clock, 10_000);
        },
      }),
    );
    await consumer.start();
    await clock.advance("40s");
    assert.deepEqual(log.sort(), ["a1 from 0", "a2 from 10", "a3 from 20", "b1 from 0", "b2 from 10", "c1 from 0"]);
    assert.deepEqual(await states("orders.fifo"), []);
  });
});

test("a failure returns the rest of its group, which then comes in order; other groups go on", async () => {
  await withWorld(async ({ queue, send, inspect, sqs, clock, own }) => {
    const url = await queue("orders.fifo");
    await send(url, ["a1", "a2", "a3", "b1", "b2"], groupOf);
    const startMs = clock.nowMs();
    const log: string[] = [];
    const consumer = own(
      consume<string>({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        retry: { delay: "30s", jitter: 0 },
        handler: ({ body, attempt }) => {
          log.push(`${body} at ${(clock.nowMs() - startMs) / 1000}`);
          if (body === "a1" && attempt === 1) throw new Error("not yet");
        },
      }),
    );
    await consumer.start();
    await clock.advance("1s");
    assert.deepEqual(log, ["a1 at 0", "b1 at 0", "b2 at 0"]);
    assert.deepEqual(
      (await inspect("orders.fifo")).map(({ body, receiveCount }) => `${body} ${receiveCount}`),
      ["a1 1", "a2 1", "a3 1"],
    );
    await clock.advance("60s");
    assert.deepEqual(log.slice(3), ["a1 at 30", "a2 at 30", "a3 at 30"]);
    assert.equal(consumer.stats().givenBack, 2);
  });
});

test("the next of a group does not start before the delete of the one before it is answered", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
    const url = await queue("orders.fifo", { VisibilityTimeout: "10" });
    await send(url, ["a1", "a2"], groupOf);
    const real = sqs.send.bind(sqs);
    let isRefusing = true;
    sqs.send = ((
      command: { constructor: { name: string }; input: { Entries?: { Id: string }[] } },
      ...rest: never[]
    ) => {
      if (!isRefusing || command.constructor.name !== "DeleteMessageBatchCommand")
        return real(command as never, ...rest);
      const Failed = (command.input.Entries ?? []).map(({ Id }) => ({ Id, Code: "InternalError", SenderFault: false }));
      return Promise.resolve({ Failed });
    }) as typeof sqs.send;
    const log: string[] = [];
    const consumer = own(
      consume<string>({ queue: url, client: sqs, clock, decode: "text", handler: ({ body }) => void log.push(body) }),
    );
    await consumer.start();
    await clock.advance("1s");
    assert.deepEqual(log, ["a1"]);
    isRefusing = false;
    await clock.advance("10s");
    assert.deepEqual(log, ["a1", "a2"]);
    assert.deepEqual(await states("orders.fifo"), []);
    assert.ok(consumer.stats().deleteCalls >= 2, "failed entries are asked again");
  });
});

test("a timed-out handler that goes on keeps its group waiting", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const url = await queue("orders.fifo");
    await send(url, ["a1", "a2", "b1"], groupOf);
    const log: string[] = [];
    let running = 0;
    const consumer = own(
      consume<string>({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        timeout: "5s",
        retry: { delay: 0 },
        handler: async ({ body, attempt }) => {
          if (body.startsWith("a")) running += 1;
          assert.ok(running <= 1, "two of group a at once");
          log.push(`${body} ${attempt}`);
          if (body === "a1" && attempt === 1) await sleepOn(clock, 60_000);
          if (body.startsWith("a")) running -= 1;
        },
      }),
    );
    await consumer.start();
    await clock.advance("59s");
    assert.deepEqual(log, ["a1 1", "b1 1"]);
    await clock.advance("40s");
    assert.deepEqual(
      log.slice(2).map((entry) => entry.slice(0, 2)),
      ["a1", "a2"],
    );
  });
});

test("a batch handler on FIFO gets groups in order, and behind a failed one its group goes back", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
    const url = await queue("orders.fifo");
    await send(url, ["a1", "a2", "a3", "b1"], groupOf);
    const batches: string[][] = [];
    const consumer = own(
      consume<string>({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        retry: { delay: "10s", jitter: 0 },
        batchHandler: (messages, { fail }) => {
          batches.push(messages.map(({ body }) => body));
          const failing = messages.find(({ body, attempt }) => body === "a2" && attempt === 1);
          if (failing !== undefined) fail(failing, new Error("no"));
        },
      }),
    );
    await consumer.start();
    await clock.advance("1s");
    assert.deepEqual(batches, [["a1", "a2", "a3", "b1"]]);
    assert.deepEqual(
      (await states("orders.fifo")).map((state) => state.slice(0, 2)),
      ["a2", "a3"],
    );
    await clock.advance("20s");
    assert.deepEqual(batches[1], ["a2", "a3"]);
    assert.deepEqual(await states("orders.fifo"), []);
  });
});

test("an answer that was lost on its way is received again at once, in order", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const url = await queue("orders.fifo", { VisibilityTimeout: "600" });
    await send(url, ["a1", "a2"], groupOf);
    const real = sqs.send.bind(sqs);
    let lost = 0;
    sqs.send = (async (command: object, ...rest: never[]) => {
      const answer = await real(command as never, ...rest);
      if (command.constructor.name !== "ReceiveMessageCommand" || lost > 0) return answer;
      lost += 1;
      throw new Error("socket hang up");
    }) as typeof sqs.send;
    const log: string[] = [];
    const consumer = own(
      consume<string>({ queue: url, client: sqs, clock, decode: "text", handler: ({ body }) => void log.push(body) }),
    );
    consumer.on("error", () => undefined);
    await consumer.start();
    await clock.advance("5s");
    assert.deepEqual([lost, log], [1, ["a1", "a2"]]);
  });
});
