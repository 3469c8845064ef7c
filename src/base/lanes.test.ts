import assert from "node:assert/strict";
import { test } from "node:test";
import { Lanes } from "./lanes.ts";

test("no more than so many at once, the others in order of arrival, and a failure frees its lane", async () => {
  const lanes = new Lanes(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const results = Array.from({ length: 5 }, (_, index) =>
    lanes.run(async () => {
      begun.push(index);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (index === 1) throw new Error("one failed");
      return index;
    }),
  );
  const failed = assert.rejects(results[1] as Promise<number>, /one failed/);
  for (const expected of [
    [0, 1],
    [0, 1, 2],
    [0, 1, 2, 3],
    [0, 1, 2, 3, 4],
  ]) {
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(begun, expected);
    // The second ends first.
    (expected.length === 2 ? ends.pop() : ends.shift())?.();
  }
  for (const end of ends) end();
  await failed;
  const values = (await Promise.allSettled(results)).map((result) =>
    result.status === "fulfilled" ? result.value : "failed",
  );
  assert.deepEqual(values, [0, "failed", 2, 3, 4]);
  assert.equal(await lanes.run(async () => "free again"), "free again");
});
