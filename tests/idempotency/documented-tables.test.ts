// What docs/idempotency.md shows is what the functions answer.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { postgresKeyTable, postgresOutboxTable } from "../../src/consumer/index.ts";
import { projectRoot } from "../support/project.ts";

const page = readFileSync(join(projectRoot, "docs", "idempotency.md"), "utf8");

for (const [name, sql] of Object.entries({
  postgresKeyTable: postgresKeyTable(),
  postgresOutboxTable: postgresOutboxTable(),
}))
  test(`the page shows the SQL of ${name}`, () => assert.ok(page.includes(`\`\`\`sql\n${sql}\n\`\`\``)));

test("a table's name is taken only when it is plain", () => {
  assert.match(postgresKeyTable("billing.keys"), /INDEX IF NOT EXISTS keys_expiry ON billing\.keys /);
  for (const name of ["keys; DROP TABLE x", "Keys", "a.b.c", "", '"keys"']) assert.throws(() => postgresKeyTable(name));
});
