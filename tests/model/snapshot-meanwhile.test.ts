// A snapshot that is written while the shard goes on is the shard as it was when the snapshot was begun.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../src/base/random.ts";
import { decodeSnapshot, SnapshotWriter } from "../../src/engine/index.ts";
import { fingerprint, TestShard } from "../support/test-shard.ts";

const SETTINGS = { shard: 0, awsDelays: false };
const STANDARD = 1;
const FIFO = 2;
const DEAD = 3;
const RUNS = 8;
const STEPS_A_PIECE = 40;

for (let run = 1; run <= RUNS; run++) {
  const seed = Number(process.env["MILLPOND_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31)) + run;
  test(`whatever changes while it is being written (seed ${seed})`, () => {
    const random = new Random(seed);
    const shard = new TestShard();
    shard.configure(STANDARD, { maxReceiveCount: 3, retentionMs: 200_000 });
    shard.configure(FIFO, { fifo: true });
    shard.configure(DEAD);
    for (let index = 0; index < 6000; index++) change(shard, random, 0.8);
    for (let snapshot = 0; snapshot < 3; snapshot++) {
      const expected = fingerprint(shard.state);
      const writer = new SnapshotWriter(shard.state, true);
      const pieces: Uint8Array[] = [];
      for (let piece = writer.next(); piece !== undefined; piece = writer.next()) {
        pieces.push(piece);
        for (let step = 0; step < STEPS_A_PIECE; step++) change(shard, random, 0.4);
      }
      writer.stop();
      const restored = decodeSnapshot(Buffer.concat(pieces), SETTINGS);
      assert.equal(fingerprint(restored), expected);
      assert.notEqual(fingerprint(shard.state), expected, "something changed meanwhile");
    }
  });
}

test("after it was stopped, a snapshot keeps nothing of what changes", () => {
  const shard = new TestShard();
  shard.configure(STANDARD);
  for (let index = 0; index < 3000; index++) shard.send(STANDARD, "m");
  const writer = new SnapshotWriter(shard.state, true);
  while (writer.next() === undefined);
  writer.stop();
  assert.equal(shard.state.table.watch.below, 0);
  const again = new SnapshotWriter(shard.state, true);
  const pieces: Uint8Array[] = [];
  for (let piece = again.next(); piece !== undefined; piece = again.next()) pieces.push(piece);
  again.stop();
  assert.equal(fingerprint(decodeSnapshot(Buffer.concat(pieces), SETTINGS)), fingerprint(shard.state));
});

function change(shard: TestShard, random: Random, sends: number): void {
  const partition = random.pick([STANDARD, FIFO]);
  if (random.chance(sends)) {
    const delayMs = random.chance(0.2) ? random.below(100_000) : 0;
    const group = `g${random.below(700)}`;
    const id = `d${random.below(1_000_000)}`;
    if (partition === FIFO) shard.send(FIFO, "body", { groupId: group, deduplicationId: id });
    else shard.send(STANDARD, "body", { delayMs, ...(random.chance(0.5) ? { groupId: group } : {}) });
    return;
  }
  const what = random.below(100);
  if (what < 25) shard.advance(random.below(5000));
  else if (what === 25) shard.perform<"purgeQueue">({ kind: "purgeQueue", partition });
  else if (what === 26) shard.advance(310_000);
  else {
    const attempt = partition === FIFO ? { attemptId: `a${random.below(300)}` } : {};
    const received = shard.receive(
      partition,
      attempt,
      partition === STANDARD ? { shard: 0, partition: DEAD } : undefined,
    );
    const receipts = received.filter(() => random.chance(0.6)).map(({ receipt }) => receipt);
    if (receipts.length > 0) shard.perform<"deleteMessages">({ kind: "deleteMessages", partition, receipts });
  }
}
