// A shard with something of everything that a snapshot holds, made the same way every time. What an earlier layout
// wrote of it, before FIFO groups took turns, is kept beside this file as snapshot-layout-N.bin.

import { TestShard } from "../support/test-shard.ts";

const STANDARD = 1;
const FIFO = 2;
const DEAD = 3;

export function shardOfEverything(): TestShard {
  const shard = new TestShard();
  shard.configure(STANDARD, { maxReceiveCount: 2 });
  shard.configure(FIFO, { fifo: true });
  shard.configure(DEAD);
  for (let index = 0; index < 300; index++) {
    const delayMs = index % 5 === 0 ? 60_000 : 0;
    shard.send(STANDARD, `standard ${index}`, { delayMs, ...(index % 3 === 0 ? { groupId: `t${index % 4}` } : {}) });
  }
  for (let index = 0; index < 100; index++) {
    shard.send(FIFO, `fifo ${index}`, { groupId: `g${index % 30}`, deduplicationId: `d${index}` });
  }
  const target = { shard: 0, partition: DEAD };
  for (let round = 0; round < 4; round++) {
    const received = shard.receive(STANDARD, {}, target);
    const receipts = received.slice(0, 3).map(({ receipt }) => receipt);
    if (receipts.length > 0) shard.perform<"deleteMessages">({ kind: "deleteMessages", partition: STANDARD, receipts });
    const steps = shard.receive(FIFO, { attemptId: `attempt ${round}`, messagesMax: 3 });
    const done = steps.slice(0, 1).map(({ receipt }) => receipt);
    if (done.length > 0) shard.perform<"deleteMessages">({ kind: "deleteMessages", partition: FIFO, receipts: done });
    shard.advance(31_000);
  }
  shard.receive(STANDARD, {}, target);
  return shard;
}
