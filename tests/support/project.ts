// Where things are, for tests that start programs. Compiled code runs from whatever folder it was built into, so the
// binary is found beside this file and sources by walking up.

import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** The checkout: sources, scripts, installed tools. */
export const projectRoot = findRoot(here);

/** `millpond`, as it is installed: bundled out of what was compiled along with this file. */
export const millpondBinary = findBinary();

/** A new empty folder, removed by the test's `after` hook. */
export function scratchFolder(test: { after(clean: () => void): void }, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `millpond-${name}-`));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whoever ran `tsc` alone would test the program of an earlier build. */
function findBinary(): string {
  const dist = join(here, "..", "..");
  const binary = join(dist, "bin", "millpond.js");
  const builtAtMs = statSync(binary, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  for (const file of readdirSync(join(dist, "src"), { encoding: "utf8", recursive: true })) {
    if (!file.endsWith(".js") || file.endsWith(".test.js")) continue;
    if (statSync(join(dist, "src", file)).mtimeMs <= builtAtMs) continue;
    throw new Error(`${binary} is older than src/${file}, which it is made of: npm run build makes both.`);
  }
  return binary;
}

function findRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    // Compiled folders have no biome.json; node_modules never has one of ours.
    if (existsSync(join(folder, "package.json")) && existsSync(join(folder, "biome.json"))) return folder;
    if (folder === dirname(folder)) throw new Error(`no project around ${from}`);
  }
}
