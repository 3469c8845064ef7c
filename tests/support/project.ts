// Where things are, for tests that start programs. Compiled code runs from whatever folder it was built into, so the
// binary is found beside this file and sources by walking up.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** The checkout: sources, scripts, installed tools. */
export const projectRoot = findRoot(here);

/** `millpond`, as compiled along with this file. */
export const millpondBinary = join(here, "..", "..", "src", "cli", "main.js");

/** A new empty folder, removed by the test's `after` hook. */
export function scratchFolder(test: { after(clean: () => void): void }, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `millpond-${name}-`));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function findRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    // Compiled folders have no biome.json; node_modules never has one of ours.
    if (existsSync(join(folder, "package.json")) && existsSync(join(folder, "biome.json"))) return folder;
    if (folder === dirname(folder)) throw new Error(`no project around ${from}`);
  }
}
