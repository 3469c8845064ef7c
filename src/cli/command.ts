// What one subcommand is: its help, its flags and what it does. A command writes through its context, so that tests
// run it without a process, and so that --json and colour are decided in one place.

import { parseArgs } from "node:util";
import type { Environment } from "../config/index.ts";
import type { Output } from "./output.ts";

export interface Flag {
  type: "string" | "boolean";
  /** Shown after the flag's name; empty for on/off. */
  placeholder?: string;
  /** One line for help; absent hides the flag. */
  help?: string;
  multiple?: boolean;
}

/** A line of the list of commands. */
export interface CommandEntry {
  /** As typed: `queue send`. */
  name: string;
  /** What follows the name: `NAME BODY`. */
  operands: string;
  summary: string;
  load: () => Promise<Command>;
}

export interface Command {
  /** A short paragraph more, when the summary does not say it. */
  about?: string;
  /** Without the leading `millpond`. */
  examples: readonly string[];
  flags: Readonly<Record<string, Flag>>;
  run: (call: Call) => Promise<void>;
}

export interface Call {
  operands: string[];
  flags: Record<string, string | boolean | string[] | undefined>;
  output: Output;
  environment: Environment;
  /** All of standard input, as text. */
  readInput: () => Promise<string>;
  /** Aborts at Ctrl-C or SIGTERM; a second signal ends the process. */
  interrupted: AbortSignal;
}

export const JSON_FLAG: Flag = { type: "boolean", help: "print JSON instead of text" };
const HELP_FLAG: Flag = { type: "boolean" };

/** Throws node's ERR_PARSE_ARGS_* for flags that the command does not have. */
export function parseCall(command: Command, args: string[]): Pick<Call, "operands" | "flags"> {
  const known = { ...command.flags, json: JSON_FLAG, help: { ...HELP_FLAG, short: "h" } };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, flag]) => [name, { ...flag, multiple: flag.multiple ?? false }]),
  );
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
  return { operands: positionals, flags: values as Call["flags"] };
}

/** The flag's text; undefined when it was not given. */
export function textFlag(call: Pick<Call, "flags">, name: string): string | undefined {
  const value = call.flags[name];
  return typeof value === "string" ? value : undefined;
}
