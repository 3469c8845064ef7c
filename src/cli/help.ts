// The help texts: examples first, since most readers want one to change. Everything comes from the commands and the
// settings table; nothing here repeats a flag.

import type { Command, CommandEntry, Flag } from "./command.ts";
import { JSON_FLAG } from "./command.ts";
import { EXIT_CODE_HELP } from "./exit-codes.ts";
import type { Output } from "./output.ts";

const WIDTH = 80;
const FLAG_WIDTH_MAX = 28;

export function printOverview(commands: readonly CommandEntry[], output: Output): void {
  output.line(`${output.style("bold", "millpond")}: a durable message server that AWS clients work with, unchanged`);
  section(output, "Try it");
  for (const [line, why] of [
    ["millpond serve", "on port 4566"],
    ["millpond queue create orders --dlq orders-failed", "with a dead-letter queue"],
    ["millpond queue send orders 'hello'", "one message"],
    ["millpond queue peek orders", "look, consume nothing"],
    ["millpond queue receive orders --delete", "take it"],
  ] as const) {
    output.line(`  ${line.padEnd(50)}${output.style("dim", `# ${why}`)}`.trimEnd());
  }
  section(output, "Commands");
  const width = Math.max(...commands.map((command) => titleOf(command).length));
  for (const command of commands) output.line(`  ${titleOf(command).padEnd(width)}  ${command.summary}`);
  output.line(`  ${"help COMMAND".padEnd(width)}  Examples and flags of one command`);
  section(output, "Everywhere");
  output.line("  --json      print JSON: one document, or one line per item");
  output.line("  --help      help on the command");
  output.line("  --version   print the version");
  section(output, "Exit codes");
  for (const [code, meaning] of EXIT_CODE_HELP) printWrapped(output, `  ${code}  `, meaning);
}

export function printCommand(entry: CommandEntry, command: Command, output: Output): void {
  output.line(`${output.style("bold", `millpond ${titleOf(entry)}`)}: ${entry.summary}`);
  section(output, "Examples");
  for (const example of command.examples) output.line(`  millpond ${example}`);
  if (command.about !== undefined) {
    output.line();
    printWrapped(output, "", command.about);
  }
  section(output, "Flags");
  for (const [name, flag] of Object.entries({ ...command.flags, json: JSON_FLAG })) {
    if (flag.help !== undefined) printFlag(output, name, flag);
  }
}

export function titleOf(command: CommandEntry): string {
  return command.operands === "" ? command.name : `${command.name} ${command.operands}`;
}

function section(output: Output, title: string): void {
  output.line();
  output.line(output.style("bold", title));
}

function printFlag(output: Output, name: string, flag: Flag): void {
  const title = flag.placeholder ? `--${name} ${flag.placeholder}` : `--${name}`;
  if (title.length < FLAG_WIDTH_MAX) return printWrapped(output, `  ${title.padEnd(FLAG_WIDTH_MAX)}`, flag.help ?? "");
  output.line(`  ${title}`);
  printWrapped(output, `  ${"".padEnd(FLAG_WIDTH_MAX)}`, flag.help ?? "");
}

/** Later lines hang under the first one's text. */
function printWrapped(output: Output, lead: string, text: string): void {
  let line = lead;
  for (const word of text.split(" ")) {
    if (line.length + word.length + 1 > WIDTH && line.trim() !== "") {
      output.line(line.trimEnd());
      line = " ".repeat(lead.length);
    }
    line += `${word} `;
  }
  output.line(line.trimEnd());
}
