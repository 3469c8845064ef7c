// A simulation that never fails proves nothing: each fault that is planted must be found within a few seeds.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PLANTED_FAULTS, plantedFault } from "../../sim/faults/index.ts";
import { formatIndexes, parseIndexes, shrink } from "../../sim/shrink.ts";
import { simulate } from "../../sim/simulate.ts";

const SEEDS_MAX = 40;
const TICKS = 1000;

/** By which promises a fault may be found: not by an accident of how it was planted. */
const BROKEN: Record<string, string[]> = {
  "skip-a-sync": ["nothing acknowledged is lost", "what was stored is readable"],
  "answer-before-the-sync": ["nothing acknowledged is lost"],
  "drop-the-deduplication-table": ["deduplication lasts five minutes"],
  "unlock-a-group-too-early": ["a group is handed out in order"],
  "lose-a-record-in-cleaning": ["what was stored is readable"],
  "forget-a-receive-count": ["receive counts are what was received", "receive counts never fall"],
  "change-before-the-copy": ["the log rebuilds the state", "what was stored is readable"],
  "lose-a-copy-between-shards": ["every subscriber gets what was published"],
  "let-a-copy-overtake": ["a topic keeps the order of a group"],
  "forget-what-a-topic-has-seen": ["a topic's deduplication lasts five minutes"],
  "delete-before-the-answer": ["every subscriber gets what was published"],
};

for (const fault of PLANTED_FAULTS) {
  test(`the simulation finds: ${fault.name}`, async (t) => {
    const promises = new Set<string>();
    for (let seed = 1; seed <= SEEDS_MAX; seed++) {
      const { violation } = await simulate({ seed, ticks: TICKS, fault });
      if (violation === undefined) continue;
      promises.add(violation.promise);
      if (!(BROKEN[fault.name] as string[]).includes(violation.promise)) continue;
      t.diagnostic(`seed ${seed}: ${violation.message}`);
      return;
    }
    assert.fail(`not within ${SEEDS_MAX} seeds; broken were: ${[...promises].join("; ") || "none"}`);
  });
}

test("a found fault is shrunk to a few actions, which break the same promise again", async () => {
  const fault = plantedFault("unlock-a-group-too-early");
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const options = { seed, ticks: 300, fault };
    const failed = await simulate(options);
    if (failed.violation?.promise !== "a group is handed out in order") continue;
    const { only, report } = await shrink(options, failed);
    assert.ok(only.length < 20, `${only.length} actions are left`);
    const again = await simulate({ ...options, only: parseIndexes(formatIndexes(only)) });
    assert.equal(again.traceHash, report.traceHash);
    assert.equal(again.violation?.promise, failed.violation.promise);
    return;
  }
  assert.fail("the fault was not found");
});
