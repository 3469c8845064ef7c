import assert from "node:assert/strict";
import { test } from "node:test";
import { Resources } from "./resources.ts";

const topic = (name: string) => ({
  topic: { account: "1", region: "r", name },
  attributes: {},
  tags: {},
  createdAtMs: 1,
  deletedSubscriptionCount: 0,
});

test("a record is found by type and key, replaced whole, and gone when removed", () => {
  const resources = new Resources();
  resources.put({ type: "topic", key: "a:b:t", record: topic("t") });
  assert.equal(resources.get("topic", "a:b:t")?.topic.name, "t");
  assert.equal(resources.get("subscription", "a:b:t"), undefined);
  resources.put({ type: "topic", key: "a:b:t", record: { ...topic("t"), tags: { x: "1" } } });
  assert.deepEqual(resources.get("topic", "a:b:t")?.tags, { x: "1" });
  resources.remove("topic", "a:b:t");
  assert.equal(resources.get("topic", "a:b:t"), undefined);
  assert.deepEqual([...resources.entries()], []);
});

test("children of a parent come in order of creation, and every change of one moves the revision on", () => {
  const resources = new Resources();
  const before = resources.revisionOf("topic", "a:b");
  for (const name of ["z", "y"]) resources.put({ type: "topic", key: `a:b:${name}`, record: topic(name) });
  resources.put({ type: "topic", key: "a:c:x", record: topic("x") });
  assert.deepEqual(
    [...resources.childrenOf("topic", "a:b")].map(({ topic: { name } }) => name),
    ["z", "y"],
  );
  const between = resources.revisionOf("topic", "a:b");
  assert.ok(between > before);
  resources.clear();
  assert.ok(resources.revisionOf("topic", "a:b") > between);
  assert.deepEqual([...resources.childrenOf("topic", "a:b")], []);
});
