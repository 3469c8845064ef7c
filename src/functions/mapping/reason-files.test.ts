import assert from "node:assert/strict";
import { appendFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../../tests/support/project.ts";
import { type FailureReason, FailureReasons } from "./failure-reasons.ts";
import { ReasonFiles } from "./reason-files.ts";

const because = (reason: string): FailureReason => ({ atMs: 1, kind: "Error", reason, functionArn: "arn" });
const noWarning = (_level: string, text: string) => assert.fail(text);

test("why a message failed is known in the next life, the last reason first, whatever a crash tore", async (context) => {
  const folder = join(scratchFolder(context, "reasons"), "functions");
  const first = new FailureReasons(new ReasonFiles(folder, noWarning));
  first.add(["a", "b"], because("one"));
  first.add(["b"], because("two"));
  await first.close();
  appendFileSync(join(folder, "failure-reasons.jsonl"), '\n{"ids":["c"],"at');
  const second = new FailureReasons(new ReasonFiles(folder, noWarning));
  second.add(["d"], because("three"));
  await second.close();
  const third = new FailureReasons(new ReasonFiles(folder, noWarning));
  assert.deepEqual(
    ["a", "b", "c", "d"].map((id) => third.get(id)?.reason),
    ["one", "two", undefined, "three"],
  );
});

test("there are two files of a bounded size, and the newest reasons are in them", async (context) => {
  const folder = scratchFolder(context, "reasons");
  const reasons = new FailureReasons(new ReasonFiles(folder, noWarning));
  for (let round = 0; round < 100; round++) {
    reasons.add([`m-${round}`], because("x".repeat(100_000)));
    await reasons.close();
  }
  assert.deepEqual(readdirSync(folder).sort(), ["failure-reasons.jsonl", "failure-reasons.old.jsonl"]);
  for (const name of readdirSync(folder)) assert.ok(statSync(join(folder, name)).size < 2_500_000);
  const after = new FailureReasons(new ReasonFiles(folder, noWarning));
  assert.ok(after.get("m-99") !== undefined && after.get("m-80") !== undefined);
  assert.equal(after.get("m-0"), undefined);
});

test("a folder that cannot be written to is told of once, and takes nothing along", async (context) => {
  const file = join(scratchFolder(context, "reasons"), "no-folder");
  appendFileSync(file, "");
  const told: string[] = [];
  const reasons = new FailureReasons(new ReasonFiles(join(file, "functions"), (_level, text) => told.push(text)));
  for (const id of ["a", "b"]) {
    reasons.add([id], because("one"));
    await reasons.close();
  }
  assert.equal(told.length, 1);
  assert.equal(reasons.get("b")?.reason, "one");
});
