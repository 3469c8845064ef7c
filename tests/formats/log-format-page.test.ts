// docs/log-format.md against the code, where that can be checked.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { FACT_CODES } from "../../src/engine/fact-codec.ts";

test("the page of the log's format names every kind of fact with its code", async () => {
  const page = await readFile("docs/log-format.md", "utf8");
  const rows = [...page.matchAll(/^\| (\d+) \| ([A-Z][A-Za-z]+) \|/gm)].map(([, code, kind]) => [kind, Number(code)]);
  assert.deepEqual(Object.fromEntries(rows), FACT_CODES);
});
