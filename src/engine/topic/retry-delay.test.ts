import assert from "node:assert/strict";
import { test } from "node:test";
import type { HealthyRetryPolicy } from "./delivery-policy.ts";
import { retryDelayMs } from "./retry-delay.ts";

const policy = (more: Partial<HealthyRetryPolicy>): HealthyRetryPolicy => ({
  minDelayTarget: 20,
  maxDelayTarget: 20,
  numRetries: 3,
  numMaxDelayRetries: 0,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  backoffFunction: "linear",
  ...more,
});

const delays = (given: HealthyRetryPolicy) => {
  const all: number[] = [];
  for (let attempt = 1; ; attempt++) {
    const delayMs = retryDelayMs(given, attempt);
    if (delayMs === undefined) return all;
    all.push(delayMs / 1000);
  }
};

test("the default is three retries, 20 s apart", () => {
  assert.deepEqual(delays(policy({})), [20, 20, 20]);
});

test("the phases follow each other: at once, shortest, growing, longest", () => {
  const phased = policy({
    minDelayTarget: 1,
    maxDelayTarget: 21,
    numRetries: 9,
    numNoDelayRetries: 2,
    numMinDelayRetries: 1,
    numMaxDelayRetries: 2,
  });
  assert.deepEqual(delays(phased), [0, 0, 1, 6, 11, 16, 21, 21, 21]);
});

test("every function grows from the shortest delay to the longest", () => {
  for (const backoffFunction of ["linear", "arithmetic", "geometric", "exponential"] as const) {
    const grown = delays(policy({ minDelayTarget: 1, maxDelayTarget: 100, numRetries: 10, backoffFunction }));
    assert.equal(grown.length, 10);
    assert.equal(grown.at(-1), 100, backoffFunction);
    assert.ok(
      grown.every((delay, index) => delay >= 1 && delay > (grown[index - 1] ?? 0)),
      `${backoffFunction}: ${grown}`,
    );
  }
});

test("no retries means one attempt", () => {
  assert.deepEqual(delays(policy({ numRetries: 0 })), []);
});
