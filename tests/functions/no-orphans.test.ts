// What functions leave behind when the server is killed without a chance to tidy up: nothing.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually, isAlive, openWorld } from "./world.ts";

const world = openWorld();

test("no process of a function outlives a server that was killed, busy, idle or started by the function", async () => {
  const pids = `${world.folder}/pids`;
  world.write(
    "busy/index.mjs",
    `import { spawn } from "node:child_process";
    import { appendFileSync } from "node:fs";
    export const handler = async ({ spin }) => {
      const child = spawn("sleep", ["600"]);
      appendFileSync(${JSON.stringify(pids)}, process.pid + "\\n" + child.pid + "\\n");
      while (spin);
    };`,
  );
  world.write(
    "idle/app.py",
    `import os
def handler(event, context):
    open(${JSON.stringify(pids)}, "a").write(str(os.getpid()) + "\\n")
`,
  );
  const program = fileURLToPath(new URL("./no-orphans-server.js", import.meta.url));
  const server = spawn(process.execPath, [program, world.folder], { stdio: "inherit" });
  const found = () => (existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n").map(Number) : []);
  await eventually("four processes run", () => found().length >= 5);
  assert.ok(found().every(isAlive));
  server.kill("SIGKILL");
  await eventually("none is left", () => !found().some(isAlive));
});
