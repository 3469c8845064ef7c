// The supervised flash sale in real time, with real worker processes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { story } from "../../examples/s9-flash-sale/supervised.ts";
import { systemClock } from "../../src/base/clock.ts";
import { startMillpond } from "../../src/testing/index.ts";
import { clientOf } from "../consumer/world.ts";

test("s9: a burst of twenty times the normal rate grows the workers, is written within the rate, and lets them go", async () => {
  const millpond = await startMillpond();
  const sqs = clientOf(millpond);
  const lines: string[] = [];
  try {
    const told = await story({ sqs, clock: systemClock, say: (line) => lines.push(line) });
    const { sent, written, refused, writesPerSecondMax, workers, left } = told;
    assert.deepEqual([sent, written, refused, left], [460, 460, 0, 0], lines.join("\n"));
    assert.ok(writesPerSecondMax <= 200, `${writesPerSecondMax} writes in a second`);
    assert.ok(Math.max(...workers) >= 4 && Math.max(...workers) <= 8, String(workers));
    assert.equal(workers.at(-1), 1, lines.join("\n"));
  } finally {
    sqs.destroy();
    await millpond.stop();
  }
});
