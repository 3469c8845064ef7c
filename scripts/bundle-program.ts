// Makes the program that is installed as `millpond` out of the compiled command line: one file, and others for what is
// loaded later. Reading hundreds of small modules would be half of a server's start. What the package exports stays as
// tsc wrote it, and so does dist/src/cli/main.js, which is the same program in many files.

import { chmodSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const dist = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(dist, "bin");

// The names of parts change with what is in them.
rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: {
    millpond: join(dist, "src", "cli", "main.js"),
    // Beside the part that starts it.
    "parts/front-program": join(dist, "src", "server", "front-workers", "front-program.js"),
  },
  outdir: folder,
  chunkNames: "parts/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.15",
  // Not made small, so that the stack in a report of a bug can be read.
  logLevel: "warning",
});
chmodSync(join(folder, "millpond.js"), 0o755);
