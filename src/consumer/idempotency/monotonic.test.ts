import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { isIdempotencyError } from "./idempotency-error.ts";
import { idempotent } from "./idempotent.ts";
import { memoryStore } from "./memory-store.ts";
import { type MonotonicOptions, monotonic, type VersionAttempt } from "./monotonic.ts";

interface State {
  id?: unknown;
  version?: unknown;
}

function given(more: Partial<MonotonicOptions<State, unknown, unknown>> = {}) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const store = memoryStore({ clock });
  const seen: bigint[] = [];
  const handle = monotonic(
    (_: State, __: unknown, { version }: VersionAttempt<unknown>) => {
      seen.push(version);
      return "handled" as unknown;
    },
    {
      entity: ({ id }) => id as string,
      version: ({ version }) => version as number,
      store,
      scope: "test",
      clock,
      ...more,
    },
  );
  return { clock, store, seen, handle };
}

for (const version of [undefined, null, -1, -1n, 1.5, Number.NaN, 2 ** 53, "", "1e3", "-1", "0x1", "9".repeat(41), {}])
  test(`${String(version).slice(0, 20)} (${typeof version}) is no version: neither run nor skipped`, async () => {
    const { handle, seen } = given();
    await assert.rejects(handle({ id: "a", version }), (error) => isIdempotencyError(error, "KeyInvalid"));
    assert.deepEqual(seen, []);
  });

for (const id of [undefined, "", "undefined", 7])
  test(`${JSON.stringify(id)} names no entity`, async () => {
    const { handle } = given();
    await assert.rejects(handle({ id, version: 1 }), /names no entity/);
  });

test("a function that throws means no version", async () => {
  const { handle } = given({
    version: () => {
      throw new Error("no such field");
    },
  });
  await assert.rejects(handle({ id: "a" }), /The version could not be read/);
});

test("who waits for the one that runs gets its turn, and then finds what is newest", async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  clock.settleWith(() => new Promise((resolve) => setImmediate(resolve)));
  const store = memoryStore({ clock });
  const options = {
    entity: () => "a",
    version: ({ version }: State) => version as number,
    store,
    scope: "s",
    clock,
    busyWaitMs: 5_000,
  };
  const seen: bigint[] = [];
  const handle = monotonic(async (_: State, __: unknown, { version }) => {
    seen.push(version);
    await new Promise<void>((resolve) => void clock.setTimer(clock.nowMs() + 1_000, resolve));
  }, options);
  const all = Promise.all([2, 1, 3].map((version) => handle({ version })));
  await clock.advance(5_000);
  const [, one] = (await all) as { kind?: string }[];
  assert.deepEqual(seen, [2n, 3n]);
  assert.equal(one?.kind, "discard");
});

test("onConflict answers for what did not run", async () => {
  const { handle } = given({ onConflict: (error) => error.code });
  assert.equal(await handle({ id: "a" }), "KeyInvalid");
});

test("a store serves keys and versions of one name, and two unnamed handlers of one kind are refused", async () => {
  const store = memoryStore();
  const once = idempotent((_: State) => "once", { key: () => "a", store, fingerprint: false });
  const options = { entity: () => "a", version: () => 1, store };
  const newest = monotonic((_: State) => "newest", options);
  assert.deepEqual([await once({}), await newest({}), await once({})], ["once", "newest", "once"]);
  assert.throws(() => monotonic((_: State) => "another", options), /give each monotonic\(\) a scope/);
});
