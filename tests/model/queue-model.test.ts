// Random commands and steps of the clock, on the engine and on the reference queue side by side. After each command
// the counts agree and what was handed out was allowed; at the end a replay of the log and a reload of a snapshot
// give exactly the state that the live engine has.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fingerprint, type TestReceived, TestShard } from "../support/test-shard.ts";
import { type ReferenceMessage, ReferenceQueue } from "./reference-queue.ts";

const MAIN = 1;
const DEAD_LETTER = 2;
const RUNS = Number(process.env.MODEL_RUNS ?? 300);
const SEED = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RETENTION_MS = 60_000;

type Step =
  | { do: "send"; group: number; dedup: number; delay: number }
  | { do: "receive"; max: number; timeout: number | undefined }
  | { do: "receiveDead" }
  | { do: "delete"; handle: number }
  | { do: "change"; handle: number; timeout: number }
  | { do: "purge" }
  | { do: "redrive" }
  | { do: "advance"; ms: number }
  /** To the moment, or the millisecond before it, at which the next message or deduplication id changes by time. */
  | { do: "advanceToChange"; earlyMs: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("send" as const),
      group: fc.nat(3),
      dedup: fc.nat(12),
      delay: fc.constantFrom(0, 0, 0, 2_000),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant("receive" as const),
      max: fc.integer({ min: 1, max: 4 }),
      timeout: fc.constantFrom(undefined, 0, 1_000, 10_000),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "receiveDead" as const }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("delete" as const), handle: fc.nat(30) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("change" as const),
      handle: fc.nat(30),
      timeout: fc.constantFrom(0, 500, 20_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "purge" as const }) },
  { weight: 2, arbitrary: fc.constant({ do: "redrive" as const }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      ms: fc.constantFrom(1, 499, 1_000, 5_000, 5_000, 50_000),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("advanceToChange" as const), earlyMs: fc.constantFrom(0, 1) }) },
);

interface Variant {
  name: string;
  fifo: boolean;
  grouped: boolean;
  maxReceiveCount?: number;
  delayMs: number;
}

const VARIANTS: Variant[] = [
  { name: "a standard queue", fifo: false, grouped: false, delayMs: 0 },
  {
    name: "a standard queue with a dead-letter queue and a delay",
    fifo: false,
    grouped: false,
    maxReceiveCount: 2,
    delayMs: 1_000,
  },
  { name: "a fair queue", fifo: false, grouped: true, delayMs: 0 },
  { name: "a FIFO queue", fifo: true, grouped: true, delayMs: 0 },
  {
    name: "a FIFO queue with a dead-letter queue and a delay",
    fifo: true,
    grouped: true,
    maxReceiveCount: 2,
    delayMs: 1_000,
  },
];

for (const variant of VARIANTS) {
  test(`${variant.name} behaves like the reference (seed ${SEED})`, () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 150, size: "max" }), (steps) =>
        new Duel(variant).run(steps),
      ),
      { seed: SEED, numRuns: RUNS },
    );
  });
}

/** The engine and the reference, given the same commands. */
class Duel {
  readonly variant: Variant;
  readonly shard = new TestShard();
  readonly main: ReferenceQueue;
  readonly dead: ReferenceQueue;
  /** Every receipt ever handed out by the main queue. */
  readonly handles: { received: TestReceived; handout: number }[] = [];
  /** Moves to the dead-letter queue so far. */
  arrivals = 0;

  constructor(variant: Variant) {
    this.variant = variant;
    const { fifo, delayMs } = variant;
    const common = { fifo, visibilityTimeoutMs: 5_000, retentionMs: RETENTION_MS };
    const limit = variant.maxReceiveCount === undefined ? {} : { maxReceiveCount: variant.maxReceiveCount };
    this.main = new ReferenceQueue({ ...common, delayMs, ...limit });
    this.dead = new ReferenceQueue({ ...common, delayMs: 0 });
    this.shard.configure(MAIN, { ...common, delayMs, ...limit });
    this.shard.configure(DEAD_LETTER, common);
  }

  run(steps: Step[]): void {
    for (const each of steps) {
      this.#do(each);
      assert.deepEqual(this.shard.counts(MAIN), this.main.counts(), `counts after ${JSON.stringify(each)}`);
      assert.deepEqual(
        this.shard.counts(DEAD_LETTER),
        this.dead.counts(),
        `dead-letter counts after ${JSON.stringify(each)}`,
      );
    }
    assert.deepEqual(this.shard.members(MAIN).sort(), this.main.messages.map(({ id }) => id).sort());
    const live = fingerprint(this.shard.state);
    assert.equal(fingerprint(this.shard.replayed()), live, "a replay of the log gives the live state");
    assert.equal(fingerprint(this.shard.restored()), live, "a snapshot gives the live state");
  }

  #do(each: Step): void {
    switch (each.do) {
      case "send":
        return this.#send(each.group, each.dedup, each.delay);
      case "receive":
        return this.#receive(each.max, each.timeout);
      case "receiveDead":
        return this.#receiveDead();
      case "delete":
        return this.#delete(each.handle);
      case "change":
        return this.#change(each.handle, each.timeout);
      case "purge":
        this.shard.perform<"purgeQueue">({ kind: "purgeQueue", partition: MAIN });
        this.main.messages = [];
        this.main.deduplication = [];
        return;
      case "redrive":
        return this.#redrive();
      case "advance":
        return this.#advance(each.ms);
      case "advanceToChange": {
        const nextMs = this.main.nextChangeMs(this.shard.nowMs);
        if (nextMs !== undefined) this.#advance(nextMs - this.shard.nowMs - each.earlyMs);
        return;
      }
    }
  }

  #advance(ms: number): void {
    this.shard.advance(ms);
    this.main.advanceTo(this.shard.nowMs);
    this.dead.advanceTo(this.shard.nowMs);
  }

  #send(group: number, dedup: number, delay: number): void {
    const { fifo, grouped, delayMs } = this.variant;
    const groupId = grouped ? `g${group}` : undefined;
    const { nowMs } = this.shard;
    const seq = this.shard.state.nextSeq;
    const result = this.shard.send(MAIN, `body ${seq}`, {
      ...(groupId === undefined ? {} : { groupId }),
      ...(fifo ? { deduplicationId: `d${dedup}` } : {}),
      ...(!fifo && delay > 0 ? { delayMs: delay } : {}),
    });
    assert.ok(result.ok);
    const { messageId } = result.value;
    const earlier = fifo ? this.main.duplicateOf(`d${dedup}`, nowMs) : undefined;
    if (earlier !== undefined) {
      assert.equal(messageId, earlier, "a duplicate is answered with the first one's id");
      return;
    }
    this.main.add(messageId, seq, nowMs, !fifo && delay > 0 ? delay : delayMs, { group: groupId });
    if (fifo) this.main.remember(`d${dedup}`, messageId, nowMs);
  }

  #receive(max: number, timeout: number | undefined): void {
    const { nowMs } = this.shard;
    // Before what the receive moves to the dead-letter queue takes numbers there.
    const { nextSeq } = this.shard.state;
    const available = this.main.available();
    const deadBefore = new Set(this.shard.members(DEAD_LETTER));
    const target = { shard: 0, partition: DEAD_LETTER };
    const received = this.shard.receive(
      MAIN,
      { messagesMax: max, visibilityTimeoutMs: timeout },
      this.variant.maxReceiveCount === undefined ? undefined : target,
    );
    const moved = this.shard.members(DEAD_LETTER).filter((id) => !deadBefore.has(id));
    this.#checkHandout(available, received, moved, max);
    for (const id of moved) this.#moveToDead(id, nowMs);
    for (const one of received) {
      const message = this.main.find(one.messageId) as ReferenceMessage;
      this.main.handOut(message, timeout ?? 5_000, nowMs, nextSeq);
      assert.equal(one.receiveCount, message.receives, "the receive count includes this receive");
      this.handles.push({ received: one, handout: message.handouts });
    }
  }

  /** Only what was available, nothing twice, spent ones moved instead, and never fewer than possible. */
  #checkHandout(available: ReferenceMessage[], received: TestReceived[], moved: string[], max: number): void {
    const ids = received.map(({ messageId }) => messageId);
    assert.equal(new Set(ids).size, ids.length, "no message twice in one answer");
    const fresh = available.filter((message) => !this.main.isSpent(message)).map(({ id }) => id);
    const spent = available.filter((message) => this.main.isSpent(message)).map(({ id }) => id);
    assert.equal(ids.length, Math.min(max, fresh.length), "as many as there are and were asked for");
    for (const id of ids) assert.ok(fresh.includes(id), "only available messages are handed out");
    for (const id of moved) assert.ok(spent.includes(id), "only spent messages are moved");
    if (ids.length < max) assert.deepEqual([...moved].sort(), [...spent].sort(), "all spent messages met are moved");
    if (this.variant.fifo) assert.deepEqual(ids, fresh.slice(0, max), "in order, one group after the other");
  }

  #moveToDead(id: string, nowMs: number): void {
    const message = this.main.find(id) as ReferenceMessage;
    this.main.remove(id);
    const retainFromMs = this.variant.fifo ? nowMs : message.retainFromMs;
    // Messages in a dead-letter queue are in the order of their arrival there, also when earlier ones have left it.
    this.arrivals += 1;
    this.dead.add(id, this.arrivals, nowMs, 0, { group: message.group, retainFromMs, receives: message.receives });
  }

  #receiveDead(): void {
    const allowed = this.dead.available().length;
    const received = this.shard.receive(DEAD_LETTER, { messagesMax: 10 });
    assert.equal(received.length, Math.min(10, allowed));
    for (const one of received) {
      const message = this.dead.find(one.messageId) as ReferenceMessage;
      this.dead.handOut(message, 5_000, this.shard.nowMs, this.arrivals + 1);
      assert.equal(one.receiveCount, message.receives, "the count goes on in the dead-letter queue");
    }
  }

  /** Redriven messages are new ones: new id, new clock, a count that starts again; what is not available stays. */
  #redrive(): void {
    const { nowMs } = this.shard;
    const leaving = this.dead.available();
    const bodies = new Map(leaving.map((message) => [this.shard.bodies(DEAD_LETTER).get(message.id), message]));
    const before = new Set(this.shard.members(MAIN));
    assert.equal(this.shard.redrive(DEAD_LETTER, MAIN), "COMPLETED");
    const arrived = this.shard.members(MAIN).filter((id) => !before.has(id));
    assert.equal(arrived.length, leaving.length, "everything available is moved, and nothing else");
    for (const [index, id] of arrived.entries()) {
      const body = this.shard.bodies(MAIN).get(id);
      const message = bodies.get(body);
      assert.ok(message !== undefined, "only what was in the dead-letter queue arrives");
      if (this.variant.fifo) assert.equal(message.id, leaving[index]?.id, "in order");
      this.dead.remove(message.id);
      const seq = this.shard.state.nextSeq - arrived.length + index;
      this.main.add(id, seq, nowMs, this.variant.delayMs, { group: message.group });
    }
  }

  #delete(pick: number): void {
    const handle = this.handles[pick % Math.max(1, this.handles.length)];
    if (handle === undefined) return;
    const { receipt, messageId } = handle.received;
    const result = this.shard.perform<"deleteMessages">({
      kind: "deleteMessages",
      partition: MAIN,
      receipts: [receipt],
    });
    assert.ok(result.ok);
    const message = this.main.find(messageId);
    const isExpired = message !== undefined && this.variant.fifo && !this.#isCurrent(message, handle.handout);
    assert.equal(result.value.entries[0]?.ok, !isExpired, "a FIFO handle is good only while its receive lasts");
    if (!isExpired) this.main.remove(messageId);
  }

  #change(pick: number, timeout: number): void {
    const handle = this.handles[pick % Math.max(1, this.handles.length)];
    if (handle === undefined) return;
    const { receipt, messageId } = handle.received;
    const result = this.shard.perform<"changeVisibility">({
      kind: "changeVisibility",
      partition: MAIN,
      entries: [{ receipt, visibilityTimeoutMs: timeout }],
    });
    assert.ok(result.ok);
    const message = this.main.find(messageId);
    const isAllowed = message !== undefined && (!this.variant.fifo || this.#isCurrent(message, handle.handout));
    assert.equal(result.value.entries[0]?.ok, isAllowed);
    if (message === undefined || !isAllowed) return;
    if (timeout === 0) message.hiddenBy = "nothing";
    else this.main.hide(message, this.shard.nowMs + timeout);
  }

  #isCurrent(message: ReferenceMessage, handout: number): boolean {
    return message.hiddenBy === "receive" && message.handouts === handout;
  }
}
