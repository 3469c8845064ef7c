// Every promise over some hundred lives; the long batch is `npm run sim -- --seeds 2000`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Outcome, runFleet } from "../../sim/fleet.ts";

const SEEDS = 200;
const TICKS = 2000;

test("no promise is broken, and everything that the simulation is for happens", async () => {
  const outcomes: Outcome[] = [];
  await runFleet({ first: 1, count: SEEDS, ticks: TICKS, shardCount: undefined, fault: undefined }, (outcome) => {
    outcomes.push(outcome);
  });
  const broken = outcomes
    .filter(({ violation }) => violation !== undefined)
    .map(({ seed, violation }) => `npm run sim -- --seed ${seed} --ticks ${TICKS} # ${violation}`);
  assert.deepEqual(broken, []);
  assert.equal(outcomes.length, SEEDS);
  for (const name of Object.keys(outcomes[0]?.counts ?? {}) as (keyof Outcome["counts"])[]) {
    const happened = outcomes.reduce((sum, { counts }) => sum + counts[name], 0);
    assert.ok(happened > SEEDS, `${name} happened only ${happened} times`);
  }
});
