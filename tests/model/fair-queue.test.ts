// Fair queues: a tenant (message group of a standard queue) that holds too much of what is in flight waits until no
// quiet tenant has anything (developer guide, "fair queues"; sqs.md §6.6).

import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprint, TestShard } from "../support/test-shard.ts";

function givenNoisyTenant(): TestShard {
  const shard = new TestShard();
  shard.configure(1);
  for (let index = 0; index < 100; index++) shard.send(1, `noisy ${index}`, { groupId: "noisy" });
  for (let round = 0; round < 4; round++) shard.receive(1);
  return shard;
}

test("a quiet tenant's message goes before the backlog of a noisy one", () => {
  const shard = givenNoisyTenant();
  shard.send(1, "quiet", { groupId: "quiet" });
  assert.equal(shard.receive(1, { messagesMax: 1 })[0]?.body, "quiet");
});

test("a message without a group is its own quiet tenant", () => {
  const shard = givenNoisyTenant();
  shard.send(1, "alone");
  assert.equal(shard.receive(1, { messagesMax: 1 })[0]?.body, "alone");
});

test("a noisy tenant is served when nobody else has anything", () => {
  const shard = givenNoisyTenant();
  assert.equal(shard.receive(1).length, 10);
});

test("a tenant with fewer than thirty in flight is not noisy, whatever its share", () => {
  const shard = new TestShard();
  shard.configure(1);
  for (let index = 0; index < 60; index++) shard.send(1, `first ${index}`, { groupId: "first" });
  for (let round = 0; round < 2; round++) shard.receive(1);
  shard.send(1, "second", { groupId: "second" });
  assert.equal(shard.receive(1, { messagesMax: 1 })[0]?.body, "first 20");
});

test("among noisy tenants the one with fewer in flight goes first", () => {
  const shard = new TestShard();
  shard.configure(1);
  for (const tenant of ["a", "b"]) {
    for (let index = 0; index < 100; index++) shard.send(1, `${tenant} ${index}`, { groupId: tenant });
  }
  // Oldest first: all of these are a's, until a is noisy and b is served; then both are.
  for (let round = 0; round < 8; round++) shard.receive(1);
  const inFlight = (tenant: string) => {
    const partition = shard.state.partition(1);
    return partition.groups[partition.groupIndexes.get(tenant) as number]?.inFlightCount as number;
  };
  const [a, b] = [inFlight("a"), inFlight("b")];
  assert.ok(a >= 30 && b >= 30, `a ${a}, b ${b}`);
  assert.equal(shard.receive(1, { messagesMax: 1 })[0]?.groupId, b < a ? "b" : "a");
});

test("a tenant that was silent for five minutes is quiet again", () => {
  const shard = givenNoisyTenant();
  shard.advance(300_001);
  shard.send(1, "quiet", { groupId: "quiet" });
  // Everything of the tenant has come back, and its first message is older than the other's.
  assert.equal(shard.receive(1, { messagesMax: 1 })[0]?.groupId, "noisy");
});

test("noise survives a replay and a snapshot", () => {
  const shard = givenNoisyTenant();
  assert.equal(fingerprint(shard.replayed()), fingerprint(shard.state));
  assert.equal(fingerprint(shard.restored()), fingerprint(shard.state));
});
