// Power cuts, killed processes and failed writes at any moment: after the next opening every acknowledged entry is
// there, nothing is invented, and the log goes on. A failure names its seed; MILLPOND_TEST_SEED runs only that one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isFault } from "../../src/base/fault.ts";
import { Random } from "../../src/base/random.ts";
import { LogHistory } from "./log-history.ts";
import { liveManyHistories } from "./many-histories.ts";

const HISTORIES = 300;

const given = process.env["MILLPOND_TEST_SEED"];
const firstSeed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
const seedCount = given === undefined ? HISTORIES : 1;

describe("a log through power cuts and kills", () => {
  for (const durability of ["fsync", "os"] as const) {
    test(`durability ${durability}: keeps what it promised, whenever it happens`, () =>
      liveManyHistories({ durability, firstSeed, seedCount }));
  }

  const steps = {
    "filling and rolling segments": async (history: LogHistory) => {
      for (let round = 0; round < 4; round++) await history.append([300, 500]);
    },
    "trimming and recycling segments": async (history: LogHistory) => {
      await history.append([900]);
      await history.trim();
      await history.append([900]);
      await history.append([900]);
      await history.trim();
      await history.append([900]);
    },
    "trimming while the next segment begins": async (history: LogHistory) => {
      for (let round = 0; round < 3; round++) {
        for (const done of await Promise.allSettled([history.trim(), history.append([900, 900])])) {
          if (done.status === "rejected") throw done.reason;
        }
      }
    },
    "putting snapshots": async (history: LogHistory) => {
      for (let round = 0; round < 3; round++) {
        await history.append([100]);
        await history.putSnapshot();
      }
    },
    "opening and closing": async (history: LogHistory) => {
      await history.close();
      await history.open();
      await history.append([100]);
      await history.close();
    },
  };
  for (const [name, act] of Object.entries(steps)) {
    for (const ending of ["powerCut", "killed"] as const) {
      test(`survives being ${ending === "killed" ? "killed" : "cut off"} at every single step of ${name}`, async () => {
        let stoppedCount = 0;
        for (let changes = 0; ; changes++) {
          const random = new Random(changes);
          const history = new LogHistory(random, { segmentBytesMax: 1024, freshWriters: false });
          await history.open();
          for (let round = 0; round < 6; round++) await history.append([400]);
          history.disk.stopAfter(changes);
          const finished = await act(history).then(() => true, assertStopped);
          const wasStopped = history.disk.isStopped;
          history.end(ending);
          await history.open();
          await history.check();
          // What an opening found is there for good, also when nothing is appended after it.
          if (random.chance(0.5)) await history.append([700, 10]);
          history.end("powerCut");
          await history.open();
          await history.check();
          if (wasStopped) stoppedCount += 1;
          if (finished && !wasStopped) break;
        }
        assert.ok(stoppedCount > 5);
      });
    }
  }

  for (const kind of ["write", "sync"] as const) {
    test(`a ${kind} that fails breaks the log; the next opening finds exactly what was acknowledged, or more, but no hole`, async () => {
      let brokenCount = 0;
      for (let nth = 1; nth <= 60; nth++) {
        const random = new Random(nth);
        const history = new LogHistory(random, { segmentBytesMax: 2048 });
        await history.open();
        history.disk.failNth(kind, nth);
        const failed = await runUntilFault(history, random);
        // One that only makes room in the background breaks nothing.
        if (failed === undefined) continue;
        brokenCount += 1;
        assert.ok(isFault(failed, "DiskFailed"), String(failed));
        await assert.rejects(history.append([5]), "a broken log takes nothing more");
        history.forgetLastIssued();
        await history.log.close();
        history.end(random.pick(["closed", "powerCut"]));
        await history.open();
        await history.check();
        if (random.chance(0.5)) await history.append([300]);
        history.end("powerCut");
        await history.open();
        await history.check();
      }
      assert.ok(brokenCount > 30);
    });
  }
});

async function runUntilFault(history: LogHistory, random: Random): Promise<unknown> {
  for (let round = 0; round < 100; round++) {
    try {
      await history.append(Array.from({ length: 1 + random.below(4) }, () => random.below(500)));
    } catch (error) {
      return error;
    }
  }
  return undefined;
}

function assertStopped(error: unknown): false {
  assert.ok(isFault(error, "DiskFailed") || isFault(error, "ShardStopped"), String(error));
  return false;
}
