import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "./random.ts";

test("the same seed gives the same numbers, another seed others", () => {
  const draw = (seed: number) => {
    const random = new Random(seed);
    return Array.from({ length: 20 }, () => random.bits());
  };
  assert.deepEqual(draw(5), draw(5));
  assert.notDeepEqual(draw(5), draw(6));
});

test("numbers are spread evenly enough for choosing", () => {
  const random = new Random(1);
  const tally = Array(8).fill(0) as number[];
  for (let draw = 0; draw < 8000; draw++) {
    const index = random.below(8);
    tally[index] = (tally[index] as number) + 1;
  }
  for (const count of tally) assert.ok(count > 850 && count < 1150, String(tally));
});

test("a fork is determined by its source and does not move it on", () => {
  const one = new Random(9);
  const other = new Random(9);
  const fork = one.fork();
  other.fork();
  fork.bytes(100);
  assert.equal(one.bits(), other.bits());
});
