// Retry delays, the rate limit, the circuit breaker and the cutting of lists: pure, so tried with numbers.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Breaker } from "./breaker.ts";
import { toMs } from "./duration.ts";
import { bytesOf } from "./message-bytes.ts";
import { RateLimit } from "./rate-limit.ts";
import { keepWithinHold, retryPolicy } from "./retry.ts";
import { splitEntries } from "./split.ts";
import { discard, reject, retryIn, verdictOf } from "./verdict.ts";

const HOUR_MS = 3_600_000;

test("the delay doubles with each attempt up to its limit, and chance takes at most its share", () => {
  const most = retryPolicy({ delay: "2s", delayMax: "1m" }, () => 0);
  assert.deepEqual(
    [1, 2, 3, 6, 7, 1000].map((attempt) => most(attempt, null, 0)),
    [2000, 4000, 8000, 60_000, 60_000, 60_000],
  );
  const least = retryPolicy({ delay: "2s", jitter: 0.25 }, () => 1);
  assert.equal(least(1, null, 0), 1500);
});

test("a function decides alone, and maxElapsed ends it", () => {
  const policy = retryPolicy(
    { delay: (attempt, error) => (error === "fatal" ? "reject" : `${attempt}m`), maxElapsed: "1h" },
    () => 0.5,
  );
  assert.equal(policy(2, "soft", 0), 120_000);
  assert.equal(policy(2, "fatal", 0), "reject");
  assert.equal(policy(2, "soft", HOUR_MS), "reject");
});

test("no delay goes beyond twelve hours from the receive", () => {
  assert.equal(keepWithinHold(HOUR_MS, 0), HOUR_MS);
  assert.equal(keepWithinHold(20 * HOUR_MS, 0), 12 * HOUR_MS - 1000);
  assert.equal(keepWithinHold(2 * HOUR_MS, 11 * HOUR_MS), HOUR_MS - 1000);
  assert.equal(keepWithinHold(HOUR_MS, 13 * HOUR_MS), 0);
});

test("the rate limit never lets more through than count and burst allow", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 10 }),
      fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 60 }),
      (count, burst, steps) => {
        const limit = new RateLimit({ count, per: "1s", burst }, 0);
        let nowMs = 0;
        let started = 0;
        for (const stepMs of steps) {
          nowMs += stepMs;
          while (limit.waitMs(nowMs) === 0) {
            limit.take(1);
            started += 1;
          }
          assert.ok(started <= burst + (nowMs * count) / 1000 + 1e-6, `${started} in ${nowMs} ms`);
          nowMs += limit.waitMs(nowMs);
          assert.equal(limit.waitMs(nowMs), 0, "the wait it names is enough");
        }
      },
    ),
  );
});

test("the breaker opens on its share of failures, probes after its time, and one success closes it", () => {
  const breaker = new Breaker({ failureRate: 0.5, minSamples: 4, window: "10s", openFor: "30s" });
  for (const isFailure of [true, true, true]) assert.equal(breaker.record(isFailure, 0), false);
  assert.equal(breaker.record(false, 1), false, "a success never opens it");
  assert.equal(breaker.record(true, 2), true);
  breaker.startProbing(30_001);
  assert.equal(breaker.state, "open");
  breaker.startProbing(30_002);
  assert.equal(breaker.state, "probing");
  breaker.probeEnded(true, 31_000);
  assert.deepEqual([breaker.state, breaker.openUntilMs], ["open", 61_000]);
  breaker.startProbing(61_000);
  breaker.probeEnded(false, 61_500);
  assert.equal(breaker.state, "closed");
  assert.deepEqual(breaker.counted(61_500), { failures: 0, samples: 0 });
});

test("old failures leave the window", () => {
  const breaker = new Breaker({ minSamples: 3, window: "10s" });
  breaker.record(true, 0);
  breaker.record(true, 1000);
  assert.equal(breaker.record(true, 12_000), false);
  assert.deepEqual(breaker.counted(12_000), { failures: 1, samples: 1 });
});

test("requests hold at most ten entries and so many bytes, in order, and leave none out", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 120 })), (sizes) => {
      const requests = splitEntries(sizes, (size) => size, 100);
      assert.deepEqual(requests.flat(), sizes);
      for (const request of requests) {
        assert.ok(request.length >= 1 && request.length <= 10);
        assert.ok(request.length === 1 || request.reduce((sum, size) => sum + size, 0) <= 100);
      }
    }),
  );
});

test("a message's bytes are its body's and, of each attribute, name, type and value", () => {
  const attributes = {
    tier: { DataType: "String", StringValue: "gold" },
    raw: { DataType: "Binary", BinaryValue: Buffer.alloc(5) },
  };
  assert.equal(bytesOf({ body: "é", attributes }), 2 + (4 + 6 + 4) + (3 + 6 + 5));
});

test("only what the verdict functions made is a verdict", () => {
  assert.equal(verdictOf(retryIn("5s", "later"))?.kind, "retry");
  assert.equal(verdictOf(reject("no"))?.kind, "reject");
  assert.equal(verdictOf(discard("dull"))?.kind, "discard");
  for (const other of [undefined, null, "reject", { kind: "reject", why: "looks like one" }, []])
    assert.equal(verdictOf(other), undefined);
  assert.throws(() => retryIn("tomorrow"), RangeError);
  assert.throws(() => toMs(-1), RangeError);
});
