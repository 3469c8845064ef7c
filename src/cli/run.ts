// From arguments to a command, and from whatever happens to an exit code. Knows no process: main.ts brings the world.

import type { Environment } from "../config/index.ts";
import { VERSION, wantsColour } from "../config/index.ts";
import type { Call, Command, CommandEntry } from "./command.ts";
import { parseCall } from "./command.ts";
import { commands } from "./commands.ts";
import type { ExitCode } from "./exit-codes.ts";
import { describeError, EXIT, usageError } from "./exit-codes.ts";
import { printCommand, printOverview } from "./help.ts";
import { Output } from "./output.ts";

export interface Stream {
  write(text: string): void;
  isTerminal: boolean;
  columns: number | undefined;
}

export interface World extends Pick<Call, "environment" | "readInput" | "interrupted"> {
  out: Stream;
  err: Stream;
}

export async function run(args: string[], world: World): Promise<ExitCode> {
  // What follows "--" is another program's.
  const isJson = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined).includes("--json");
  const output = new Output(isJson, sinkOf(world.out, world.environment), sinkOf(world.err, world.environment));
  try {
    await dispatch(args, world, output);
    return EXIT.ok;
  } catch (error) {
    const { exitCode, code, message, stack } = describeError(error);
    if (isJson) output.note(JSON.stringify({ error: code, message }));
    else output.note(`${output.styleNote("red", "Error:")} ${message}${stack === undefined ? "" : `\n${stack}`}`);
    return exitCode;
  }
}

async function dispatch(args: string[], world: World, output: Output): Promise<void> {
  const [first = ""] = args;
  if (first === "--version" || first === "version") return output.result({ version: VERSION }, VERSION);
  if (first === "" || first === "--help" || first === "-h" || first === "--json")
    return printOverview(commands, output);
  if (first === "help") return printHelp(args.slice(1), output);
  const entry = find(args);
  if (entry === undefined) return printGroupOrRefuse(args, output);
  const command = await entry.load();
  const { operands, flags } = parse(entry, command, args.slice(entry.name.split(" ").length));
  if (flags["help"] === true) return printCommand(entry, command, output);
  const { environment, readInput, interrupted } = world;
  await command.run({ operands, flags, output, environment, readInput, interrupted });
}

function parse({ name }: CommandEntry, command: Command, args: string[]): Pick<Call, "operands" | "flags"> {
  try {
    return parseCall(command, args);
  } catch (error) {
    // Node's sentence is followed by advice about "--" that misleads more often than it helps.
    const [what = ""] = (error as Error).message.split(". To specify");
    throw usageError(`${what.replace(/\.$/, "")}. "millpond help ${name}" lists the flags.`);
  }
}

async function printHelp(words: string[], output: Output): Promise<void> {
  const entry = find(words);
  if (entry !== undefined) return printCommand(entry, await entry.load(), output);
  if (words.length === 0) return printOverview(commands, output);
  printGroupOrRefuse(words, output);
}

/** `millpond queue` shows the queue commands; anything unknown is refused with the nearest thing to do. */
function printGroupOrRefuse(words: string[], output: Output): void {
  const [group = "", word] = words;
  const members = commands.filter((command) => command.name.startsWith(`${group} `));
  const isAskingForHelp = word === undefined || word === "--help" || word === "-h";
  if (members.length > 0 && isAskingForHelp) return printOverview(members, output);
  const known = members.length > 0 ? members : commands;
  const typed = members.length > 0 ? `${group} ${word}` : group;
  throw usageError(`"${typed}" is not a command. There are: ${known.map((command) => command.name).join(", ")}.`);
}

function find(words: string[]): CommandEntry | undefined {
  return commands.find((command) => command.name.split(" ").every((part, index) => words[index] === part));
}

function sinkOf(stream: Stream, environment: Environment) {
  return {
    write: (text: string) => stream.write(text),
    columns: stream.isTerminal ? stream.columns : undefined,
    isColour: wantsColour(environment, stream.isTerminal),
  };
}
