// The config files that the documentation shows are ones that `millpond dev` takes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseConfigText } from "../../src/dev/config-text.ts";
import { readProject } from "../../src/dev/read-project.ts";
import { reconcile } from "../../src/dev/reconcile.ts";
import { startServer } from "../../src/server/index.ts";
import { projectRoot } from "../support/project.ts";

for (const page of ["README.md", "docs/dev.md"]) {
  test(`the config in ${page} is read, and the server takes all of it`, async () => {
    const [, text = ""] = /```jsonc\n([\s\S]*?)```/.exec(readFileSync(join(projectRoot, page), "utf8")) ?? [];
    const { value } = parseConfigText(text);
    const { project, problems } = readProject(value, { folder: projectRoot, isFile: () => true });
    assert.deepEqual(problems, []);
    assert.ok(project !== undefined);
    const server = await startServer({ port: 0, memory: true });
    try {
      const world = { host: server.queues, scope: { account: "000000000000", region: "us-east-1" } };
      assert.ok((await reconcile(world, project)).length >= project.queues.length + project.mappings.length);
      assert.deepEqual(await reconcile(world, project), []);
    } finally {
      await server.stop();
    }
  });
}
