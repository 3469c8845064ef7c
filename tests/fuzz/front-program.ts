// A server in a process of its own, in memory, for tests that attack it: the parent can see it die, and how much memory
// it takes. Time limits are short enough for a test to wait for. Settings come as JSON in the first argument.

import { startServer } from "../../src/server/index.ts";
import type { FrontTimeouts } from "../../src/server/node-http-front.ts";

const frontTimeouts = JSON.parse(process.argv[2] ?? "{}") as FrontTimeouts;
const bugs: string[] = [];
const server = await startServer({
  memory: true,
  port: 0,
  frontTimeouts,
  log: (level, text, details) => {
    if (level === "error") bugs.push(`${text} ${JSON.stringify(details)}`);
  },
});
process.on("message", (ask) => {
  if (ask === "bugs") process.send?.(bugs.splice(0));
  else void server.stop().then(() => process.exit(0));
});
process.on("disconnect", () => process.exit(0));
process.send?.(server.endpoint);
