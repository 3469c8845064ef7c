import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { reject, retryIn } from "../verdict.ts";
import { isIdempotencyError } from "./idempotency-error.ts";
import { type Attempt, type IdempotentOptions, idempotent } from "./idempotent.ts";
import { memoryStore } from "./memory-store.ts";
import type { Begun, IdempotencyStore } from "./store.ts";

interface Message {
  id?: unknown;
  body: unknown;
  receipt?: string;
}

function given(more: Partial<IdempotentOptions<Message, unknown, unknown>> = {}) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const store = memoryStore({ clock }) as IdempotencyStore<unknown>;
  let runs = 0;
  const guard = (handler: (message: Message, context: unknown, attempt: Attempt<unknown>) => unknown) =>
    idempotent(
      (message: Message, context: unknown, attempt: Attempt<unknown>) => {
        runs++;
        return handler(message, context, attempt);
      },
      { key: ({ id }) => id as string, store, scope: "test", clock, ...more },
    );
  return { clock, store, guard, runs: () => runs };
}

for (const id of [undefined, null, "", "  ", "undefined", "null", "[object Object]", 7, {}, "a\0b", "x".repeat(1_001)])
  test(`a message whose key is ${JSON.stringify(id)?.slice(0, 20)} does not run unprotected`, async () => {
    const { guard, runs } = given();
    await assert.rejects(guard(() => "ran")({ id, body: 1 }), (error) => isIdempotencyError(error, "KeyInvalid"));
    assert.equal(runs(), 0);
  });

test("a key function that throws means no key", async () => {
  const { guard, runs } = given({
    key: () => {
      throw new Error("no such field");
    },
  });
  await assert.rejects(guard(() => "ran")({ body: 1 }), (error) => isIdempotencyError(error, "KeyInvalid"));
  assert.equal(runs(), 0);
});

test("what changes with every delivery does not count as another body", async () => {
  const { guard, runs } = given();
  const handle = guard(() => "ran");
  await handle({ id: "a", body: { amount: 1, currency: "EUR" }, receipt: "1" });
  assert.equal(await handle({ id: "a", body: { currency: "EUR", amount: 1 }, receipt: "2" }), "ran");
  assert.equal(runs(), 1);
  await assert.rejects(handle({ id: "a", body: { amount: 2, currency: "EUR" } }), /used before with another body/);
});

test("onConflict answers for what did not run, and what the handler throws stays thrown", async () => {
  const { guard } = given({ onConflict: (error) => error.code });
  assert.equal(await guard(() => "ran")({ body: 1 }), "KeyInvalid");
  await guard(() => "ran")({ id: "a", body: 1 });
  assert.equal(await guard(() => "ran")({ id: "a", body: 2 }), "KeyReused");
  const failing = guard(() => {
    throw new Error("from the handler");
  });
  await assert.rejects(failing({ id: "b", body: 1 }), /from the handler/);
});

test("a verdict that is not done leaves the key free: the message runs when it comes back", async () => {
  const { guard, runs } = given();
  for (const verdict of [retryIn("5s"), reject("unknown customer")])
    assert.equal(await guard(() => verdict)({ id: "a", body: 1 }), verdict);
  assert.equal(await guard(() => "ran")({ id: "a", body: 1 }), "ran");
  assert.equal(runs(), 3);
});

test("the attempt names the key, and the second argument is passed on", async () => {
  const { guard } = given();
  const context = { signal: AbortSignal.abort() };
  const seen = await guard((_, given, { scope, key, fence, signal }) => {
    assert.equal(given, context);
    assert.equal(signal.aborted, true, "the caller's signal counts too");
    return { scope, key, fence };
  })({ id: "a", body: 1 }, context);
  assert.deepEqual(seen, { scope: "test", key: "a", fence: 1 });
});

test("a lease is renewed while the handler runs, so that a long one keeps its key", async () => {
  const { guard, clock, runs } = given({ leaseMs: 9_000 });
  let finish = () => {};
  const handle = guard(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const long = handle({ id: "a", body: 1 });
  for (let step = 0; step < 20; step++) {
    await clock.advance(3_000);
    await assert.rejects(handle({ id: "a", body: 1 }), (error) => isIdempotencyError(error, "InProgress"));
  }
  finish();
  await long;
  assert.equal(runs(), 1);
});

test("the signal tells a handler whose store went away when its lease has run out", async () => {
  const { store, clock } = given();
  let isCut = false;
  const cut: IdempotencyStore<unknown> = {
    async begin(id, request): Promise<Begun<unknown>> {
      const begun = await store.begin(id, request);
      if (begun.is !== "mine") return begun;
      const { claim } = begun;
      const renew = async (ms: number) => {
        if (isCut) throw new Error("out of reach");
        return claim.renew(ms);
      };
      return {
        is: "mine",
        claim: {
          ...claim,
          fence: claim.fence,
          isLeased: true,
          tx: claim.tx,
          renew,
          complete: () => claim.complete(undefined, 1),
          release: () => claim.release(),
        },
      };
    },
  };
  let signal: AbortSignal | undefined;
  const handle = idempotent(
    (_: Message, __: unknown, attempt) => {
      signal = attempt.signal;
      return new Promise<void>((resolve) => attempt.signal.addEventListener("abort", () => resolve()));
    },
    { key: () => "a", store: cut, scope: "test", leaseMs: 9_000, clock },
  );
  const running = handle({ body: 1 });
  await clock.advance(6_000);
  isCut = true;
  await clock.advance(8_000);
  assert.equal(signal?.aborted, false);
  await clock.advance(4_000);
  assert.equal(signal?.aborted, true);
  await running;
});

test("a duplicate may wait for the one that runs", async () => {
  const { guard, clock, runs } = given({ busyWaitMs: 5_000 });
  let finish = (_: string) => {};
  const handle = guard(
    () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
  );
  const first = handle({ id: "a", body: 1 });
  await clock.advance(0);
  const second = handle({ id: "a", body: 1 });
  await clock.advance(1_000);
  finish("ran");
  await clock.advance(1_000);
  assert.deepEqual(await Promise.all([first, second]), ["ran", "ran"]);
  assert.equal(runs(), 1);
});

test("a result that cannot be kept does not undo the work", async () => {
  const { guard, runs } = given();
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  assert.equal(await guard(() => 1n)({ id: "a", body: 1 }), 1n);
  assert.match((await warned).message, /it is not kept/);
  assert.equal(await guard(() => "again")({ id: "a", body: 1 }), undefined);
  assert.equal(runs(), 1);
});

test("two handlers without a scope on one store are refused", () => {
  const store = memoryStore();
  const options = { key: () => "a", store };
  const charge = () => {};
  idempotent(charge, options);
  idempotent(charge, options);
  assert.throws(() => idempotent(() => {}, options), /a scope of its own/);
});
