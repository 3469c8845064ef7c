// The everyday of a consumer: done, failed, verdicts, slots, heartbeat, timeout, pause and stop.

import assert from "node:assert/strict";
import { test } from "node:test";
import { consume, discard, HandlerTimedOut, reject, retryIn } from "../../src/consumer/index.ts";
import { clientOf, receive, sleepOn, withWorld } from "./world.ts";

test("returning deletes, throwing brings the message back after a delay that grows, and the third receive is the last", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
    const url = await queue("orders", {}, { name: "orders-failed", after: 3 });
    await send(url, ['"good"', '"bad"']);
    const startMs = clock.nowMs();
    const calls: string[] = [];
    const consumer = own(
      consume<string>({
        queue: "orders",
        client: sqs,
        clock,
        retry: { delay: "10s", jitter: 0 },
        handler: (message, { attempt }) => {
          calls.push(`${message.body} ${attempt} at ${(clock.nowMs() - startMs) / 1000}`);
          if (message.body === "bad") throw new Error("no");
        },
      }),
    );
    await consumer.start();
    await clock.advance("1s");
    assert.deepEqual(await states("orders"), ['"bad" inFlight']);
    await clock.advance("2m");
    assert.deepEqual(calls, ["good 1 at 0", "bad 1 at 0", "bad 2 at 10", "bad 3 at 30"]);
    assert.deepEqual(await states("orders"), []);
    assert.deepEqual(await states("orders-failed"), ['"bad" visible']);
    const { done, retried, deleteFailed } = consumer.stats();
    assert.deepEqual({ done, retried, deleteFailed }, { done: 1, retried: 3, deleteFailed: 0 });
  });
});

test("retryIn, reject and discard do what they say, and a rejected message carries the reason", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
    const url = await queue("orders", {}, { name: "orders-failed", after: 9 });
    await send(url, ["later", "never", "nobody"]);
    const consumer = own(
      consume<string>({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        handler: ({ body, attempt }) => {
          if (body === "later" && attempt === 1) return retryIn("90s", "too early");
          if (body === "never") return reject("amount is negative", { amount: -1 });
          if (body === "nobody") return discard("test order");
          return "anything else is done";
        },
      }),
    );
    await consumer.start();
    await clock.advance("1s");
    assert.deepEqual(await states("orders"), ["later inFlight"]);
    const [dead] = await receive(sqs, url.replace("orders", "orders-failed"));
    assert.equal(dead?.Body, "never");
    assert.equal(dead?.MessageAttributes?.["millpond-rejected"]?.StringValue, "amount is negative");
    assert.equal(dead?.MessageAttributes?.["millpond-rejected-detail"]?.StringValue, '{"amount":-1}');
    await clock.advance("90s");
    assert.deepEqual(await states("orders"), []);
    const { done, discarded, rejected, retried } = consumer.stats();
    assert.deepEqual({ done, discarded, rejected, retried }, { done: 1, discarded: 1, rejected: 1, retried: 1 });
  });
});

test("a message rejected without a dead-letter queue is put out of reach, not deleted", async () => {
  await withWorld(async ({ queue, send, inspect, sqs, clock, own }) => {
    const url = await queue("orders");
    await send(url, ["not JSON"]);
    const rejected: string[] = [];
    const consumer = own(consume({ queue: url, client: sqs, clock, handler: () => assert.fail("not called") }));
    consumer.on("rejected", ({ why }) => rejected.push(why));
    await consumer.start();
    await clock.advance("10m");
    assert.deepEqual(rejected, ["the body is not JSON"]);
    assert.deepEqual(
      (await inspect("orders")).map(({ state, receiveCount }) => [state, receiveCount]),
      [["inFlight", 1]],
    );
  });
});

test("slots are filled again as each frees, not when a batch of ten is through", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
    const url = await queue("orders");
    await send(url, ["slow", ...Array.from({ length: 19 }, (_, index) => `fast ${index}`)]);
    let running = 0;
    let runningMax = 0;
    const consumer = own(
      consume<string>({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        concurrency: 2,
        handler: async ({ body }) => {
          running += 1;
          runningMax = Math.max(runningMax, running);
          await sleepOn(clock, body === "slow" ? 60_000 : 1000);
          running -= 1;
        },
      }),
    );
    await consumer.start();
    await clock.advance("20s");
    assert.deepEqual(await states("orders"), ["slow inFlight"]);
    assert.equal(runningMax, 2);
    assert.equal(consumer.stats().done, 19);
  });
});

test("the heartbeat keeps running and waiting messages from others, and ends with the message", async () => {
  await withWorld(async ({ queue, send, states, inspect, sqs, clock, own }) => {
    const url = await queue("orders", { VisibilityTimeout: "4" });
    await send(url, ["a", "b", "c"]);
    const consumer = own(
      consume({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        concurrency: 1,
        prefetch: 5,
        handler: () => sleepOn(clock, 60_000),
      }),
    );
    await consumer.start();
    for (let second = 0; second < 50; second++) {
      await clock.advance("1s");
      assert.deepEqual(await receive(sqs, url), [], `seen by another consumer after ${second} s`);
    }
    assert.deepEqual(
      (await inspect("orders")).map(({ receiveCount }) => receiveCount),
      [1, 1, 1],
    );
    await clock.advance("131s");
    assert.deepEqual(await states("orders"), []);
    const beats = consumer.stats().heartbeats;
    await clock.advance("1m");
    assert.equal(consumer.stats().heartbeats, beats);
    assert.ok(beats >= 80 && beats < 200, `${beats} heartbeats for 180 s at one every 2 s, three messages together`);
  });
});

test("a consumer that dies gives its messages back when the visibility timeout ends", async () => {
  await withWorld(async ({ queue, send, states, clock, millpond, own }) => {
    const url = await queue("orders", { VisibilityTimeout: "2" });
    await send(url, ["a"]);
    const sqs = clock.follow(clientOf(millpond));
    const consumer = own(
      consume({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        concurrency: 1,
        prefetch: 0,
        handler: () => new Promise(() => {}),
      }),
    );
    consumer.on("error", () => undefined);
    await consumer.start();
    await clock.advance("7s");
    assert.deepEqual(await states("orders"), ["a inFlight"]);
    // What a dead process does: no request gets through any more.
    sqs.send = () => Promise.reject(new Error("dead"));
    await clock.advance("2s");
    assert.deepEqual(await states("orders"), ["a visible"]);
  });
});

test("a handler that takes too long is aborted, its message comes back, and its slot stays taken until it ends", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
    const url = await queue("orders");
    await send(url, ["a"]);
    const reasons: unknown[] = [];
    let tries = 0;
    const consumer = own(
      consume({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        concurrency: 1,
        prefetch: 0,
        timeout: "5s",
        retry: { delay: "1s", jitter: 0 },
        handler: async (_, { signal }) => {
          tries += 1;
          if (tries > 1) return;
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          await sleepOn(clock, 20_000);
        },
      }),
    );
    const late: string[] = [];
    consumer.on("late", ({ message }) => late.push(message.text));
    await consumer.start();
    await clock.advance("5s");
    assert.ok(reasons[0] instanceof HandlerTimedOut);
    assert.equal(consumer.stats().leaked, 1);
    await clock.advance("10s");
    // Its slot is the only one, and the first try still sits in it.
    assert.deepEqual([tries, await states("orders")], [1, ["a visible"]]);
    await clock.advance("6s");
    assert.deepEqual([tries, await states("orders"), late], [2, [], ["a"]]);
    assert.equal(consumer.stats().leaked, 0);
  });
});

test("a message is held no longer than heartbeat.max", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
    const url = await queue("orders");
    await send(url, ["a"]);
    const codes: string[] = [];
    const consumer = own(
      consume({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        heartbeat: { max: "10m" },
        retry: { delay: "1h", jitter: 0, delayMax: "1h" },
        handler: (_, { signal }) =>
          new Promise<void>((resolve) =>
            signal.addEventListener("abort", () => {
              codes.push(signal.reason.code);
              resolve();
            }),
          ),
      }),
    );
    await consumer.start();
    await clock.advance("599s");
    assert.deepEqual(codes, []);
    await clock.advance("1s");
    assert.deepEqual(codes, ["HeldTooLong"]);
    await clock.advance("59m");
    assert.deepEqual(await states("orders"), ["a inFlight"]);
  });
});

test("without a heartbeat the signal says when the message is no longer ours", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const url = await queue("orders", { VisibilityTimeout: "5" });
    await send(url, ["a"]);
    const lost: string[] = [];
    const consumer = own(
      consume({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        heartbeat: false,
        concurrency: 1,
        prefetch: 0,
        handler: (_, { signal }) => sleepOn(clock, 9000, signal),
      }),
    );
    consumer.on("lost", ({ error }) => lost.push(error.message.replace(/Message \S+/, "It")));
    await consumer.start();
    await clock.advance("5s");
    assert.deepEqual(lost, ["It is no longer ours: its visibility timeout ended."]);
  });
});

test("extend keeps a message longer than the heartbeat would, and the heartbeat does not cut it short", async () => {
  await withWorld(async ({ queue, send, inspect, sqs, clock, own }) => {
    const url = await queue("orders", { VisibilityTimeout: "10" });
    await send(url, ["a"]);
    const startMs = clock.nowMs();
    let deadlineMs = 0;
    const consumer = own(
      consume({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        handler: async (_, context) => {
          await context.extend("10m");
          deadlineMs = context.deadline().getTime();
          await sleepOn(clock, 300_000);
        },
      }),
    );
    await consumer.start();
    await clock.advance("60s");
    assert.equal(deadlineMs, startMs + 600_000);
    assert.equal((await inspect("orders"))[0]?.visibleAtMs, startMs + 600_000);
    assert.equal(consumer.stats().heartbeats, 0);
  });
});

test("pause gives back what is held and not worked on, and resume goes on", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
    const url = await queue("orders");
    await send(url, ["a", "b", "c"]);
    const done: string[] = [];
    const consumer = own(
      consume<string>({
        queue: url,
        client: sqs,
        clock,
        decode: "text",
        concurrency: 1,
        prefetch: 5,
        handler: async ({ body }) => {
          await sleepOn(clock, 10_000);
          done.push(body);
        },
      }),
    );
    await consumer.start();
    await clock.advance("1s");
    assert.deepEqual(await states("orders"), ["a inFlight", "b inFlight", "c inFlight"]);
    await consumer.pause("deploying");
    assert.deepEqual(await states("orders"), ["a inFlight", "b visible", "c visible"]);
    await clock.advance("60s");
    assert.deepEqual(done, ["a"]);
    assert.deepEqual(await states("orders"), ["b visible", "c visible"]);
    consumer.resume();
    await clock.advance("60s");
    assert.deepEqual(done.sort(), ["a", "b", "c"]);
  });
});

test("pauseWhen holds work up without giving it back", async () => {
  await withWorld(async ({ queue, send, inspect, sqs, clock, own }) => {
    const url = await queue("orders");
    await send(url, ["a", "b"]);
    let isBusy = true;
    const consumer = own(
      consume({ queue: url, client: sqs, clock, decode: "text", pauseWhen: () => isBusy, handler: () => {} }),
    );
    await consumer.start();
    await clock.advance("30s");
    assert.deepEqual(
      (await inspect("orders")).map(({ receiveCount }) => receiveCount),
      [0, 0],
    );
    isBusy = false;
    await clock.advance("2s");
    assert.equal(consumer.stats().done, 2);
  });
});

test("stop drains: running handlers end, waiting messages go back, nothing stays in flight", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock }) => {
    const url = await queue("orders");
    await send(url, ["a", "b", "c"]);
    const consumer = consume({
      queue: url,
      client: sqs,
      clock,
      decode: "text",
      concurrency: 1,
      prefetch: 20,
      handler: () => sleepOn(clock, 10_000),
    });
    await consumer.start();
    await clock.advance("1s");
    const stopping = consumer.stop();
    assert.equal(consumer.stop(), stopping);
    await send(url, ["arrives in the open receive"]);
    await clock.advance("30s");
    assert.deepEqual(await stopping, { drained: true, givenBack: 3, leftRunning: 0 });
    assert.deepEqual((await states("orders")).sort(), [
      "arrives in the open receive visible",
      "b visible",
      "c visible",
    ]);
    assert.equal(consumer.stats().state, "stopped");
    await assert.rejects(consumer.start(), /not started again/);
  });
});

test("stop aborts what outlasts the drain and gives it back", async () => {
  await withWorld(async ({ queue, send, states, sqs, clock }) => {
    const url = await queue("orders");
    await send(url, ["polite", "deaf"]);
    const reasons: string[] = [];
    const consumer = consume<string>({
      queue: url,
      client: sqs,
      clock,
      decode: "text",
      abortPolls: true,
      handler: ({ body }, { signal }) =>
        body === "deaf"
          ? new Promise(() => {})
          : new Promise<void>((_, fail) =>
              signal.addEventListener("abort", () => {
                reasons.push(signal.reason.code);
                fail(signal.reason);
              }),
            ),
    });
    await consumer.start();
    await clock.advance("1s");
    const stopping = consumer.stop({ drain: "5s" });
    await clock.advance("7s");
    assert.deepEqual(await stopping, { drained: false, givenBack: 2, leftRunning: 1 });
    assert.deepEqual(reasons, ["ConsumerStopped"]);
    assert.deepEqual(await states("orders"), ["polite visible", "deaf visible"]);
  });
});

test("a queue that does not exist is said at the start, and options that cannot be are said before", async () => {
  await withWorld(async ({ sqs, clock, queue, own }) => {
    const consumer = own(consume({ queue: "nowhere", client: sqs, clock, handler: () => {} }));
    await assert.rejects(consumer.start(), /does not exist/);
    await queue("nowhere");
    await consumer.start();
    assert.throws(() => consume({ queue: "q", client: sqs }), /handler or a batchHandler/);
    assert.throws(() => consume({ queue: "q", client: sqs, handler: () => {}, concurrency: 0 }), /concurrency is 0/);
    assert.throws(() => consume({ queue: "q", client: sqs, handler: () => {}, timeout: "soon" }), /"soon" is not/);
  });
});

test("a receive that fails is repeated after a growing pause, and the consumer goes on", async () => {
  await withWorld(async ({ queue, send, sqs, clock, own }) => {
    const url = await queue("orders");
    let isDown = true;
    const real = sqs.send.bind(sqs);
    let refusedCount = 0;
    sqs.send = ((command: object, ...rest: never[]) => {
      if (!isDown || command.constructor.name !== "ReceiveMessageCommand") return real(command as never, ...rest);
      refusedCount += 1;
      return Promise.reject(new Error("connection refused"));
    }) as typeof sqs.send;
    const errors: string[] = [];
    const consumer = own(consume({ queue: url, client: sqs, clock, decode: "text", handler: () => {} }));
    consumer.on("error", ({ doing, error }) => errors.push(`${doing}: ${(error as Error).message}`));
    await consumer.start();
    await clock.advance("5m");
    assert.ok(refusedCount > 10 && refusedCount < 40, `${refusedCount} receives in five minutes without a queue`);
    assert.equal(errors[0], "receiving messages: connection refused");
    isDown = false;
    await send(url, ["a"]);
    await clock.advance("20s");
    assert.equal(consumer.stats().done, 1);
  });
});
