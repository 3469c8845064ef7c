// Every promise over some hundred lives; the long batches are `npm run sim -- --seeds 2000`, and that with --topics.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Outcome, runFleet } from "../../sim/fleet.ts";

const SEEDS = 200;
const TOPIC_SEEDS = 100;
const TICKS = 2000;

test("no promise is broken, and everything that the simulation is for happens", async () => {
  const outcomes: Outcome[] = [];
  const broken: string[] = [];
  const batches = [
    { count: SEEDS, topics: false, flag: "" },
    { count: TOPIC_SEEDS, topics: true, flag: " --topics" },
  ];
  for (const { count, topics, flag } of batches) {
    await runFleet({ first: 1, count, ticks: TICKS, shardCount: undefined, topics, fault: undefined }, (outcome) => {
      outcomes.push(outcome);
      const { seed, violation } = outcome;
      if (violation !== undefined) broken.push(`npm run sim -- --seed ${seed} --ticks ${TICKS}${flag} # ${violation}`);
    });
  }
  assert.deepEqual(broken, []);
  assert.equal(outcomes.length, SEEDS + TOPIC_SEEDS);
  for (const name of Object.keys(outcomes[0]?.counts ?? {}) as (keyof Outcome["counts"])[]) {
    const happened = outcomes.reduce((sum, { counts }) => sum + counts[name], 0);
    assert.ok(happened > SEEDS, `${name} happened only ${happened} times`);
  }
});
