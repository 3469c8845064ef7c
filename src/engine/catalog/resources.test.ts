import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointName, Resources } from "./resources.ts";

const topic = (name: string) => ({
  topic: { account: "1", region: "r", name },
  attributes: {},
  tags: {},
  createdAtMs: 1,
  deletedSubscriptionCount: 0,
});

const subscription = {
  subscription: { topic: { account: "1", region: "r", name: "t" }, id: "1" },
  protocol: "http" as const,
  endpoint: "http://shop.test/",
  owner: "1",
  principal: "p",
  attributes: {},
  pending: true,
  confirmationWasAuthenticated: false,
  unsubscribeNeedsAuthentication: false,
  token: "first",
  tokenExpiresAtMs: 1,
  createdAtMs: 1,
};

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

test("a record is found by the names that it has now", () => {
  const resources = new Resources();
  const key = "arn:t:1";
  const record = subscription;
  const byEndpoint = endpointName("arn:t", "http", "http://shop.test/");
  resources.put({ type: "subscription", key, record });
  resources.put({ type: "subscription", key, record: { ...record, token: "second" } });
  assert.equal(resources.find("subscription", "first"), undefined);
  assert.equal(resources.find("subscription", "second")?.token, "second");
  assert.equal(resources.find("subscription", byEndpoint)?.token, "second");
  assert.equal(resources.find("unsubscribed", "second"), undefined);
  resources.put({ type: "subscription", key: "arn:t:2", record: { ...record, token: "third" } });
  resources.remove("subscription", key);
  assert.equal(resources.find("subscription", "second"), undefined);
  assert.equal(resources.find("subscription", byEndpoint)?.token, "third");
  resources.clear();
  assert.equal(resources.find("subscription", "third"), undefined);
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

test("what is listed and put again comes in the same order, also when the last of a type was removed meanwhile", () => {
  const resources = new Resources();
  const put = (into: Resources, key: string) => into.put({ type: "subscription", key, record: subscription });
  put(resources, "arn:t:1");
  resources.put({ type: "topic", key: "arn:t", record: topic("t") });
  resources.remove("subscription", "arn:t:1");
  const restored = new Resources();
  for (const entry of resources.entries()) restored.put(entry);
  for (const each of [resources, restored]) put(each, "arn:t:2");
  assert.deepEqual([...restored.entries()], [...resources.entries()]);
});
