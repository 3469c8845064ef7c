// What every store must do, whatever it is made of; run against each by the test files beside this one. Time is virtual:
// the stores are handed the clock, and keys differ from test to test, so that one server serves them all.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import type { Begun, Claim, IdempotencyStore, RecordId } from "../../src/consumer/index.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";

export interface Harness<Tx> {
  /** A worker's store over the records that all of them share. Without a clock: the store's own. */
  open(clock?: Clock): IdempotencyStore<Tx>;
  /** One effect in the claim's transaction: adds 1 to a counter. Absent where the store has no transaction. */
  add?: (tx: Tx, counter: string) => void | Promise<void>;
  count(counter: string): Promise<number>;
  /** What the worker's death does to its claim, besides that nobody completes it. */
  crash(claim: Claim<Tx>): Promise<void>;
  /** The store is out of reach from now on; `mend` brings it back. */
  cut(): void;
  mend(): Promise<void>;
  /** False: a claim is held by a connection, and rivals wait for it instead of looking at a lease. */
  isLeased: boolean;
  /** Whose clock judges leases. "process": there is only one, so there is no skew. */
  time: "server" | "worker" | "process";
  /** The store has a `sweep`. */
  sweeps: boolean;
  /** How much longer than its lease a claim is safe from takers. */
  graceMs: number;
}

export const LEASE_MS = 10_000;
export const KEEP_MS = 1_000_000;
const RIVALS = 20;
export const NOT_INSTALLED = "its server is not installed";

export function newId(scope = "contract"): RecordId {
  return { scope, key: randomUUID() };
}

/** Cases that do not apply to a store are not registered; those whose server is not installed are reported as skipped. */
export function storeContract<Tx>(name: string, harness: Harness<Tx>, isInstalled = true): void {
  const cases = [...basicCases<Tx>(), ...raceCases<Tx>(), ...expiryCases<Tx>(), ...ownershipCases<Tx>()];
  cases.push(...failureCases<Tx>());
  for (const { title, applies, run } of cases) {
    if (applies !== undefined && !applies(harness)) continue;
    test(`${name}: ${title}`, { skip: !isInstalled && NOT_INSTALLED }, () => run(new Stage(harness), harness));
  }
}

interface Case<Tx> {
  title: string;
  applies?: (harness: Harness<Tx>) => boolean;
  run: (stage: Stage<Tx>, harness: Harness<Tx>) => Promise<void>;
}

/** One test's clock, store and key, and short words for what is done with them. */
class Stage<Tx> {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1));
  readonly store: IdempotencyStore<Tx>;
  readonly id = newId();

  constructor(harness: Harness<Tx>) {
    this.store = harness.open(this.clock);
  }

  begin(more: { id?: RecordId; fingerprint?: string; store?: IdempotencyStore<Tx> } = {}): Promise<Begun<Tx>> {
    const { id = this.id, store = this.store, fingerprint } = more;
    return store.begin(id, { leaseMs: LEASE_MS, keepForMs: KEEP_MS, fingerprint });
  }

  async mine(more: { id?: RecordId; fingerprint?: string; store?: IdempotencyStore<Tx> } = {}): Promise<Claim<Tx>> {
    const begun = await this.begin(more);
    assert.equal(begun.is, "mine");
    return (begun as { claim: Claim<Tx> }).claim;
  }

  async done(result: string | undefined, fingerprint?: string): Promise<void> {
    const claim = await this.mine(fingerprint === undefined ? {} : { fingerprint });
    assert.equal(await claim.complete(result, KEEP_MS), true);
  }
}

const leased = <Tx>(harness: Harness<Tx>) => harness.isLeased;
const transactional = <Tx>(harness: Harness<Tx>) => harness.add !== undefined;

function basicCases<Tx>(): Case<Tx>[] {
  return [
    {
      title: "the first to begin gets the claim, and the next one the saved result",
      run: async (stage) => {
        await stage.done('{"charge":"ch_1"}');
        assert.deepEqual(await stage.begin(), { is: "done", result: '{"charge":"ch_1"}' });
      },
    },
    {
      title: "no result stays no result",
      run: async (stage) => {
        await stage.done(undefined);
        assert.deepEqual(await stage.begin(), { is: "done", result: undefined });
      },
    },
    {
      title: "a result is kept to the letter, long and in any script",
      run: async (stage) => {
        const result = JSON.stringify({ text: `"\\ \n 🌊 ${"ü".repeat(50_000)}` });
        await stage.done(result);
        assert.deepEqual(await stage.begin(), { is: "done", result });
      },
    },
    {
      title: "the same key in another scope is another record",
      run: async (stage) => {
        await stage.done("1");
        const other = await stage.mine({ id: { scope: "another", key: stage.id.key } });
        await other.release();
      },
    },
    {
      title: "scope and key cannot pose as each other",
      run: async (stage) => {
        const end = stage.id.key;
        const claims = [];
        for (const id of [
          { scope: "a", key: `b#${end}` },
          { scope: "a#b", key: end },
          { scope: "a%23b", key: end },
          { scope: "a:b", key: end },
          { scope: "a", key: `b:${end}` },
        ])
          claims.push(await stage.mine({ id }));
        for (const claim of claims) await claim.release();
      },
    },
    {
      title: "odd and long keys are told apart",
      run: async (stage) => {
        const start = stage.id.key;
        for (const end of ["'; DROP TABLE x; --", "{}", "ключ", "🌊", " ", "%", "\n", "x".repeat(900)]) {
          const id = { scope: "odd", key: start + end };
          const claim = await stage.mine({ id });
          assert.equal(await claim.complete(JSON.stringify(end), KEEP_MS), true);
          assert.deepEqual(await stage.begin({ id }), { is: "done", result: JSON.stringify(end) });
        }
      },
    },
    {
      title: "who comes while it runs is told that it is busy, and for how long",
      run: async (stage, harness) => {
        const claim = await stage.mine();
        const begun = await stage.begin();
        assert.equal(begun.is, "busy");
        const { retryAfterMs } = begun as { retryAfterMs: number };
        assert.ok(retryAfterMs > 0 && retryAfterMs <= LEASE_MS + harness.graceMs, `${retryAfterMs}`);
        await claim.release();
      },
    },
    {
      title: "a released key is free at once",
      run: async (stage) => {
        await (await stage.mine()).release();
        await stage.done("2");
        assert.deepEqual(await stage.begin(), { is: "done", result: "2" });
      },
    },
    {
      title: "the same key with another body is a mismatch once it is done",
      run: async (stage) => {
        await stage.done("1", "body-1");
        assert.deepEqual(await stage.begin({ fingerprint: "body-2" }), { is: "mismatch" });
        assert.deepEqual(await stage.begin({ fingerprint: "body-1" }), { is: "done", result: "1" });
      },
    },
    {
      title: "the same key with another body is a mismatch while it runs",
      applies: leased,
      run: async (stage) => {
        await stage.mine({ fingerprint: "body-1" });
        assert.deepEqual(await stage.begin({ fingerprint: "body-2" }), { is: "mismatch" });
      },
    },
    {
      title: "the same key with another body is a mismatch after a crash, whoever's lease has run out",
      applies: leased,
      run: async (stage, harness) => {
        await stage.mine({ fingerprint: "body-1" });
        await stage.clock.advance(LEASE_MS + harness.graceMs);
        assert.deepEqual(await stage.begin({ fingerprint: "body-2" }), { is: "mismatch" });
        await stage.mine({ fingerprint: "body-1" });
      },
    },
    {
      title: "a key that was given up remembers its body",
      applies: leased,
      run: async (stage) => {
        await (await stage.mine({ fingerprint: "body-1" })).release();
        assert.deepEqual(await stage.begin({ fingerprint: "body-2" }), { is: "mismatch" });
        await stage.mine({ fingerprint: "body-1" });
      },
    },
    {
      title: "without a fingerprint on either side nothing is compared",
      run: async (stage) => {
        await stage.done("1");
        assert.deepEqual(await stage.begin({ fingerprint: "body-2" }), { is: "done", result: "1" });
        const other = newId();
        await (await stage.mine({ id: other, fingerprint: "body-1" })).complete("2", KEEP_MS);
        assert.deepEqual(await stage.begin({ id: other }), { is: "done", result: "2" });
      },
    },
  ];
}

function raceCases<Tx>(): Case<Tx>[] {
  const race = (stage: Stage<Tx>) => Promise.all(Array.from({ length: RIVALS }, () => stage.begin()));
  const oneOf = (outcomes: Begun<Tx>[]): Claim<Tx> => {
    const mine = outcomes.flatMap((begun) => (begun.is === "mine" ? [begun.claim] : []));
    assert.equal(mine.length, 1, `${mine.length} of ${RIVALS} got the claim`);
    assert.ok(outcomes.every(({ is }) => is === "mine" || is === "busy"));
    return mine[0] as Claim<Tx>;
  };
  return [
    {
      title: `of ${RIVALS} who begin together one gets the claim`,
      run: async (stage) => {
        const claim = oneOf(await race(stage));
        assert.equal(await claim.complete("1", KEEP_MS), true);
        for (const begun of await race(stage)) assert.deepEqual(begun, { is: "done", result: "1" });
      },
    },
    {
      title: `of ${RIVALS} who find a released key one gets the claim`,
      run: async (stage) => {
        await (await stage.mine()).release();
        await oneOf(await race(stage)).release();
      },
    },
    {
      title: `of ${RIVALS} who find a lease that has run out one gets the claim`,
      applies: leased,
      run: async (stage, harness) => {
        await stage.mine();
        await stage.clock.advance(LEASE_MS + harness.graceMs);
        await oneOf(await race(stage)).release();
      },
    },
    {
      title: `of ${RIVALS} who find a key past its time one gets the claim`,
      run: async (stage) => {
        await stage.done("1");
        await stage.clock.advance(KEEP_MS);
        await oneOf(await race(stage)).release();
      },
    },
    {
      title: "a late end and a takeover at the same moment: one of them wins, with its effects",
      applies: (harness) => leased(harness) && transactional(harness),
      run: async (stage, harness) => {
        for (let round = 0; round < 10; round++) {
          const id = newId();
          const late = await stage.mine({ id });
          await harness.add?.(late.tx, id.key);
          await stage.clock.advance(LEASE_MS + harness.graceMs);
          const [wasSaved, begun] = await Promise.all([late.complete("late", KEEP_MS), stage.begin({ id })]);
          if (begun.is === "mine") {
            assert.equal(wasSaved, false, "both own the key");
            await harness.add?.(begun.claim.tx, id.key);
            assert.equal(await begun.claim.complete("taker", KEEP_MS), true);
          } else assert.equal(wasSaved, true, "nobody owns the key");
          assert.equal(await harness.count(id.key), 1);
        }
      },
    },
  ];
}

function expiryCases<Tx>(): Case<Tx>[] {
  return [
    {
      title: "a done key is known until its time is over, counted from its end",
      run: async (stage) => {
        const claim = await stage.mine();
        await stage.clock.advance(LEASE_MS - 1);
        await claim.complete("1", KEEP_MS);
        await stage.clock.advance(KEEP_MS - 1);
        assert.deepEqual(await stage.begin(), { is: "done", result: "1" });
        await stage.clock.advance(1);
        await (await stage.mine()).release();
      },
    },
    {
      title: "what is left of a key past its time does not reach into the next one",
      run: async (stage) => {
        await stage.done("1", "body-1");
        await stage.clock.advance(KEEP_MS);
        await stage.done(undefined, "body-2");
        assert.deepEqual(await stage.begin({ fingerprint: "body-2" }), { is: "done", result: undefined });
      },
    },
    {
      title: "a lease holds to its last millisecond, and not longer",
      applies: leased,
      run: async (stage, harness) => {
        await stage.mine();
        await stage.clock.advance(LEASE_MS + harness.graceMs - 1);
        assert.deepEqual(await stage.begin(), { is: "busy", retryAfterMs: 1 });
        await stage.clock.advance(1);
        await stage.mine();
      },
    },
    {
      title: "a renewed lease counts from its renewal",
      applies: leased,
      run: async (stage, harness) => {
        const claim = await stage.mine();
        await stage.clock.advance(LEASE_MS - 1);
        assert.equal(await claim.renew(LEASE_MS), true);
        await stage.clock.advance(LEASE_MS + harness.graceMs - 1);
        assert.equal((await stage.begin()).is, "busy");
        await stage.clock.advance(1);
        await stage.mine();
      },
    },
    {
      title: "a claim that nobody took over may end after its lease",
      applies: leased,
      run: async (stage) => {
        const claim = await stage.mine();
        await stage.clock.advance(LEASE_MS * 5);
        assert.equal(await claim.complete("1", KEEP_MS), true);
        assert.deepEqual(await stage.begin(), { is: "done", result: "1" });
      },
    },
    {
      title: "sweeping removes what is past its time and nothing else",
      applies: (harness) => harness.sweeps,
      run: async (stage) => {
        await stage.done("1");
        await stage.clock.advance(KEEP_MS / 2);
        const younger = newId();
        await (await stage.mine({ id: younger })).complete("2", KEEP_MS);
        await stage.clock.advance(KEEP_MS / 2);
        while (((await stage.store.sweep?.(100)) ?? 0) > 0);
        assert.deepEqual(await stage.begin({ id: younger }), { is: "done", result: "2" });
        const claim = await stage.mine();
        assert.equal(claim.fence, 1, "the old record is gone");
        await claim.release();
      },
    },
  ];
}

function ownershipCases<Tx>(): Case<Tx>[] {
  const takenOver = async (stage: Stage<Tx>, harness: Harness<Tx>) => {
    const late = await stage.mine();
    await harness.add?.(late.tx, stage.id.key);
    await stage.clock.advance(LEASE_MS + harness.graceMs);
    return { late, owner: await stage.mine() };
  };
  return [
    {
      title: "who lost the key cannot renew, save, or give up what another one owns",
      applies: leased,
      run: async (stage, harness) => {
        const { late, owner } = await takenOver(stage, harness);
        assert.equal(await late.renew(LEASE_MS), false);
        assert.equal(await late.complete("late", KEEP_MS), false);
        await late.release();
        assert.equal((await stage.begin()).is, "busy");
        assert.equal(await owner.complete("owner", KEEP_MS), true);
        assert.equal(await late.complete("late", KEEP_MS), false);
        assert.deepEqual(await stage.begin(), { is: "done", result: "owner" });
      },
    },
    {
      title: "the effects of who lost the key do not happen",
      applies: (harness) => leased(harness) && transactional(harness),
      run: async (stage, harness) => {
        const { late, owner } = await takenOver(stage, harness);
        await late.complete("late", KEEP_MS);
        assert.equal(await harness.count(stage.id.key), 0);
        await harness.add?.(owner.tx, stage.id.key);
        await owner.complete("owner", KEEP_MS);
        assert.equal(await harness.count(stage.id.key), 1);
      },
    },
    {
      title: "the fence grows with every claim: after a release, a takeover, an end",
      applies: leased,
      run: async (stage, harness) => {
        const fences = [];
        for (const end of ["release", "takeover", "complete", "release"]) {
          const claim = await stage.mine();
          fences.push(claim.fence);
          if (end === "release") await claim.release();
          if (end === "takeover") await stage.clock.advance(LEASE_MS + harness.graceMs);
          if (end === "complete") {
            await claim.complete(undefined, KEEP_MS);
            await stage.clock.advance(KEEP_MS);
          }
        }
        assert.deepEqual(fences, [1, 2, 3, 4]);
      },
    },
    {
      title: "an end that is said twice happens once, and is true twice",
      applies: leased,
      run: async (stage, harness) => {
        const claim = await stage.mine();
        await harness.add?.(claim.tx, stage.id.key);
        assert.equal(await claim.complete("1", KEEP_MS), true);
        assert.equal(await claim.complete("1", KEEP_MS), true);
        if (harness.add !== undefined) assert.equal(await harness.count(stage.id.key), 1);
      },
    },
    {
      title: "a claim that was given up cannot end any more",
      run: async (stage) => {
        const claim = await stage.mine();
        await claim.release();
        assert.equal(await claim.renew(LEASE_MS), false);
        assert.equal(await claim.complete("1", KEEP_MS), false);
        await stage.done("2");
      },
    },
    {
      title: "effects happen with the end, and not when the key is given up",
      applies: transactional,
      run: async (stage, harness) => {
        const failed = await stage.mine();
        await harness.add?.(failed.tx, stage.id.key);
        await failed.release();
        assert.equal(await harness.count(stage.id.key), 0);
        const claim = await stage.mine();
        await harness.add?.(claim.tx, stage.id.key);
        assert.equal(await harness.count(stage.id.key), 0, "not before the end");
        await claim.complete("1", KEEP_MS);
        assert.equal(await harness.count(stage.id.key), 1);
      },
    },
    {
      title: "a crash between the effect and the end leaves neither, and the next one has both",
      applies: transactional,
      run: async (stage, harness) => {
        const crashed = await stage.mine();
        await harness.add?.(crashed.tx, stage.id.key);
        await harness.crash(crashed);
        if (harness.isLeased) {
          assert.equal((await stage.begin()).is, "busy", "nobody knows yet that the worker is dead");
          await stage.clock.advance(LEASE_MS + harness.graceMs);
        }
        const next = await stage.mine();
        assert.equal(await harness.count(stage.id.key), 0);
        await harness.add?.(next.tx, stage.id.key);
        assert.equal(await next.complete("next", KEEP_MS), true);
        // The dead one turns out to have been only slow.
        assert.equal(await crashed.complete("crashed", KEEP_MS), false);
        assert.equal(await harness.count(stage.id.key), 1);
        assert.deepEqual(await stage.begin(), { is: "done", result: "next" });
      },
    },
    {
      title: "a worker whose clock is an hour ahead takes nothing over early",
      applies: (harness) => harness.time === "server",
      run: async (_, harness) => {
        const id = newId();
        const request = { leaseMs: LEASE_MS, keepForMs: KEEP_MS };
        const first = await harness.open().begin(id, request);
        assert.equal(first.is, "mine");
        const realNow = Date.now;
        Date.now = () => realNow() + 3_600_000;
        const second = await harness
          .open()
          .begin(id, request)
          .finally(() => {
            Date.now = realNow;
          });
        assert.equal(second.is, "busy");
        const { retryAfterMs } = second as { retryAfterMs: number };
        assert.ok(retryAfterMs > 0 && retryAfterMs <= LEASE_MS, `${retryAfterMs}`);
        await (first as { claim: Claim<Tx> }).claim.release();
      },
    },
    {
      title: "clocks that differ by less than is allowed take nothing over early",
      applies: (harness) => harness.time === "worker",
      run: async (stage, harness) => {
        const ahead = harness.open(new VirtualClock(stage.clock.nowMs() + LEASE_MS + harness.graceMs - 1));
        const claim = await stage.mine();
        assert.equal((await stage.begin({ store: ahead })).is, "busy");
        assert.equal(await claim.complete("1", KEEP_MS), true);
      },
    },
    {
      title: "clocks that differ by more than is allowed let two run, and one have its effects",
      applies: (harness) => harness.time === "worker" && transactional(harness),
      run: async (stage, harness) => {
        const ahead = harness.open(new VirtualClock(stage.clock.nowMs() + 10 * LEASE_MS));
        const slow = await stage.mine();
        await harness.add?.(slow.tx, stage.id.key);
        const early = await stage.mine({ store: ahead });
        await harness.add?.(early.tx, stage.id.key);
        assert.equal(await early.complete("early", KEEP_MS), true);
        assert.equal(await slow.complete("slow", KEEP_MS), false);
        assert.equal(await harness.count(stage.id.key), 1);
      },
    },
    {
      title: "a worker whose clock is behind sees what is done as done",
      applies: (harness) => harness.time !== "process",
      run: async (stage, harness) => {
        await stage.done("1");
        const behind = harness.open(new VirtualClock(stage.clock.nowMs() - 10 * LEASE_MS));
        assert.deepEqual(await stage.begin({ store: behind }), { is: "done", result: "1" });
      },
    },
  ];
}

function failureCases<Tx>(): Case<Tx>[] {
  return [
    {
      title: "begin rejects while the store is out of reach, and works again afterwards",
      run: async (stage, harness) => {
        harness.cut();
        await assert.rejects(stage.begin());
        await harness.mend();
        await (await stage.mine()).release();
      },
    },
    {
      title: "an end that did not reach the store leaves no effect, and whoever is next does it once",
      applies: transactional,
      run: async (stage, harness) => {
        const claim = await stage.mine();
        await harness.add?.(claim.tx, stage.id.key);
        harness.cut();
        // Rejects when the outcome is unknown; a broken connection is known to have taken its transaction with it.
        assert.notEqual(await claim.complete("1", KEEP_MS).catch(() => "unknown"), true);
        await harness.mend();
        await stage.clock.advance(LEASE_MS + harness.graceMs);
        const next = await stage.mine();
        await harness.add?.(next.tx, stage.id.key);
        assert.equal(await next.complete("2", KEEP_MS), true);
        assert.equal(await harness.count(stage.id.key), 1);
      },
    },
    {
      title: "a renewal that does not reach the store rejects, and does not pass for a loss",
      applies: leased,
      run: async (stage, harness) => {
        const claim = await stage.mine();
        harness.cut();
        await assert.rejects(claim.renew(LEASE_MS));
        await harness.mend();
        assert.equal(await claim.renew(LEASE_MS), true);
        assert.equal(await claim.complete("1", KEEP_MS), true);
      },
    },
  ];
}
