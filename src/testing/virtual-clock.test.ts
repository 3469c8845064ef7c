import assert from "node:assert/strict";
import { test } from "node:test";
import { seededIds } from "./seeded-ids.ts";
import { VirtualClock } from "./virtual-clock.ts";

test("due timers run in time order, each at its own time, with a settling between them", async () => {
  const clock = new VirtualClock(1000);
  const seen: string[] = [];
  clock.settleWith(async () => void seen.push(`settled at ${clock.nowMs()}`));
  clock.setTimer(1300, () => seen.push(`late at ${clock.nowMs()}`));
  clock.setTimer(1100, () => seen.push(`early at ${clock.nowMs()}`));
  await clock.advance(200);
  assert.deepEqual(seen, ["settled at 1000", "early at 1100", "settled at 1100", "settled at 1200"]);
  await clock.advance(100);
  assert.deepEqual(seen.slice(4), ["settled at 1200", "late at 1300", "settled at 1300", "settled at 1300"]);
});

test("a timer that a timer sets runs in the same advance when it is due in it", async () => {
  const clock = new VirtualClock(0);
  const seen: number[] = [];
  clock.setTimer(10, () => clock.setTimer(20, () => seen.push(clock.nowMs())));
  await clock.advance(30);
  assert.deepEqual(seen, [20]);
  assert.equal(clock.nowMs(), 30);
});

test("timers of one millisecond run in the order they were set, and a cancelled one does not run", async () => {
  const clock = new VirtualClock(0);
  const seen: string[] = [];
  clock.setTimer(5, () => seen.push("first"));
  const doomed = clock.setTimer(5, () => seen.push("cancelled"));
  clock.setTimer(5, () => seen.push("second"));
  doomed.cancel();
  await clock.advance(5);
  assert.deepEqual(seen, ["first", "second"]);
});

test("a time in the past runs in a later turn without the clock being moved", async () => {
  const clock = new VirtualClock(100);
  let hasRun = false;
  clock.setTimer(50, () => {
    hasRun = true;
  });
  assert.equal(hasRun, false);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hasRun, true);
  assert.equal(clock.nowMs(), 100);
});

test("two advances at once run one after the other, and time never goes backwards", async () => {
  const clock = new VirtualClock(0);
  await Promise.all([clock.advance(10), clock.advance(5)]);
  assert.equal(clock.nowMs(), 15);
  await assert.rejects(clock.advance(-1), RangeError);
});

test("the same seed gives the same ids, in the form of random UUIDs", () => {
  const [one, two, other] = [seededIds(42), seededIds(42), seededIds(43)];
  const ids = Array.from({ length: 100 }, () => one.uuid());
  assert.deepEqual(
    Array.from({ length: 100 }, () => two.uuid()),
    ids,
  );
  assert.notEqual(other.uuid(), ids[0]);
  assert.equal(new Set(ids).size, 100);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
