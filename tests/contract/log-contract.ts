// What every ShardLog and SnapshotStore must do, whatever they are made of. A new kind of log joins by a test file that
// calls `logContract`. What is special about files on a disk (faults, power cuts, damage) is tested beside it.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { isFault } from "../../src/base/fault.ts";
import { PAYLOAD_BYTES_MAX, type ShardStorage } from "../../src/log/index.ts";
import { appendAll, collect, payloadOf, stamp, text, textIn } from "./log-tools.ts";

export interface StorageUnderTest {
  /** The first opening of a new storage, or another one of the same after the last was closed. */
  open(): Promise<ShardStorage>;
  /** After all openings were closed. */
  discard(): Promise<void>;
}

export interface ContractOptions {
  /** Is what was appended there at the next opening? */
  keeps: boolean;
}

/** `makeStorage` gives segments of about `SEGMENT_BYTES`. */
export const SEGMENT_BYTES = 8 * 1024;

export function logContract(
  name: string,
  { keeps }: ContractOptions,
  makeStorage: () => Promise<StorageUnderTest>,
): void {
  describe(`a log on ${name}`, () => {
    let storage: StorageUnderTest;
    let opened: ShardStorage;

    beforeEach(async () => {
      storage = await makeStorage();
      opened = await storage.open();
    });

    afterEach(async () => {
      await opened.log.close();
      await storage.discard();
    });

    const reopen = async () => {
      await opened.log.close();
      opened = await storage.open();
      return opened;
    };

    test("a new log is empty", async () => {
      const { log, snapshots } = opened;
      assert.deepEqual([log.tail(), log.head()], [0, 1]);
      assert.deepEqual(await collect(log.read(1)), []);
      assert.deepEqual(await snapshots.list(), []);
    });

    test("entries are numbered densely from 1 and read back as they were written", async () => {
      const { log } = opened;
      assert.deepEqual(await log.append(payloadOf("a"), 0, { epoch: 3, ownerTimeMs: 17, factCount: 2 }), {
        is: "ok",
        seq: 1,
      });
      assert.deepEqual(await log.append(new Uint8Array(), 1, stamp), { is: "ok", seq: 2 });
      assert.equal(log.tail(), 2);
      const [first, second] = await collect(log.read(1));
      assert.deepEqual(
        { ...first, payload: text(first) },
        { seq: 1, epoch: 3, ownerTimeMs: 17, factCount: 2, payload: "a" },
      );
      assert.deepEqual([second?.seq, second?.payload.length], [2, 0]);
    });

    test("an append after another position than the last is a conflict and keeps nothing", async () => {
      const { log } = opened;
      await appendAll(log, ["a", "b"]);
      for (const expected of [0, 1, 3]) {
        assert.deepEqual(await log.append(payloadOf("x"), expected, stamp), { is: "conflict", tail: 2 });
      }
      assert.deepEqual(await log.append(payloadOf("c"), 2, stamp), { is: "ok", seq: 3 });
      assert.deepEqual((await collect(log.read(1))).map(text), ["a", "b", "c"]);
    });

    test("a conflict fails the appends that were issued behind it, even where their position fits", async () => {
      const { log } = opened;
      await appendAll(log, ["a", "b"]);
      const results = await Promise.all([log.append(payloadOf("x"), 1, stamp), log.append(payloadOf("y"), 2, stamp)]);
      assert.deepEqual(results, [
        { is: "conflict", tail: 2 },
        { is: "conflict", tail: 2 },
      ]);
      assert.deepEqual(await log.append(payloadOf("c"), 2, stamp), { is: "ok", seq: 3 });
    });

    test("appends may be pipelined and resolve in the order of their calls", async () => {
      const { log } = opened;
      const resolved: number[] = [];
      const appends = Array.from({ length: 200 }, (_, index) =>
        log.append(payloadOf(`entry ${index}`), index, stamp).then((result) => {
          assert.ok(result.is === "ok");
          assert.ok(log.tail() >= result.seq, "the tail is not behind what was acknowledged");
          resolved.push(result.seq);
        }),
      );
      await Promise.all(appends);
      assert.deepEqual(
        resolved,
        Array.from({ length: 200 }, (_, index) => index + 1),
      );
    });

    test("the log reads from any entry on, and up to the tail as it was at the call", async () => {
      const { log } = opened;
      await appendAll(log, ["a", "b", "c"]);
      const from2 = log.read(2);
      await log.append(payloadOf("d"), 3, stamp);
      assert.deepEqual((await collect(from2)).map(text), ["b", "c"]);
      assert.deepEqual((await collect(log.read(4))).map(text), ["d"]);
      assert.deepEqual(await collect(log.read(5)), []);
    });

    test("single entries are read by number, and their payload is the reader's own", async () => {
      const { log } = opened;
      await appendAll(log, ["a", "b", "c"]);
      const entry = await log.readEntry(2);
      assert.equal(text(entry), "b");
      entry.payload.fill(0);
      assert.equal(text(await log.readEntry(2)), "b");
      for (const seq of [0, 4]) {
        await assert.rejects(log.readEntry(seq), (error) => isFault(error, "LogDamaged"));
      }
    });

    test("the caller may change a payload once its append has resolved", async () => {
      const { log } = opened;
      const payload = payloadOf("before");
      await log.append(payload, 0, stamp);
      payload.fill(0);
      assert.equal(text(await log.readEntry(1)), "before");
    });

    test("entries of every length up to the bound are kept", async () => {
      const { log } = opened;
      const lengths = [0, 1, 7, 8, 9, 63, 64, 65, SEGMENT_BYTES - 1, SEGMENT_BYTES, 70_000, PAYLOAD_BYTES_MAX, 3];
      for (const [index, length] of lengths.entries()) {
        assert.deepEqual(await log.append(filled(length, index + 1), index, stamp), { is: "ok", seq: index + 1 });
      }
      for (const [index, length] of lengths.entries()) {
        const { payload } = await log.readEntry(index + 1);
        assert.ok(Buffer.from(payload).equals(filled(length, index + 1)), `entry of ${length} bytes`);
      }
      const walked = await collect(log.read(1));
      assert.deepEqual(
        walked.map(({ payload }) => payload.length),
        lengths,
      );
      await assert.rejects(async () => log.append(new Uint8Array(PAYLOAD_BYTES_MAX + 1), log.tail(), stamp));
      assert.deepEqual(await log.append(payloadOf("goes on"), log.tail(), stamp), {
        is: "ok",
        seq: lengths.length + 1,
      });
    });

    test("segments tile the log; only the newest is open", async () => {
      const { log } = opened;
      await appendAll(log, texts(60));
      const segments = log.segments();
      assert.ok(segments.length >= 3, `${segments.length} segments`);
      let next = 1;
      for (const [index, segment] of segments.entries()) {
        assert.equal(segment.firstSeq, next);
        assert.equal(segment.sealed, index < segments.length - 1);
        assert.ok(segment.bytes > 0 && segment.bytes <= SEGMENT_BYTES);
        next = segment.lastSeq + 1;
      }
      assert.equal(next, log.tail() + 1);
    });

    test("trimming forgets whole segments and keeps the tail", async () => {
      const { log } = opened;
      await appendAll(log, texts(60));
      const [first, second, third] = log.segments();
      assert.ok(first && second && third);
      await log.trim(second.lastSeq - 1, () => true);
      assert.equal(log.head(), second.firstSeq, "the second one holds an entry that must stay");
      await assert.rejects(log.readEntry(1), (error) => isFault(error, "LogDamaged"));
      assert.equal(text(await log.readEntry(second.firstSeq)), textOf(second.firstSeq));
      await log.trim(log.tail(), () => true);
      assert.equal(log.segments().length, 1);
      assert.equal(log.tail(), 60);
      assert.equal(text(await log.readEntry(60)), textOf(60));
      assert.deepEqual(await log.append(payloadOf("next"), 60, stamp), { is: "ok", seq: 61 });
    });

    test("a hole in the middle stays readable on both sides", async () => {
      const { log } = opened;
      await appendAll(log, texts(60));
      const [first, second, third] = log.segments();
      assert.ok(first && second && third);
      await log.trim(log.tail(), (segment) => segment.firstSeq === second.firstSeq);
      assert.equal(log.head(), 1);
      const seqs = (await collect(log.read(1))).map(({ seq }) => seq);
      assert.deepEqual(seqs, [...range(1, first.lastSeq), ...range(third.firstSeq, 60)]);
      assert.equal(text(await log.readEntry(first.lastSeq)), textOf(first.lastSeq));
      assert.equal(text(await log.readEntry(third.firstSeq)), textOf(third.firstSeq));
      await assert.rejects(log.readEntry(second.firstSeq), (error) => isFault(error, "LogDamaged"));
    });

    test("a reader is not disturbed by a trim of what it reads, nor by what is written meanwhile", async () => {
      const { log } = opened;
      await appendAll(log, texts(60));
      const reader = log.read(1)[Symbol.asyncIterator]();
      assert.equal(text((await reader.next()).value), textOf(1));
      const [first] = log.segments();
      await log.trim(log.tail(), () => true);
      await appendAll(log, texts(60, "new"));
      for (const seq of range(2, first?.lastSeq as number))
        assert.equal(text((await reader.next()).value), textOf(seq));
      const after = await reader.next();
      assert.ok(after.done || after.value.seq > (first?.lastSeq as number));
      await reader.return?.();
      await appendAll(log, texts(60, "newer"));
      assert.deepEqual(
        (await collect(log.read(log.tail() - 2))).map(text),
        ["newer 58", "newer 59", "newer 60"].map(pad),
      );
    });

    test("after closing, calls reject", async () => {
      const { log } = opened;
      await log.append(payloadOf("a"), 0, stamp);
      await log.close();
      await log.close();
      await assert.rejects(async () => log.append(payloadOf("b"), 1, stamp));
      await assert.rejects(log.readEntry(1));
      await assert.rejects(async () => collect(log.read(1)));
    });

    test("closing waits for what was appended", async () => {
      const { log } = opened;
      const appends = texts(30).map((body, index) => log.append(payloadOf(body), index, stamp));
      await log.close();
      assert.deepEqual(
        (await Promise.all(appends)).map(({ is }) => is),
        Array(30).fill("ok"),
      );
    });

    test("the newest two snapshots are kept, newest first", async () => {
      const { snapshots, log } = opened;
      await appendAll(log, texts(9));
      for (const seq of [3, 5, 9]) await snapshots.put(seq, [payloadOf(`state at ${seq}, `), payloadOf("whole")]);
      const refs = await snapshots.list();
      assert.deepEqual(
        refs.map(({ seq }) => seq),
        [9, 5],
      );
      for (const ref of refs) assert.equal(textIn(await snapshots.get(ref)), `state at ${ref.seq}, whole`);
      await snapshots.put(9, [payloadOf("again")]);
      assert.deepEqual(
        (await snapshots.list()).map(({ seq }) => seq),
        [9, 5],
      );
      assert.equal(textIn(await snapshots.get({ seq: 9, bytes: 0 })), "again");
      await snapshots.put(7, []);
      assert.deepEqual(
        (await snapshots.list()).map(({ seq }) => seq),
        [9, 7],
      );
      await assert.rejects(snapshots.get({ seq: 4, bytes: 1 }), (error) => isFault(error));
    });

    if (!keeps) return;

    test("another opening finds entries, tail, epoch and snapshots", async () => {
      await appendAll(opened.log, texts(59));
      await opened.log.append(payloadOf("last"), 59, { epoch: 7, ownerTimeMs: 8, factCount: 9 });
      await opened.snapshots.put(40, [payloadOf("state")]);
      const before = opened.log.segments();
      const { log, snapshots } = await reopen();
      assert.deepEqual([log.tail(), log.head()], [60, 1]);
      assert.deepEqual(log.segments(), before);
      const entries = await collect(log.read(1));
      assert.deepEqual(entries.map(text), [...texts(59), "last"]);
      assert.equal((await log.readEntry(60)).epoch, 7);
      assert.deepEqual(
        (await snapshots.list()).map(({ seq }) => seq),
        [40],
      );
      assert.deepEqual(await log.append(payloadOf("x"), 60, stamp), { is: "ok", seq: 61 });
    });

    test("the tail and its epoch survive a trim of all that can go", async () => {
      await appendAll(opened.log, texts(60));
      await opened.log.trim(60, () => true);
      const { log } = await reopen();
      assert.equal(log.tail(), 60);
      assert.equal((await log.readEntry(60)).epoch, stamp.epoch);
      assert.deepEqual(await log.append(payloadOf("x"), 60, stamp), { is: "ok", seq: 61 });
    });

    test("a hole in the middle survives another opening", async () => {
      await appendAll(opened.log, texts(60));
      const [first, second, third] = opened.log.segments();
      assert.ok(first && second && third);
      await opened.log.trim(60, (segment) => segment.firstSeq === second.firstSeq);
      const { log } = await reopen();
      const seqs = (await collect(log.read(1))).map(({ seq }) => seq);
      assert.deepEqual(seqs, [...range(1, first.lastSeq), ...range(third.firstSeq, 60)]);
    });

    test("single entries of segments that nobody has walked yet are found", async () => {
      await appendAll(opened.log, texts(60));
      const { log } = await reopen();
      for (const seq of [60, 1, 31, 30, 2]) assert.equal(text(await log.readEntry(seq)), textOf(seq));
    });

    test("many openings in a row lose nothing", async () => {
      for (let round = 0; round < 12; round++) {
        assert.equal(opened.log.tail(), round * 7);
        await appendAll(opened.log, texts(7, `round ${round}`));
        await reopen();
      }
      assert.equal((await collect(opened.log.read(1))).length, 84);
    });
  });
}

/** About 400 bytes each, so that some twenty entries fill a segment. */
function texts(count: number, prefix = "entry"): string[] {
  return range(1, count).map((number) => pad(`${prefix} ${number}`));
}

function textOf(seq: number): string {
  return pad(`entry ${seq}`);
}

function pad(body: string): string {
  return body.padEnd(400, ".");
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function filled(length: number, value: number): Buffer {
  return Buffer.alloc(length, value);
}
