// Writes docs/settings.md from the settings table; with --check only says whether the page is current.

import { readFileSync, writeFileSync } from "node:fs";
import { settingsPage } from "../src/config/index.ts";

const PAGE = "docs/settings.md";
const wanted = settingsPage();

if (!process.argv.includes("--check")) {
  writeFileSync(PAGE, wanted);
} else if (readPage() !== wanted) {
  console.error(`${PAGE} is not what src/config/settings.ts says. Run: npm run generate`);
  process.exitCode = 1;
}

function readPage(): string {
  try {
    return readFileSync(PAGE, "utf8");
  } catch {
    return "";
  }
}
