// The load of a queue in the admin API: what it counts, on a virtual clock.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangeMessageVisibilityCommand, DeleteMessageCommand } from "@aws-sdk/client-sqs";
import type { Millpond } from "../../src/testing/index.ts";
import { receive, withWorld } from "../consumer/world.ts";

async function loadOf(millpond: Millpond, queue: string) {
  const place = `${millpond.account}/${millpond.region}/${queue}`;
  const response = await fetch(`${millpond.endpoint}/_millpond/queues/${place}/load`);
  return { status: response.status, load: (await response.json()) as Record<string, number> };
}

test("the load has counts, the oldest age, and counters of what came, was taken, was done and how long it was held", () =>
  withWorld(async ({ millpond, sqs, clock, queue, send }) => {
    const url = await queue("orders");
    const empty = (await loadOf(millpond, "orders")).load;
    assert.deepEqual([empty["backlog"], empty["oldestAgeMs"], empty["arrivedCount"]], [0, 0, 0]);
    await send(url, ["a", "b", "c"]);
    await clock.advance(5000);
    const [first, second] = await receive(sqs, url, 2);
    await clock.advance(1500);
    await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: first?.ReceiptHandle }));
    await sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: second?.ReceiptHandle, VisibilityTimeout: 0 }),
    );
    await receive(sqs, url, 1);
    const { load } = await loadOf(millpond, "orders");
    const { visibleCount, inFlightCount, delayedCount, backlog, oldestAgeMs } = load;
    assert.deepEqual([visibleCount, inFlightCount, delayedCount, backlog, oldestAgeMs], [1, 1, 0, 2, 6500]);
    const { arrivedCount, receivedCount, deletedCount, heldMs } = load;
    assert.deepEqual([arrivedCount, receivedCount, deletedCount, heldMs], [3, 3, 1, 1500]);
    assert.equal(load["epoch"], empty["epoch"]);
    assert.equal((await loadOf(millpond, "none")).status, 404);
  }));

test("a FIFO queue's load counts the groups that have messages", () =>
  withWorld(async ({ millpond, queue, send }) => {
    const url = await queue("orders.fifo");
    await send(url, ["a1", "a2", "b1"], (body) => body.slice(0, 1));
    assert.equal((await loadOf(millpond, "orders.fifo")).load["groupCount"], 2);
  }));
