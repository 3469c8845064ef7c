import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Downstream } from "./downstream.ts";
import { POLICY, type Policy } from "./policy.ts";
import { type Sample, type Step, stepBetween } from "./sample.ts";
import { mostWanted, simulate, type Told } from "./simulated-load.test.fixture.ts";
import { Sizing } from "./sizing.ts";

const MINUTE = 60_000;

function policy(changes: Partial<Policy> = {}): Policy {
  return { ...POLICY, workersMax: 50, ...changes };
}

function wantedAt({ decisions }: Told, atMs: number): number {
  return decisions.findLast((decision) => decision.atMs <= atMs)?.wanted ?? 0;
}

function held(told: Told, hold: string) {
  return told.decisions.filter((decision) => decision.hold === hold);
}

test("an empty queue keeps the fewest workers", () => {
  const told = simulate(policy(), { arrivals: () => 0, serviceMs: 100 }, 10 * MINUTE);
  assert.equal(mostWanted(told), 0);
  assert.equal(told.decisions[0]?.why, "the queue is empty");
  assert.equal(mostWanted(simulate(policy({ workersMin: 2 }), { arrivals: () => 0, serviceMs: 100 }, MINUTE)), 2);
});

test("a steady load gets enough workers and keeps their number", () => {
  const told = simulate(policy(), { arrivals: () => 40, serviceMs: 100 }, 30 * MINUTE);
  // 40 a second of 100 ms each keep four workers busy.
  const wanted = told.decisions.filter(({ atMs }) => atMs > 5 * MINUTE).map((decision) => decision.wanted);
  assert.ok(Math.min(...wanted) >= 4 && Math.max(...wanted) <= 8, String(new Set(wanted)));
  assert.ok(told.turns <= 1, `${told.turns} turns`);
  assert.ok((told.visible.at(-1) ?? 0) < 50);
});

test("a burst is met fast, worked off within its time, and let go slowly", () => {
  const burst = (atMs: number) => (atMs >= MINUTE && atMs < MINUTE + 10_000 ? 400 : 20);
  const told = simulate(policy({ workersMin: 1 }), { arrivals: burst, serviceMs: 100 }, 20 * MINUTE);
  assert.ok(wantedAt(told, MINUTE + 15_000) >= 8, `${wantedAt(told, MINUTE + 15_000)} workers after 15 s`);
  const emptyAtMs = told.decisions.find(
    (decision, index) => decision.atMs > MINUTE + 10_000 && told.visible[index] === 0,
  );
  assert.ok((emptyAtMs?.atMs ?? Number.POSITIVE_INFINITY) < 2.5 * MINUTE, `${emptyAtMs?.atMs}`);
  assert.equal(wantedAt(told, 5 * MINUTE), mostWanted(told));
  assert.ok(wantedAt(told, 20 * MINUTE) <= 4);
  assert.ok(told.turns <= 2, `${told.turns} turns`);
});

test("a flash sale of twenty times the normal rate: workers grow to what the database takes, and shrink again", () => {
  const load = {
    arrivals: (atMs: number) => (atMs >= 2 * MINUTE && atMs < 3 * MINUTE ? 1000 : atMs < 10 * MINUTE ? 50 : 0),
    // 25 writes a second for each worker, 200 for all of them.
    serviceMs: 150,
    concurrency: 5,
    downstreamPerSecond: () => 200,
  };
  const told = simulate(policy({ workersMin: 1, workersMax: 100 }), load, 30 * MINUTE);
  assert.ok(mostWanted(told) >= 8 && mostWanted(told) <= 32, `${mostWanted(told)} workers`);
  assert.ok(held(told, "downstream").length > 0);
  assert.deepEqual([told.deleted, told.visible.at(-1)], [told.arrived, 0]);
  assert.equal(told.decisions.at(-1)?.wanted, 1);
  assert.ok(told.turns <= 2, `${told.turns} turns`);
});

test("a slow downstream stops the growth, in words, and its recovery lets it go on", () => {
  const load = {
    arrivals: (atMs: number) => (atMs < 15 * MINUTE ? 100 : 0),
    serviceMs: 200,
    downstreamPerSecond: (atMs: number) => (atMs < 8 * MINUTE ? 50 : 500),
  };
  const told = simulate(policy({ workersMin: 1, workersMax: 200 }), load, 20 * MINUTE);
  const early = told.decisions.filter(({ atMs }) => atMs < 8 * MINUTE).map(({ wanted }) => wanted);
  // 13 workers do 50 a second, so 16 are useful. The doubling after that is the last one.
  assert.ok(Math.max(...early) <= 32, `${Math.max(...early)} workers in front of a downstream for 13`);
  const [first] = held(told, "downstream");
  assert.match(first?.why ?? "", /going from \d+ to \d+ workers took deletes from \d+\/s to \d+\/s .* is the limit/);
  assert.ok(wantedAt(told, 10 * MINUTE) > Math.max(...early), "the lifted limit was noticed");
  assert.equal(told.visible.at(-1), 0);
  assert.ok(told.turns <= 2, `${told.turns} turns`);
});

test("without counters, the downstream is judged by how fast the queue empties", () => {
  const load = { arrivals: () => 100, serviceMs: 40, downstreamPerSecond: () => 50, hasCounters: false };
  const told = simulate(policy({ workersMin: 1, workersMax: 400, growEveryMs: 90_000 }), load, 20 * MINUTE);
  assert.ok(mostWanted(told) < 100, `${mostWanted(told)} workers`);
  assert.match(held(told, "downstream")[0]?.why ?? "", /emptied the queue no faster/);
});

test("workers that are slow to start are not taken for a slow downstream", () => {
  const load = { arrivals: (atMs: number) => (atMs < 10_000 ? 600 : 5), serviceMs: 100, startUpMs: 12_000 };
  const told = simulate(policy({ workersMin: 2, workersMax: 40 }), load, 5 * MINUTE);
  assert.deepEqual(held(told, "downstream"), []);
  assert.equal(told.visible.at(-1), 0);
});

test("poison does not call for more workers", () => {
  const load = { arrivals: (atMs: number) => (atMs < 20_000 ? 10 : 5), serviceMs: 50, failing: () => 0.95 };
  const told = simulate(policy({ workersMin: 1 }), load, 10 * MINUTE);
  assert.match(held(told, "failures")[0]?.why ?? "", /\d+ % of \d+ attempts failed/);
  assert.ok(mostWanted(told) <= 4, `${mostWanted(told)} workers`);
});

test("long work in progress keeps its workers, and asks for no more", () => {
  const load = {
    arrivals: (atMs: number) => (atMs < 1000 ? 4 : 0),
    serviceMs: 8 * MINUTE,
    visibilityTimeoutMs: 60 * MINUTE,
  };
  const told = simulate(policy({ workersMin: 0, backlogPerWorker: 1 }), load, 20 * MINUTE);
  assert.ok(told.arrived > 1);
  assert.equal(wantedAt(told, 6 * MINUTE), told.arrived);
  assert.equal(mostWanted(told), told.arrived);
  assert.equal(told.deleted, told.arrived);
  assert.equal(told.decisions.at(-1)?.wanted, 0);
});

test("a FIFO queue gets no more workers than it has message groups", () => {
  const told = simulate(policy(), { arrivals: () => 50, serviceMs: 200, groupCount: 3 }, 5 * MINUTE);
  assert.equal(mostWanted(told), 3);
  assert.match(held(told, "groups")[0]?.why ?? "", /3 message groups can be worked on at a time/);
});

test("crashing workers are not multiplied", () => {
  const sizing = new Sizing(policy({ workersMin: 1 }));
  const sample: Sample = { atMs: 0, visible: 1000, inFlight: 0, delayed: 0, workers: 0, crashed: 1, openBreakers: 0 };
  const { wanted, hold, why } = sizing.next(sample);
  assert.deepEqual([wanted, hold], [1, "crashes"]);
  assert.match(why, /1 worker crashed/);
});

test("while a worker's breaker is open there are no more workers, in words, and growth goes on when it closed", () => {
  const sizing = new Sizing(policy({ workersMin: 1 }));
  const look = (atMs: number, openBreakers: number) =>
    sizing.next({ atMs, visible: 1000, inFlight: 0, delayed: 0, workers: sizing.wanted, crashed: 0, openBreakers });
  assert.equal(look(0, 0).wanted, 3);
  for (let atMs = 2000; atMs <= 2 * MINUTE; atMs += 2000) {
    const { wanted, hold, why, measured } = look(atMs, 2);
    assert.deepEqual([wanted, hold, measured.openBreakers], [3, "downstream", 2]);
    assert.match(why, /2 circuit breakers of the workers are open: what is behind the workers is the limit/);
  }
  const closed = look(2 * MINUTE + 2000, 0);
  assert.deepEqual([closed.wanted, closed.measured.openBreakers], [6, undefined]);
});

test("the fewest workers are started whatever their breakers say", () => {
  const sizing = new Sizing(policy({ workersMin: 4 }));
  const sample: Sample = { atMs: 0, visible: 0, inFlight: 0, delayed: 0, workers: 1, crashed: 0, openBreakers: 1 };
  assert.equal(sizing.next(sample).wanted, 4);
});

test("what was known of the downstream is not judged by workers that take nothing", () => {
  const growEveryMs = 10_000;
  const downstream = new Downstream(policy({ growEveryMs }));
  const steps: Step[] = [];
  const sample = (atMs: number, workers: number, deleted: number, openBreakers: number): Sample => ({
    atMs,
    visible: 10_000,
    inFlight: workers,
    delayed: 0,
    workers,
    crashed: 0,
    openBreakers,
    traffic: { epoch: 1, arrived: 0, received: deleted + workers, deleted, heldMs: deleted * 100 },
  });
  let last = sample(0, 2, 0, 0);
  downstream.observe(last, steps);
  const go = (untilMs: number, workers: number, perSecond: number, openBreakers: number) => {
    while (last.atMs < untilMs) {
      const deleted = (last.traffic?.deleted ?? 0) + perSecond * 2;
      const next = sample(last.atMs + 2000, workers, deleted, openBreakers);
      steps.push(stepBetween(last, next));
      downstream.observe(next, steps);
      last = next;
    }
  };
  go(20_000, 2, 20, 0);
  downstream.grow();
  // Four workers, all of them with an open breaker: no deletes, which is no judgement on four workers.
  go(80_000, 4, 0, 1);
  assert.equal(downstream.limit, undefined);
  go(120_000, 4, 40, 0);
  assert.equal(downstream.limit, undefined);
});

test("counters that begin anew after a restart are not compared", () => {
  const sizing = new Sizing(policy({ workersMin: 1 }));
  const at = (atMs: number, epoch: number, arrived: number): Sample => ({
    atMs,
    visible: 1,
    inFlight: 0,
    delayed: 0,
    workers: 1,
    crashed: 0,
    openBreakers: 0,
    traffic: { epoch, arrived, received: 0, deleted: 0, heldMs: 0 },
  });
  sizing.next(at(0, 1, 1_000_000));
  const { measured } = sizing.next(at(2000, 2, 5));
  assert.equal(measured.arrivedPerSecond, undefined);
  assert.equal(sizing.next(at(4000, 2, 9)).measured.arrivedPerSecond, 2);
});

test("whatever the load: bounds and pace are kept, calm loads do not flap, every decision says why", () => {
  const loads = fc.record({
    perSecond: fc.integer({ min: 0, max: 120 }),
    burst: fc.integer({ min: 0, max: 400 }),
    serviceMs: fc.integer({ min: 10, max: 2000 }),
    concurrency: fc.integer({ min: 1, max: 5 }),
    startUpMs: fc.integer({ min: 0, max: 5000 }),
    downstream: fc.option(fc.integer({ min: 5, max: 300 })),
    failing: fc.constantFrom(0, 0, 0.1, 0.9),
    hasCounters: fc.boolean(),
    workersMin: fc.integer({ min: 0, max: 3 }),
    workersMax: fc.integer({ min: 3, max: 40 }),
    seed: fc.nat(),
  });
  fc.assert(
    fc.property(loads, ({ perSecond, burst, downstream, failing, workersMin, workersMax, ...load }) => {
      const arrivals = (atMs: number) => (atMs >= 30_000 && atMs < 35_000 ? perSecond + burst : perSecond);
      const limits = downstream === null ? {} : { downstreamPerSecond: () => downstream };
      const rules = policy({ workersMin, workersMax });
      const told = simulate(rules, { arrivals, ...limits, failing: () => failing, ...load }, 12 * MINUTE);
      let grownAtMs = Number.NEGATIVE_INFINITY;
      for (const { atMs, wanted, before, hold, why, measured } of told.decisions) {
        assert.ok(Number.isInteger(wanted) && wanted >= workersMin && wanted <= workersMax, `${wanted} wanted`);
        assert.ok(why.length > 0 && !/NaN|undefined|Infinity/.test(why), why);
        assert.ok(
          Object.values(measured).every((value) => Number.isFinite(value)),
          JSON.stringify(measured),
        );
        if (wanted > before) {
          assert.ok(wanted <= Math.max(2 * before, before + 2), `from ${before} to ${wanted}`);
          assert.ok(atMs - grownAtMs >= rules.growEveryMs);
          assert.ok(hold !== "downstream" && hold !== "failures" && hold !== "crashes");
          grownAtMs = atMs;
        }
        if (wanted < before && hold !== "downstream") {
          assert.ok(wanted >= Math.floor(before / 2), `from ${before} to ${wanted}`);
          assert.ok(atMs - grownAtMs >= rules.shrinkAfterMs, "shrinks only after calm");
        }
      }
      // One burst in a steady load: up, perhaps down to what the downstream can use, up once more, down when it is calm.
      assert.ok(told.turns <= 3, `${told.turns} turns`);
    }),
    { numRuns: 25 },
  );
});
