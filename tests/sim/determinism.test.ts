// A seed is only worth something if it can be run again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "../../sim/simulate.ts";

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

test("the same seed twice gives the same trace", async () => {
  for (const topics of [false, true]) {
    for (const seed of SEEDS) {
      const first = await simulate({ seed, ticks: 400, topics });
      const again = await simulate({ seed, ticks: 400, topics });
      assert.equal(again.traceHash, first.traceHash, `seed ${seed}`);
      assert.equal(again.steps, first.steps, `seed ${seed}`);
    }
  }
});

test("another seed gives another trace", async () => {
  const hashes = new Set<string>();
  for (const seed of SEEDS) hashes.add((await simulate({ seed, ticks: 50 })).traceHash);
  assert.equal(hashes.size, SEEDS.length);
});

test("a kept trace changes nothing, and leaving actions out does", async () => {
  const plain = await simulate({ seed: 11, ticks: 300 });
  const kept = await simulate({ seed: 11, ticks: 300, keepsTrace: true });
  assert.equal(kept.traceHash, plain.traceHash);
  assert.ok(kept.trace.length > 300);
  const half = await simulate({
    seed: 11,
    ticks: 300,
    only: new Set(Array.from({ length: 150 }, (_, index) => index)),
  });
  assert.notEqual(half.traceHash, plain.traceHash);
  assert.equal(half.violation, undefined);
});
