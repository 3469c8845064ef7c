// millpond log verify: reads every byte of a data folder and says whether it is what was written.

import { relative } from "node:path";
import { formatByteSize } from "../config/index.ts";
import type { VerifiedFile } from "../log/index.ts";
import type { Command } from "./command.ts";
import { CliError, EXIT, interruptedError } from "./exit-codes.ts";
import { DATA_FLAGS, dataFolderOf } from "./log-folder.ts";
import { operandsOf } from "./operands.ts";

export const logVerify: Command = {
  about: "Reads only, and may run beside the server. Exit code 3 when something is damaged.",
  examples: ["log verify", "log verify --data /var/lib/millpond --json"],
  flags: DATA_FLAGS,
  async run(call) {
    operandsOf(call, [], "log verify [--data DIR]");
    const folder = dataFolderOf(call);
    const { verifyFolder } = await import("../log/index.ts");
    const files: VerifiedFile[] = [];
    for await (const file of verifyFolder(folder)) {
      if (call.interrupted.aborted) throw interruptedError();
      files.push(file);
      if (call.output.isJson) call.output.json(file);
    }
    if (!call.output.isJson) {
      call.output.table(files, [
        { title: "FILE", value: (file) => relative(folder, file.file) || "." },
        { title: "ENTRIES", value: (file) => (file.kind === "segment" ? String(file.entries) : "-"), align: "right" },
        { title: "TO SEQ", value: (file) => String(file.lastSeq), align: "right" },
        { title: "SIZE", value: (file) => shortSize(file.bytes), align: "right" },
        { title: "STATE", value: (file) => (file.problem === undefined ? "ok" : "DAMAGED") },
      ]);
    }
    const damaged = files.filter((file) => file.problem !== undefined);
    if (damaged.length > 0) {
      const list = damaged.map((file) => `  ${file.problem}`).join("\n");
      throw new CliError(
        EXIT.dataFolder,
        "LogDamaged",
        `${damaged.length} of ${files.length} files are damaged:\n${list}`,
      );
    }
    if (!call.output.isJson) call.output.note(`Nothing is damaged; files read: ${files.length}.`);
  },
};

function shortSize(bytes: number): string {
  return bytes < 10_240 ? formatByteSize(bytes) : formatByteSize(Math.round(bytes / 1024) * 1024);
}
