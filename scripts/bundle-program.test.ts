import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { makeZip } from "../tests/functions/make-zip.ts";
import { millpondBinary, projectRoot } from "../tests/support/project.ts";
import { startServe } from "../tests/support/server-process.ts";

const run = promisify(execFile);

test("what is installed as millpond is the bundled program, with commands that are loaded when they are asked for", async () => {
  const { bin, version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  assert.equal(join(projectRoot, bin.millpond), millpondBinary);
  assert.equal((await run(millpondBinary, ["--version"])).stdout, `${version}\n`);
  assert.match((await run(millpondBinary, ["help", "log", "dump"])).stdout, /^Examples\n {2}millpond log dump/m);
  assert.doesNotMatch(readFileSync(millpondBinary, "utf8"), /decodeFacts/);
});

test("the bundled program finds the runtimes of functions", async () => {
  const server = startServe(["--memory"]);
  try {
    const functions = `${await server.ready}/2015-03-31/functions`;
    for (const [name, runtime, file] of [
      ["twice", "nodejs20.x", { path: "index.mjs", text: "export const handler = async (event) => event * 2;" }],
      ["thrice", "python3.11", { path: "index.py", text: "def handler(event, context):\n    return event * 3\n" }],
    ] as const) {
      const created = await post(functions, {
        FunctionName: name,
        Runtime: runtime,
        Handler: "index.handler",
        Role: "arn:aws:iam::000000000000:role/r",
        Code: { ZipFile: makeZip([file]).toString("base64") },
      });
      assert.equal(created.status, 201);
      const invoked = await post(`${functions}/${name}/invocations`, 7);
      assert.equal(await invoked.text(), name === "twice" ? "14" : "21");
    }
  } finally {
    await server.signal("SIGTERM");
  }
});

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: "POST", body: JSON.stringify(body) });
}
