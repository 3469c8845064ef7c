import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Random } from "../../base/random.ts";
import { DeduplicationTable } from "./deduplication-table.ts";

const WINDOW_MS = 300_000;
const MINUTE_MS = 60_000;

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

function remember(table: DeduplicationTable, key: string, seq: number, nowMs: number): void {
  table.remember(key, { messageId: idOf(seq), seq, expiresAtMs: nowMs + WINDOW_MS }, nowMs);
}

function restored(blocks: Buffer[]): DeduplicationTable {
  const table = new DeduplicationTable();
  for (const block of blocks) table.restoreBlock(block);
  return table;
}

function content(table: DeduplicationTable): string {
  return table
    .blocks()
    .map((block) => block.toString("hex"))
    .join("\n");
}

describe("deduplication ids", () => {
  const SEED = 20_240;
  test(`are found like in a map, before and after a snapshot (seed ${SEED})`, () => {
    const random = new Random(SEED);
    const known = new Map<string, { seq: number; expiresAtMs: number }>();
    let table = new DeduplicationTable();
    let nowMs = 1_700_000_000_000;
    for (let seq = 1; seq <= 30_000; seq++) {
      nowMs += random.below(100) === 0 ? random.below(20_000) : random.below(20);
      const key = `${"é".repeat(random.below(4))}${random.below(20_000)}`;
      const expected = known.get(key);
      const found = table.get(key);
      if (expected !== undefined && expected.expiresAtMs > nowMs) {
        assert.deepEqual(found, { ...expected, messageId: idOf(expected.seq) });
      } else {
        assert.ok(found === undefined || found.expiresAtMs <= nowMs);
        remember(table, key, seq, nowMs);
        known.set(key, { seq, expiresAtMs: nowMs + WINDOW_MS });
      }
      if (seq % 5000 !== 0) continue;
      const again = restored(table.blocks());
      assert.equal(content(again), content(table));
      assert.equal(again.size, table.size);
      table = again;
    }
  });

  test("are forgotten with the last of their minute, by the next one", () => {
    const table = new DeduplicationTable();
    remember(table, "first", 1, 0);
    remember(table, "same minute", 2, MINUTE_MS - 1);
    remember(table, "next minute", 3, MINUTE_MS);
    remember(table, "early", 4, WINDOW_MS + MINUTE_MS - 2);
    assert.equal(table.size, 4);
    remember(table, "late", 5, WINDOW_MS + MINUTE_MS - 1);
    assert.equal(table.size, 3);
    assert.equal(table.get("same minute"), undefined);
    assert.equal(table.get("next minute")?.seq, 3);
  });

  test("that are remembered twice are found as they were last, also from a snapshot", () => {
    const table = new DeduplicationTable();
    for (let seq = 1; seq <= 3000; seq++) remember(table, `key ${seq % 1000}`, seq, seq);
    for (const each of [table, restored(table.blocks())]) {
      for (let key = 0; key < 1000; key++) assert.equal(each.get(`key ${key}`)?.seq, key === 0 ? 3000 : 2000 + key);
    }
  });

  test("of any length have room", () => {
    const table = new DeduplicationTable();
    const keys = [1, 300, 2, 40_000, 65_535, 33_000].map((length) => "k".repeat(length));
    keys.forEach((key, index) => {
      remember(table, key, index, 0);
    });
    const again = restored(table.blocks());
    assert.equal(again.get("kk")?.seq, 2);
    assert.equal(again.get("k".repeat(33_000))?.seq, 5);
    assert.equal(again.get("k".repeat(65_535))?.seq, 4);
    assert.equal(again.get("kkk"), undefined);
  });

  test("stay in a snapshot's blocks as they were when it began", () => {
    const table = new DeduplicationTable();
    for (let seq = 0; seq < 1000; seq++) remember(table, `key ${seq}`, seq, seq);
    const before = content(table);
    const blocks = table.blocks();
    for (let seq = 1000; seq < 3000; seq++) remember(table, `key ${seq}`, seq, WINDOW_MS + seq * 100);
    table.clear();
    assert.equal(content(restored(blocks)), before);
  });

  test("that are cut off are refused", () => {
    const table = new DeduplicationTable();
    remember(table, "key", 1, 0);
    const [block] = table.blocks() as [Buffer];
    for (const length of [1, 33, block.length - 1]) {
      assert.throws(() => restored([block.subarray(0, length)]), RangeError);
    }
  });

  test("take less than 120 bytes each in memory", () => {
    const table = new DeduplicationTable();
    const count = 200_000;
    const before = process.memoryUsage();
    for (let seq = 0; seq < count; seq++) remember(table, idOf(seq), seq, 1000);
    const after = process.memoryUsage();
    assert.equal(table.size, count);
    assert.ok((after.arrayBuffers - before.arrayBuffers) / count < 120);
  });
});
