import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { chooseSeed, seededRandom } from "../../../tests/support/seeded-random.ts";
import { Link } from "./link.ts";
import type { Asked } from "./messages.ts";

function command(id: number, bytes: number): Asked & { kind: "command" } {
  const queue = { account: "000000000000", region: "us-east-1", name: "orders" };
  return { kind: "command", id, command: { kind: "deleteMessages", queue, receiptHandles: ["x".repeat(bytes)] } };
}

test("messages arrive in order, however large they are and wherever the pipe cuts them", async () => {
  const seed = chooseSeed("LINK_SEED");
  const random = seededRandom(seed);
  const out = new PassThrough();
  const chunks: Buffer[] = [];
  out.on("data", (chunk: Buffer) => chunks.push(chunk));
  const sender = new Link<Asked, never>(out, () => {});
  const sizes = Array.from({ length: 300 }, (_, id) => [0, 10, 1000, 40_000, 200_000][id % 5] as number);
  for (const [id, size] of sizes.entries()) {
    sender.send(command(id, size));
    if (random.chance(1 / 3)) await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise((resolve) => setImmediate(resolve));
  out.end();
  await once(out, "end");

  const bytes = Buffer.concat(chunks);
  const pipe = new PassThrough();
  const received: Asked[] = [];
  new Link<never, Asked>(pipe, (message) => received.push(message));
  for (let at = 0; at < bytes.length; ) {
    const to = at + random.between(1, random.chance(0.5) ? 5 : 100_000);
    pipe.write(bytes.subarray(at, to));
    at = to;
  }
  pipe.end();
  await once(pipe, "end");
  assert.deepEqual(
    received,
    sizes.map((size, id) => command(id, size)),
    `seed ${seed}`,
  );
});

test("what cannot be packed throws, and nothing of it is sent", async () => {
  const out = new PassThrough();
  const link = new Link<Asked, never>(out, () => {});
  const broken = { kind: "getQueue", queue: () => {} } as never;
  link.send(command(1, 1));
  assert.throws(() => link.send({ kind: "command", id: 2, command: broken }));
  link.send(command(3, 1));
  const [bytes] = await once(out, "data");
  const received: Asked[] = [];
  const pipe = new PassThrough();
  new Link<never, Asked>(pipe, (message) => received.push(message));
  pipe.write(bytes);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(received, [command(1, 1), command(3, 1)]);
});
