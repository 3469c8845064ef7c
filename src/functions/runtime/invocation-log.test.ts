import assert from "node:assert/strict";
import { test } from "node:test";
import { InvocationLog, LineSplitter, reportLine } from "./invocation-log.ts";

test("the tail is the last 4 KiB, whatever came before", () => {
  const log = new InvocationLog();
  for (let index = 0; index < 20_000; index++) log.add(`line ${index} ü`);
  const bytes = Buffer.from(log.tail(), "base64");
  assert.equal(bytes.length, 4096);
  const lines = bytes.toString().split("\n");
  assert.equal(lines.at(-2), "line 19999 ü");
  assert.equal(lines.at(-200), "line 19801 ü");
});

test("chunks become lines, however they are cut, and a last line without an end comes at the end", () => {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const chunk of ["a", "b\nc\n\nd", "e", "\nf"]) splitter.write(chunk);
  assert.deepEqual(lines, ["ab", "c", "", "de"]);
  splitter.end();
  splitter.end();
  assert.deepEqual(lines.slice(4), ["f"]);
  splitter.write("x".repeat(300_000));
  assert.equal(lines[5]?.length, 300_000, "a line that never ends is not kept");
});

test("REPORT shows a cold start's Init Duration, and why an invocation failed", () => {
  const figures = { requestId: "r", durationMs: 1.234, billedMs: 102, memoryMb: 128, memoryUsedMb: 40, initMs: 100.5 };
  assert.equal(
    reportLine({ ...figures, coldStart: true, error: undefined }),
    "REPORT RequestId: r\tDuration: 1.23 ms\tBilled Duration: 102 ms\tMemory Size: 128 MB\tMax Memory Used: 40 MB\tInit Duration: 100.50 ms\t",
  );
  const timeout = { reportStatus: "timeout", errorType: "Sandbox.Timedout" } as const;
  assert.match(reportLine({ ...figures, coldStart: false, error: timeout }), /40 MB\tStatus: timeout\t$/);
});
