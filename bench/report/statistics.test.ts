import assert from "node:assert/strict";
import { test } from "node:test";
import { median, quantile } from "./statistics.ts";

test("the median is the middle value, or between the two in the middle", () => {
  assert.equal(median([]), undefined);
  assert.equal(median([10, 9, undefined, 100]), 10);
  assert.equal(median([4, 1, 2, 3]), 2.5);
});

test("a quantile is one of the values", () => {
  assert.equal(quantile([], 0.5), 0);
  assert.deepEqual([quantile([1, 2, 3, 4], 0.5), quantile([1, 2, 3, 4], 0.99), quantile([1, 2, 3, 4], 1)], [3, 4, 4]);
});
