import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDuration, parseDurationMs } from "./duration.ts";

test("durations are read as people write them", () => {
  const cases: [string, number][] = [
    ["31s", 31_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["4d", 345_600_000],
    ["250ms", 250],
    ["1.5h", 5_400_000],
    ["10", 10_000],
    ["0", 0],
    [" 2s ", 2000],
  ];
  for (const [text, expectedMs] of cases) assert.equal(parseDurationMs(text), expectedMs, text);
});

test("what is not a duration is not guessed at", () => {
  for (const text of ["", "s", "-5s", "5 minutes", "1h30", "5M", "1e3", "Infinity", "5s!"]) {
    assert.equal(parseDurationMs(text), undefined, text);
  }
});

test("durations are shown in their two largest units", () => {
  assert.equal(formatDuration(0), "0s");
  assert.equal(formatDuration(250), "250ms");
  assert.equal(formatDuration(5_400_000), "1h30m");
  assert.equal(formatDuration(90_061_000), "1d1h");
  assert.equal(formatDuration(86_400_000 + 5000), "1d");
});
