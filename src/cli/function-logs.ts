// millpond function logs: what a function has printed lately, and with --follow what it goes on to print. The server
// keeps the last lines of each function; nothing is lost to whoever follows unless a function prints more than those
// between two looks.

import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "./command.ts";
import { operandsOf } from "./operands.ts";
import { oneLine } from "./output.ts";
import { CLIENT_FLAGS, ServiceClient } from "./service-client.ts";

const LOOK_AGAIN_MS = 500;

interface Logs {
  lines: { atMs: number; requestId?: string; text: string }[];
  next: number;
}

export const functionLogs: Command = {
  examples: ["function logs orders", "function logs orders --follow"],
  flags: { follow: { type: "boolean", help: "go on until interrupted" }, ...CLIENT_FLAGS },
  async run(call) {
    const [name] = operandsOf(call, ["NAME"], "function logs NAME [--follow]");
    const client = new ServiceClient(call, "lambda");
    const path = ["/_millpond/functions", client.account, client.region, encodeURIComponent(name), "logs"].join("/");
    let after = 0;
    for (;;) {
      const { lines, next } = await client.admin<Logs>(`${path}?after=${after}`);
      for (const line of lines) {
        if (call.output.isJson) call.output.json(line);
        else call.output.line(timed(line));
      }
      // A server that was started anew counts from the beginning.
      after = next < after ? 0 : next;
      if (call.flags["follow"] !== true) {
        if (lines.length === 0) call.output.note(`${name} has printed nothing since the server was started.`);
        return;
      }
      await sleep(LOOK_AGAIN_MS, undefined, { signal: call.interrupted }).catch(() => {});
      if (call.interrupted.aborted) return;
    }
  },
};

/** What Node's console prints in a function has the time in it already. */
function timed({ atMs, text }: Logs["lines"][number]): string {
  const line = oneLine(text);
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z\s/.test(line) ? line : `${new Date(atMs).toISOString()} ${line}`;
}
