// Runs the compiled tests of some folders and closes with node:test's summary.
//
//   node dist/scripts/run-tests.js [--together FOLDER]... [--serial] FOLDER...
//
// Node 20's runner takes no globs, so the files are found here. The files of a `--together` folder share one process:
// pure unit tests run in milliseconds, and a process for each would cost a hundred times that. A compiled test whose
// source is gone is left out. Folders are named as in the source tree.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const compiledRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const TOGETHER_FILE = join(compiledRoot, "together.test.js");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { together: { type: "string", multiple: true, default: [] }, serial: { type: "boolean", default: false } },
});

const together = values.together.flatMap(findTests);
const apart = positionals.flatMap(findTests);
if (together.length + apart.length === 0) {
  console.error(`There are no tests in ${[...values.together, ...positionals].join(", ")}.`);
  process.exit(1);
}
if (together.length > 0) writeFileSync(TOGETHER_FILE, importAll(together));
const files = together.length > 0 ? [TOGETHER_FILE, ...apart] : apart;
const flags = ["--enable-source-maps", "--test", "--test-reporter=spec"];
if (values.serial) flags.push("--test-concurrency=1");
const { status } = spawnSync(process.execPath, [...flags, ...files], { stdio: "inherit" });
process.exit(status ?? 1);

function findTests(folder: string): string[] {
  const compiled = join(compiledRoot, folder);
  if (!existsSync(compiled)) return [];
  const found = readdirSync(compiled, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.js"))
    .filter((name) => existsSync(join(folder, name.replace(/\.js$/, ".ts"))));
  return found.sort().map((name) => join(compiled, name));
}

function importAll(tests: string[]): string {
  const lines = tests.map((test) => `import "./${relative(compiledRoot, test).split(sep).join("/")}";`);
  return `// Written by scripts/run-tests.ts.\n${lines.join("\n")}\n`;
}
