// The package's own version, read once from its package.json.

import { createRequire } from "node:module";

const found = createRequire(import.meta.url)("millpond/package.json") as { version?: string };

export const VERSION = found.version ?? "0.0.0";
