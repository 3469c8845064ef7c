// millpond serve: runs the server until a signal drains it.

import { readFileSync } from "node:fs";
import { resolveSettings, settingRows } from "../config/index.ts";
import type { Command, Flag } from "./command.ts";
import { logTo } from "./log-lines.ts";
import { operandsOf } from "./operands.ts";
import { printStart } from "./start-block.ts";

export const serve: Command = {
  about:
    "Serves SQS on one port until SIGINT or SIGTERM, then drains: no new connections, waiting receives are answered, " +
    "everything is on disk, exit 0. A second signal ends it at once. Each flag is also an environment variable " +
    "(--port is MILLPOND_PORT) and a key of the --config file; docs/settings.md has them all.",
  examples: [
    "serve",
    "serve --port 0 --memory --ready-file ready.json",
    "serve --host 0.0.0.0 --data /var/lib/millpond",
  ],
  flags: settingFlags(),
  async run(call) {
    operandsOf(call, [], "serve [--port N] [--data DIR | --memory] …");
    const { settings } = resolveSettings({
      flags: flagValues(call.flags),
      environment: call.environment,
      readFile: (path) => readFileSync(path, "utf8"),
    });
    // Loaded here, so that the other commands start without waiting for a server they do not run.
    const { startResolved } = await import("../server/index.ts");
    const server = await startResolved(settings, { log: logTo(call.output) });
    printStart(server, call.output);
    if (!call.interrupted.aborted) {
      await new Promise<void>((resolve) => call.interrupted.addEventListener("abort", () => resolve(), { once: true }));
    }
    await server.stop();
  },
};

/** On/off settings also get --no-NAME, to overrule the environment or the file. */
function settingFlags(): Record<string, Flag> {
  const flags: Record<string, Flag> = {};
  for (const [, row] of settingRows) {
    const defaultNote = row.default === undefined || row.isOnOff ? "" : ` [${row.format(row.default)}]`;
    const help = `${row.help}${defaultNote}`;
    flags[row.name] = { type: row.isOnOff ? "boolean" : "string", placeholder: row.placeholder, help };
    if (row.isOnOff) flags[`no-${row.name}`] = { type: "boolean" };
  }
  return flags;
}

function flagValues(flags: Record<string, string | boolean | string[] | undefined>): Record<string, string | boolean> {
  const values: Record<string, string | boolean> = {};
  for (const [, row] of settingRows) {
    const value = flags[row.name];
    if (flags[`no-${row.name}`] === true) values[row.name] = false;
    else if (typeof value === "string" || typeof value === "boolean") values[row.name] = value;
  }
  return values;
}
