// How long the fuzz tests run, from which seed, and what one input may cost. In CI a property gets a few seconds; by
// hand (`npm run fuzz -- --minutes N`) the same properties share N minutes. A failure prints the shrunk input and the
// line that repeats it.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chooseSeed } from "../support/seeded-random.ts";

/** Of all properties together; their shares add up to 1. Tests that take no budget need about 15 seconds more. */
const SECONDS_IN_CI = 45;
const INPUT_MS_MAX = 1000;
const MiB = 1024 * 1024;

/** For draws beside the properties: FUZZ_SEED repeats them too. */
export const fuzzSeed = chooseSeed("FUZZ_SEED");
const totalMs = (Number(process.env["FUZZ_MINUTES"] ?? 0) * 60 || SECONDS_IN_CI) * 1000;

export function budgetMs(share: number): number {
  return totalMs * share;
}

/** A test that feeds `check` until its share of the time is used up. */
export function fuzz<Input>(
  name: string,
  share: number,
  inputs: fc.Arbitrary<Input>,
  check: (input: Input) => void | Promise<void>,
): void {
  test(name, async (context) => {
    let inputCount = 0;
    const property = fc.asyncProperty(inputs, async (input) => {
      inputCount += 1;
      await check(input);
    });
    await fc.assert(property, {
      seed: fuzzSeed,
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: budgetMs(share),
      maxSkipsPerRun: 0,
    });
    context.diagnostic(`${inputCount} inputs, seed ${fuzzSeed}`);
    assert.ok(inputCount > 0, "the budget was too small for a single input");
  });
}

/**
 * Runs `act` on an input of so many bytes and holds it to what an input may cost: a second, and memory outside the
 * heap in proportion to the input. (Memory inside the heap is bounded by node, with a crash.)
 */
export function withinBounds<Value>(inputBytes: number, act: () => Value): Value {
  const bytesBefore = process.memoryUsage().arrayBuffers;
  const [value, firstMs] = timed(act);
  const bytes = process.memoryUsage().arrayBuffers - bytesBefore;
  assert.ok(bytes <= 16 * MiB + 64 * inputBytes, `${inputBytes} bytes of input took ${bytes} bytes of memory`);
  if (firstMs <= INPUT_MS_MAX) return value;
  // The machine may have been busy with something else; the input is slow if it is slow again.
  const [, againMs] = timed(act);
  assert.ok(againMs <= INPUT_MS_MAX, `${inputBytes} bytes of input took ${Math.round(againMs)} ms`);
  return value;
}

function timed<Value>(act: () => Value): [Value, number] {
  const startedAtMs = performance.now();
  const value = act();
  return [value, performance.now() - startedAtMs];
}
