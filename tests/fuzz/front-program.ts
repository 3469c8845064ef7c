// A server in a process of its own, in memory, for tests that attack it: the parent can see it die, and how much memory
// it takes. Time limits are short enough for a test to wait for. They come as JSON in the first argument,
// the front's name in the second.

import type { FrontTimeouts } from "../../src/server/front-limits.ts";
import { startServer } from "../../src/server/index.ts";

const frontTimeouts = JSON.parse(process.argv[2] ?? "{}") as FrontTimeouts;
const httpFront = process.argv[3] === "node" ? "node" : "sockets";
const bugs: string[] = [];
const server = await startServer({
  memory: true,
  port: 0,
  httpFront,
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
