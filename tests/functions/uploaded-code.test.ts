import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CodeStore } from "../../src/functions/runtime/index.ts";
import { makeZip } from "./make-zip.ts";
import { answer, invoke, openWorld, ran } from "./world.ts";

const world = openWorld();
const store = new CodeStore(join(world.folder, "code"));

async function unpack(files: Parameters<typeof makeZip>[0]): Promise<string> {
  const unpacked = await store.put(makeZip(files));
  assert.ok(unpacked.ok);
  return unpacked.value.folder;
}

test("a zip for Node runs, its handler found below the root, its packages with it", async () => {
  const folder = await unpack([
    { path: "package.json", text: '{"type":"module"}' },
    { path: "src/api.js", text: 'import two from "two";\nexport const handler = async (n) => n * two;' },
    { path: "node_modules/two/package.json", text: '{"main":"i.js"}' },
    { path: "node_modules/two/i.js", text: "module.exports = 2;", stored: true },
  ]);
  const running = world.start({ form: "folder", folder, runtime: "nodejs20.x", handler: "src/api.handler" });
  assert.equal(answer(await ran(running, 21)), 42);
});

test("the project that the data folder lies in does not say which kind of module a function is", async () => {
  world.write("package.json", '{"type":"module"}');
  const folder = await unpack([
    { path: "index.js", text: 'exports.handler = async () => typeof require("os").arch();' },
  ]);
  const running = world.start({ form: "folder", folder, runtime: "nodejs20.x", handler: "index.handler" });
  assert.equal(answer(await ran(running)), "string");
});

test("a zip for Python runs", async () => {
  const folder = await unpack([
    { path: "app/__init__.py", text: "" },
    { path: "app/main.py", text: "import os, helper\ndef handler(event, context):\n    return helper.twice(event)\n" },
    { path: "helper.py", text: "def twice(n): return n * 2\n" },
  ]);
  const running = world.start({ form: "folder", folder, runtime: "python3.12", handler: "app/main.handler" });
  assert.equal(answer(await ran(running, 21)), 42);
});

/** Around the loop that AWS's tutorial on custom runtimes has too. */
const BOOTSTRAP = `#!/bin/sh
set -eu
api="http://$AWS_LAMBDA_RUNTIME_API/2018-06-01/runtime/invocation"
while true; do
  headers=$(mktemp)
  event=$(curl -sS -D "$headers" "$api/next")
  id=$(tr -d '\\r' < "$headers" | sed -n 's/^[Ll]ambda-[Rr]untime-[Aa]ws-[Rr]equest-[Ii]d: //p')
  echo "handling $_HANDLER"
  case $event in
    *fail*) curl -sS -X POST -H 'Lambda-Runtime-Function-Error-Type: Shell.Bad' "$api/$id/error" -d '{"errorMessage":"it failed","errorType":"Shell.Bad"}' ;;
    *) curl -sS -X POST "$api/$id/response" -d "{\\"got\\":$event}" ;;
  esac
done
`;

test("a custom runtime is a bootstrap of its own, here a shell script", async (t) => {
  if (!existsSync("/usr/bin/curl")) return t.skip("SKIPPED: no curl");
  const folder = await unpack([{ path: "bootstrap", text: BOOTSTRAP, isExecutable: true }]);
  const running = world.start({ form: "folder", folder, runtime: "provided.al2023", handler: "main" });
  const first = await ran(running, { n: 1 });
  assert.deepEqual(answer(first), { got: { n: 1 } });
  assert.match(Buffer.from(first.logTail, "base64").toString(), /\nhandling main\n/);
  const second = await ran(running, "fail");
  assert.deepEqual([second.coldStart, second.functionError, second.errorType], [false, "Unhandled", "Shell.Bad"]);
});

test("a bootstrap that is not there or not executable is the function's error", async () => {
  const folder = await unpack([{ path: "bootstrap", text: BOOTSTRAP }]);
  const running = world.start({ form: "folder", folder, runtime: "provided.al2023", handler: "main" });
  const result = await ran(running, {}, { requestId: "one" });
  assert.deepEqual(answer(result), {
    errorType: "Runtime.InvalidEntrypoint",
    errorMessage: `RequestId: one Error: Couldn't find valid bootstrap(s): [${folder}/bootstrap]`,
  });
});

test("a runtime that this machine cannot run says so", async () => {
  const folder = await unpack([{ path: "App.class", text: "x" }]);
  const outcome = await invoke(world.start({ form: "folder", folder, runtime: "java21", handler: "App" }), {});
  assert.ok(outcome.status === "cannotRun");
  assert.match(outcome.message, /^Runtime java21 cannot be run on this machine: Millpond runs nodejsN\.x/);
});

test("a zip that the zip program wrote is read", async (t) => {
  try {
    execFileSync("zip", ["-v"], { stdio: "ignore" });
  } catch {
    return t.skip("SKIPPED: no zip");
  }
  world.write("zipped/lib/index.mjs", `export const handler = async () => "${"long ".repeat(500)}".length;`);
  execFileSync("zip", ["-rq", "../code.zip", "."], { cwd: join(world.folder, "zipped") });
  const unpacked = await store.put(readFileSync(join(world.folder, "code.zip")));
  assert.ok(unpacked.ok);
  const { folder } = unpacked.value;
  const running = world.start({ form: "folder", folder, runtime: "nodejs22.x", handler: "lib/index.handler" });
  assert.equal(answer(await ran(running)), 2500);
});
