// boto3 in three ages: current (JSON), the last of its Query line, and Debian's.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { installed, isMissing, run, smokeFolder, startServer } from "./tools.ts";

for (const { name, python, protocol } of [
  { name: "current boto3 over JSON", python: installed("boto3", "python"), protocol: "json" },
  { name: "boto3 1.26 over Query", python: installed("boto3-query", "python"), protocol: "query" },
  { name: "Debian's boto3 over Query", python: "/usr/bin/python3", protocol: "query" },
]) {
  test(`${name}: create, send, receive, delete, dead letters, FIFO`, async (context) => {
    if (isMissing(context, python, ["boto3"])) return;
    const endpoint = await startServer(context);
    const { code, stdout, stderr } = await run(python, [
      join(smokeFolder, "boto3-smoke.py"),
      endpoint,
      protocol,
      "smoke",
    ]);
    assert.equal(code, 0, stderr);
    context.diagnostic(stdout.trim());
  });
}
