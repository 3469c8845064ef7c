// What every store of versions must do, and `monotonic` over it: what a consumer sees of states that arrive in any order.
// Run against each store by the test files beside this one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../src/base/clock.ts";
import type { BegunNewer, Claim, MonotonicOptions, VersionAttempt, VersionStore } from "../../src/consumer/index.ts";
import { isIdempotencyError, monotonic, reject, retryIn } from "../../src/consumer/index.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { type Harness, KEEP_MS, LEASE_MS, NOT_INSTALLED, newId } from "./contract.ts";

export type VersionHarness<Tx> = Omit<Harness<Tx>, "open"> & { open(clock?: Clock): VersionStore<Tx> };

const RIVALS = 20;
/** Beyond what a JavaScript number and a 64-bit integer hold, as FIFO's sequence numbers nearly are. */
const HUGE = 18_850_000_000_000_000_000_000n;

interface State {
  id: string;
  version: bigint | number | string;
}

/** Cases that do not apply to a store are not registered; those whose server is not installed are reported as skipped. */
export function newestContract<Tx>(name: string, harness: VersionHarness<Tx>, isInstalled = true): void {
  const newestTest = (
    title: string,
    run: (stage: Stage<Tx>) => Promise<void>,
    applies: (harness: VersionHarness<Tx>) => boolean = () => true,
  ) =>
    applies(harness) &&
    test(`${name}, newest: ${title}`, { skip: !isInstalled && NOT_INSTALLED }, () => run(new Stage(harness)));
  const leased = ({ isLeased }: VersionHarness<Tx>) => isLeased;
  const transactional = ({ add }: VersionHarness<Tx>) => add !== undefined;

  newestTest("newer versions run, older and equal ones are skipped and told what is newest", async (stage) => {
    for (const version of [3, 2, 3, 7, 5, 7]) await stage.deliver(version);
    assert.deepEqual(stage.seen, [3n, 7n]);
    assert.deepEqual(stage.stale, [3n, 3n, 7n, 7n]);
  });

  newestTest("the answer for a skipped one is the verdict discard, which a consumer counts", async (stage) => {
    assert.equal(await stage.deliver(2), "handled 2");
    const verdict = (await stage.deliver(1)) as { kind: string; why: string };
    assert.equal(verdict.kind, "discard");
    assert.equal(verdict.why, `version 1 of ${stage.id} is not newer than 2`);
  });

  newestTest("versions are compared as numbers, of any length", async (stage) => {
    for (const version of [0, 9, "10", "0009", HUGE, HUGE - 1n, HUGE + 1n, String(HUGE), "9".repeat(39)])
      await stage.deliver(version);
    assert.deepEqual(stage.seen, [0n, 9n, 10n, HUGE, HUGE + 1n, BigInt("9".repeat(39))]);
  });

  newestTest("entities and scopes do not know of each other, nor of idempotency keys", async (stage) => {
    await stage.deliver(5);
    await stage.deliver(1, { id: `${stage.id}-other` });
    await stage.deliver(1, {}, { scope: "another" });
    assert.deepEqual(stage.seen, [5n, 1n, 1n]);
  });

  newestTest("a handler that fails does not advance the version, and the retry runs at once", async (stage) => {
    await stage.deliver(1);
    const failure = new Error("down");
    const failing = stage.deliver(3, {}, {}, () => {
      throw failure;
    });
    await assert.rejects(failing, failure);
    await stage.deliver(2);
    await stage.deliver(3);
    assert.deepEqual(stage.seen, [1n, 3n, 2n, 3n]);
    if (stage.isTransactional) assert.equal(await stage.effects(), 3);
  });

  newestTest("retryIn and reject do not advance it either", async (stage) => {
    await stage.deliver(1, {}, {}, () => retryIn("1s"));
    await stage.deliver(1, {}, {}, () => reject("unknown customer"));
    await stage.deliver(1);
    await stage.deliver(1);
    assert.deepEqual(stage.seen, [1n, 1n, 1n]);
  });

  newestTest("while one version is worked on another one is not, and is neither run nor skipped", async (stage) => {
    await stage.deliver(1);
    await stage.deliver(2, {}, {}, async () => {
      await assert.rejects(stage.deliver(3), (error) => isIdempotencyError(error, "InProgress"));
      await stage.deliver(1);
    });
    await stage.deliver(3);
    assert.deepEqual([stage.seen, stage.stale], [[1n, 2n, 3n], [1n]]);
  });

  newestTest(`${RIVALS} versions delivered at once, again and again until done, end with the newest`, async (stage) => {
    const register: bigint[] = [];
    let running = 0;
    // Every one of 1 to 20, in steps of 7.
    const versions = Array.from({ length: RIVALS }, (_, index) => ((index * 7) % RIVALS) + 1);
    const deliver = async (version: number) => {
      for (;;) {
        try {
          return await stage.deliver(version, {}, {}, async () => {
            assert.equal(++running, 1, "two at once");
            await sleep(1);
            register.push(BigInt(version));
            running--;
          });
        } catch (error) {
          assert.ok(isIdempotencyError(error, "InProgress"), String(error));
          await sleep(2);
        }
      }
    };
    await Promise.all(versions.map(deliver));
    assert.equal(register.at(-1), BigInt(RIVALS));
    assert.deepEqual(
      register,
      [...register].sort((a, b) => (a < b ? -1 : 1)),
    );
    if (stage.isTransactional) assert.equal(await stage.effects(), register.length);
  });

  newestTest("of many who begin one version together one gets the claim", async (stage) => {
    const outcomes = await Promise.all(Array.from({ length: RIVALS }, () => stage.begin(1n)));
    const claims = outcomes.flatMap((begun) => (begun.is === "mine" ? [begun.claim] : []));
    assert.equal(claims.length, 1);
    assert.ok(outcomes.every(({ is }) => is !== "stale"));
    assert.equal(await claims[0]?.complete("1", KEEP_MS), true);
    for (const begun of await Promise.all(Array.from({ length: RIVALS }, () => stage.begin(1n))))
      assert.deepEqual(begun, { is: "stale", newest: 1n });
  });

  newestTest("with the store out of reach nothing runs and nothing is skipped", async (stage) => {
    await stage.deliver(2);
    stage.harness.cut();
    for (const version of [1, 2, 3])
      await assert.rejects(stage.deliver(version), (error) => isIdempotencyError(error, "StoreUnavailable"));
    await stage.harness.mend();
    await stage.deliver(3);
    assert.deepEqual([stage.seen, stage.stale], [[2n, 3n], []]);
  });

  newestTest(
    "a store that goes away while the handler runs: the caller is told, and the version comes again, with one effect",
    async (stage) => {
      await assert.rejects(
        stage.deliver(1, {}, {}, () => stage.harness.cut()),
        (error) => isIdempotencyError(error, "NotRecorded") || isIdempotencyError(error, "OwnershipLost"),
      );
      await stage.harness.mend();
      await stage.clock.advance(LEASE_MS + stage.harness.graceMs);
      await stage.deliver(1);
      assert.equal(await stage.effects(), 1);
    },
    transactional,
  );

  newestTest("a crash leaves the version as it was, and drops the effects of the transaction", async (stage) => {
    await stage.deliver(1);
    const claim = await stage.mine(3n);
    await stage.harness.add?.(claim.tx, stage.id);
    await stage.harness.crash(claim);
    await stage.clock.advance(LEASE_MS + stage.harness.graceMs);
    await stage.deliver(1);
    await stage.deliver(3);
    // The dead one turns out to have been only slow.
    assert.equal(await claim.complete("3", KEEP_MS), false);
    assert.deepEqual([stage.seen, stage.stale], [[1n, 3n], [1n]]);
    if (stage.isTransactional) assert.equal(await stage.effects(), 2);
  });

  newestTest(
    "who lost the entity to a newer version cannot save its own",
    async (stage) => {
      const late = await stage.mine(1n);
      await stage.harness.add?.(late.tx, stage.id);
      await stage.clock.advance(LEASE_MS + stage.harness.graceMs);
      await stage.deliver(2);
      assert.equal(await late.complete("1", KEEP_MS), false);
      assert.deepEqual(await stage.begin(2n), { is: "stale", newest: 2n });
      if (stage.isTransactional) assert.equal(await stage.effects(), 1);
    },
    leased,
  );

  newestTest("the fence grows with every run", async (stage) => {
    for (const version of [1, 2, 3]) await stage.deliver(version);
    assert.deepEqual(stage.fences, [1, 2, 3]);
  });

  newestTest("a version is remembered for its time, counted from its end, and then forgotten", async (stage) => {
    await stage.deliver(5);
    await stage.clock.advance(KEEP_MS - 1);
    await stage.deliver(4);
    await stage.clock.advance(1);
    await stage.deliver(3);
    await stage.deliver(4);
    assert.deepEqual([stage.seen, stage.stale], [[5n, 3n, 4n], [5n]]);
  });

  newestTest("a forgotten version does not come back when the next run fails", async (stage) => {
    await stage.deliver(5);
    await stage.clock.advance(KEEP_MS);
    await stage.deliver(3, {}, {}, () => retryIn("1s"));
    await stage.deliver(4);
    assert.deepEqual([stage.seen, stage.stale], [[5n, 3n, 4n], []]);
  });
}

/** One test's clock, store and entity, and a handler that adds one effect for each version that it sees. */
class Stage<Tx> {
  readonly harness: VersionHarness<Tx>;
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1));
  readonly id = newId().key;
  readonly seen: bigint[] = [];
  readonly stale: bigint[] = [];
  readonly fences: number[] = [];
  readonly #store: VersionStore<Tx>;

  constructor(harness: VersionHarness<Tx>) {
    this.harness = harness;
    this.#store = harness.open(this.clock);
  }

  get isTransactional(): boolean {
    return this.harness.add !== undefined;
  }

  effects(): Promise<number> {
    return this.harness.count(this.id);
  }

  begin(version: bigint): Promise<BegunNewer<Tx>> {
    const id = { scope: "newest of states", key: this.id };
    return this.#store.beginNewer(id, { version, leaseMs: LEASE_MS, keepForMs: KEEP_MS });
  }

  async mine(version: bigint): Promise<Claim<Tx>> {
    const begun = await this.begin(version);
    assert.equal(begun.is, "mine");
    return (begun as { claim: Claim<Tx> }).claim;
  }

  /** `before` runs after the effect and before the end; what it answers, if anything, is the handler's answer. */
  deliver(
    version: State["version"],
    other: { id?: string } = {},
    options: Partial<MonotonicOptions<State, unknown, Tx>> = {},
    before: () => unknown = () => {},
  ): Promise<unknown> {
    const handler = async (state: State, _: unknown, attempt: VersionAttempt<Tx>) => {
      this.seen.push(attempt.version);
      this.fences.push(attempt.fence);
      await this.harness.add?.(attempt.tx, state.id);
      return (await before()) ?? `handled ${attempt.version}`;
    };
    return monotonic(handler, {
      entity: ({ id }: State) => id,
      version: (state) => state.version,
      store: this.#store,
      scope: "states",
      leaseMs: LEASE_MS,
      keepForMs: KEEP_MS,
      onStale: (newest) => void this.stale.push(newest),
      clock: this.clock,
      ...options,
    })({ id: this.id, version, ...other });
  }
}
