import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageTable, ROW_BYTES } from "./message-table.ts";

test("freed slots are used again, last freed first, before new ones", () => {
  const table = new MessageTable();
  for (let seq = 1; seq <= 3; seq++) table.take(table.nextFree(), seq);
  table.free(0);
  table.free(2);
  assert.equal(table.nextFree(), 2);
  table.take(2, 4);
  table.take(table.nextFree(), 5);
  assert.equal(table.nextFree(), 3);
  assert.equal(table.count, 3);
});

test("a slot is the message one means only while its seq is the one one knows", () => {
  const table = new MessageTable();
  table.take(0, 1);
  assert.ok(table.holds(0, 1));
  table.free(0);
  assert.ok(!table.holds(0, 1));
  table.take(0, 2);
  assert.ok(!table.holds(0, 1));
  assert.ok(!table.holds(99, 1), "a slot beyond the table holds nothing");
});

test("a message costs at most 100 bytes of columns", () => {
  // Two heap entries of four bytes each come on top, in the queue's heaps.
  assert.ok(ROW_BYTES + 8 <= 108, `${ROW_BYTES} bytes a message`);
});

test("growing keeps what is in the columns", () => {
  const table = new MessageTable();
  for (let seq = 1; seq <= 20_000; seq++) {
    const slot = table.nextFree();
    table.take(slot, seq);
    table.deadlineMs.set(slot, seq * 2);
  }
  for (let slot = 0; slot < 20_000; slot++) assert.equal(table.deadlineMs.get(slot), (slot + 1) * 2);
});
