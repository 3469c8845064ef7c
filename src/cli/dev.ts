// millpond dev: a server with the queues, topics, functions and mappings of a config file, and what happens in it.

import { resolve } from "node:path";
import { settingRows } from "../config/index.ts";
import type { Command, Flag } from "./command.ts";
import { textFlag } from "./command.ts";
import { DevScreen } from "./dev-screen.ts";
import { logTo } from "./log-lines.ts";
import { operandsOf } from "./operands.ts";

/** Of the server's settings, those that one changes from one start to the next; the file has them all. */
const SETTING_FLAGS = ["host", "port", "memory", "data", "ready-file"];

export const dev: Command = {
  about:
    "Starts a server with everything that millpond.config.json (or .mjs, .js) declares, shows how queues and functions " +
    "are and what functions print, and follows changes of the file and of the functions' code until Ctrl-C. In memory " +
    "unless the file names a data folder. docs/dev.md says what is in the file.",
  examples: ["dev", "dev --config examples/payments-dev/millpond.config.json --port 0"],
  flags: {
    config: { type: "string", placeholder: "FILE", help: "the config file [millpond.config.json here]" },
    ...settingFlags(),
  },
  async run(call) {
    operandsOf(call, [], "dev [--config FILE] [--port N] [--data DIR | --memory]");
    const { findConfig, runDev } = await import("../dev/index.ts");
    const config = textFlag(call, "config");
    await runDev({
      path: config === undefined ? findConfig(resolve(".")) : resolve(config),
      flags: settingValues(call.flags),
      environment: call.environment,
      log: logTo(call.output, "warn"),
      reporter: new DevScreen(call.output),
      interrupted: call.interrupted,
    });
  },
};

function settingFlags(): Record<string, Flag> {
  const flags: Record<string, Flag> = {};
  for (const [, row] of settingRows) {
    if (!SETTING_FLAGS.includes(row.name)) continue;
    flags[row.name] = { type: row.isOnOff ? "boolean" : "string", placeholder: row.placeholder, help: row.help };
  }
  return flags;
}

function settingValues(flags: Record<string, string | boolean | string[] | undefined>) {
  const values: Record<string, string | boolean> = {};
  for (const name of SETTING_FLAGS) {
    const value = flags[name];
    if (typeof value === "string" || typeof value === "boolean") values[name] = value;
  }
  return values;
}
