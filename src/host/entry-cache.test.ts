import assert from "node:assert/strict";
import { test } from "node:test";
import { EntryCache } from "./entry-cache.ts";

test("the oldest entries go when the bound is passed", () => {
  const cache = new EntryCache(100);
  for (let seq = 1; seq <= 5; seq++) cache.put(0, seq, Buffer.alloc(40));
  assert.equal(cache.get(0, 3), undefined);
  assert.notEqual(cache.get(0, 4), undefined);
  assert.notEqual(cache.get(0, 5), undefined);
});

test("one entry larger than the bound is kept until the next one", () => {
  const cache = new EntryCache(10);
  cache.put(0, 1, Buffer.alloc(40));
  assert.notEqual(cache.get(0, 1), undefined);
});

test("forgetting a shard leaves the others, and makes room", () => {
  const cache = new EntryCache(100);
  cache.put(0, 1, Buffer.alloc(40));
  cache.put(1, 1, Buffer.alloc(40));
  cache.forgetShard(0);
  assert.equal(cache.get(0, 1), undefined);
  cache.put(1, 2, Buffer.alloc(60));
  assert.notEqual(cache.get(1, 1), undefined);
});
