// The contract of `idempotent` itself over each store: what a consumer sees, from the first delivery to the last.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attempt, IdempotencyStore, IdempotentOptions } from "../../src/consumer/index.ts";
import { idempotent, isIdempotencyError } from "../../src/consumer/index.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { type Harness, KEEP_MS, LEASE_MS, NOT_INSTALLED, newId } from "./contract.ts";

interface Payment {
  id: string;
  body: string;
}

const RIVALS = 20;

export function guardedContract<Tx>(name: string, harness: Harness<Tx>, isInstalled = true): void {
  const guardedTest = (
    title: string,
    run: (stage: Guarded<Tx>, harness: Harness<Tx>) => Promise<void>,
    applies: (harness: Harness<Tx>) => boolean = () => true,
  ) =>
    applies(harness) &&
    test(`${name}, guarded: ${title}`, { skip: !isInstalled && NOT_INSTALLED }, () =>
      run(new Guarded(harness), harness),
    );

  guardedTest(`of ${RIVALS} deliveries at once one has its effect, and none is told a falsehood`, async (stage) => {
    const outcomes = await Promise.allSettled(Array.from({ length: RIVALS }, () => stage.deliver()));
    assert.equal(await stage.effects(), 1);
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") assert.equal(outcome.value, `charged ${stage.payment.id}`);
      else assert.ok(isIdempotencyError(outcome.reason, "InProgress"), String(outcome.reason));
    }
    assert.equal(await stage.deliver(), `charged ${stage.payment.id}`);
    assert.equal(await stage.effects(), 1);
  });

  guardedTest(
    "those who wait for the one that runs get its result",
    async (_, harness) => {
      const stage = new Guarded(harness, { busyWaitMs: 20_000, clock: undefined }, true);
      const handler = () => sleep(30);
      const results = await Promise.all(Array.from({ length: 5 }, () => stage.deliver(handler)));
      assert.deepEqual(new Set(results), new Set([`charged ${stage.payment.id}`]));
      assert.equal(await stage.effects(), 1);
    },
    (harness) => harness.time !== "process",
  );

  guardedTest("three deliveries, one effect, two replays", async (stage) => {
    for (let delivery = 1; delivery <= 3; delivery++)
      assert.equal(await stage.deliver(), `charged ${stage.payment.id}`);
    assert.equal(await stage.effects(), 1);
    assert.equal(stage.replays, 2);
  });

  guardedTest(
    "a handler that throws leaves no effect in the transaction, and the retry runs at once",
    async (stage) => {
      const failure = new Error("the provider is down");
      await assert.rejects(
        stage.deliver(() => {
          throw failure;
        }),
        failure,
      );
      if (stage.isTransactional) assert.equal(await stage.effects(), 0);
      await stage.deliver();
      if (stage.isTransactional) assert.equal(await stage.effects(), 1);
    },
  );

  guardedTest("the same key with another body does not run", async (stage) => {
    await stage.deliver();
    const other = { ...stage.payment, body: "another amount" };
    await assert.rejects(stage.deliver(undefined, other), (error) => isIdempotencyError(error, "KeyReused"));
    assert.equal(await stage.effects(), 1);
  });

  guardedTest("a key that has expired lets the work run again", async (stage) => {
    await stage.deliver();
    await stage.clock.advance(KEEP_MS);
    await stage.deliver();
    assert.equal(await stage.effects(), 2);
  });

  guardedTest("with the store out of reach the handler does not run", async (stage, harness) => {
    harness.cut();
    let ran = false;
    await assert.rejects(
      stage.deliver(() => {
        ran = true;
      }),
      (error) => isIdempotencyError(error, "StoreUnavailable"),
    );
    await harness.mend();
    assert.equal(ran, false);
    await stage.deliver();
    assert.equal(await stage.effects(), 1);
  });

  guardedTest(
    "a store that goes away while the handler runs: the caller is told, and the next delivery does it once",
    async (stage, harness) => {
      await assert.rejects(
        stage.deliver(() => harness.cut()),
        (error) => isIdempotencyError(error, "NotRecorded") || isIdempotencyError(error, "OwnershipLost"),
      );
      await harness.mend();
      await stage.clock.advance(LEASE_MS + harness.graceMs);
      await stage.deliver();
      assert.equal(await stage.effects(), 1);
    },
    (harness) => harness.add !== undefined,
  );

  guardedTest(
    "a handler that outlives its lease is told, and its result is not saved",
    async (stage, harness) => {
      // Time stands still for the slow worker's renewals: they are on a clock of their own, as in a stopped process.
      const slow = new Guarded(harness, { clock: new VirtualClock(stage.clock.nowMs()) }, false, stage);
      const late = slow.deliver(async () => {
        await stage.clock.advance(LEASE_MS + harness.graceMs);
        assert.equal(await stage.deliver(), `charged ${stage.payment.id}`);
        return "late";
      });
      await assert.rejects(late, (error) => isIdempotencyError(error, "OwnershipLost"));
      assert.equal(await stage.deliver(), `charged ${stage.payment.id}`);
      if (stage.isTransactional) assert.equal(await stage.effects(), 1);
    },
    (harness) => harness.isLeased,
  );
}

/** A payment and a handler around it that charges once: in the transaction where there is one. */
class Guarded<Tx> {
  readonly clock: VirtualClock;
  readonly payment: Payment;
  replays = 0;
  readonly #harness: Harness<Tx>;
  readonly #options: Partial<IdempotentOptions<Payment, unknown, Tx>>;
  readonly #store: IdempotencyStore<Tx>;
  #direct = 0;

  constructor(
    harness: Harness<Tx>,
    options: { busyWaitMs?: number; clock?: VirtualClock | undefined } = {},
    isRealTime = false,
    other?: Guarded<Tx>,
  ) {
    this.#harness = harness;
    this.clock = other?.clock ?? new VirtualClock(Date.UTC(2026, 0, 1));
    this.payment = other?.payment ?? { id: newId().key, body: "12.50" };
    this.#store = other?.store ?? harness.open(isRealTime ? undefined : this.clock);
    const { clock = isRealTime ? undefined : this.clock, ...more } = options;
    this.#options = clock === undefined ? more : { ...more, clock };
  }

  get store(): IdempotencyStore<Tx> {
    return this.#store;
  }

  get isTransactional(): boolean {
    return this.#harness.add !== undefined;
  }

  effects(): Promise<number> {
    return this.isTransactional ? this.#harness.count(this.payment.id) : Promise.resolve(this.#direct);
  }

  /** `before` runs after the effect and before the end. */
  deliver(before: () => unknown = () => {}, payment = this.payment): Promise<unknown> {
    const handler = async (message: Payment, _: unknown, attempt: Attempt<Tx>) => {
      if (this.isTransactional) await this.#harness.add?.(attempt.tx, message.id);
      else this.#direct++;
      await before();
      return `charged ${message.id}`;
    };
    return idempotent(handler, {
      key: (message: Payment) => message.id,
      store: this.#store,
      scope: "payments",
      leaseMs: LEASE_MS,
      keepForMs: KEEP_MS,
      onReplay: () => void this.replays++,
      ...this.#options,
    })(payment);
  }
}
