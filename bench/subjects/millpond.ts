// Millpond as it ships, durable or in memory, and the echo that is its floor.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { millpondBinary } from "../../tests/support/project.ts";
import type { Subject } from "./subject.ts";

const echoProgram = fileURLToPath(new URL("../floor/echo.js", import.meta.url));

export const millpond: Subject = {
  name: "millpond",
  onSend: "log entry and fdatasync before the answer, shared by requests that arrive together (its own tests)",
  protocols: ["json", "query"],
  commandFor: (port, dataFolder) => serve(port, ["--data", join(dataFolder, "data")]),
};

export const millpondMemory: Subject = {
  name: "millpond-memory",
  onSend: "memory only (`--memory`)",
  protocols: ["json", "query"],
  commandFor: (port) => serve(port, ["--memory"]),
};

/** Behind so many front processes. */
export function withWorkers(subject: Subject, workers: number): Subject {
  return {
    ...subject,
    name: `${subject.name}-workers-${workers}`,
    onSend: `${subject.onSend}; \`--workers ${workers}\``,
    commandFor(port, dataFolder) {
      const { program, args } = subject.commandFor(port, dataFolder);
      return { program, args: [...args, "--workers", String(workers)] };
    },
  };
}

export const echo: Subject = {
  name: "floor",
  onSend: "nothing: an HTTP echo of the same sizes",
  protocols: ["json", "query"],
  commandFor: (port) => ({ program: process.execPath, args: [echoProgram, String(port)] }),
  isEcho: true,
};

function serve(port: number, args: string[]) {
  return {
    program: process.execPath,
    args: [millpondBinary, "serve", "--port", String(port), "--log-level", "warn", ...args],
  };
}
