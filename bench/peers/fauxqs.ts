// fauxqs from npm, on the newer Node that it asks for. Twice: in memory, and with its persistence (SQLite) on.

import { writeFileSync } from "node:fs";
import type { Subject } from "../subjects/subject.ts";
import { isThere, placeOf, runInstaller } from "./place.ts";

const VERSION = "2.4.1";
const NODE_MAJOR = "24";
/** The package that the `node` package would fetch in its install script: the program itself. */
const nodePackage = `node-${process.platform}-${process.arch}`;

function make(name: string, onSend: string, envFor: (dataFolder: string) => Record<string, string>): Subject {
  return {
    name,
    onSend,
    protocols: ["json", "query"],
    isInstalled: () => isThere("fauxqs", "node_modules", "fauxqs") && isThere("fauxqs", "node_modules", nodePackage),
    install() {
      runInstaller("fauxqs", process.execPath, ["--version"]);
      writeFileSync(placeOf("fauxqs", "package.json"), '{"private":true}\n');
      runInstaller("fauxqs", "npm", ["install", `fauxqs@${VERSION}`, `${nodePackage}@${NODE_MAJOR}`]);
    },
    commandFor: (port, dataFolder) => ({
      program: placeOf("fauxqs", "node_modules", nodePackage, "bin", "node"),
      args: [placeOf("fauxqs", "node_modules", "fauxqs", "dist", "server.js")],
      env: { FAUXQS_PORT: String(port), FAUXQS_LOGGER: "false", ...envFor(dataFolder) },
    }),
  };
}

export const fauxqsMemory = make(
  "fauxqs-memory",
  "memory (its documentation: no persistence unless a data folder is named)",
  () => ({}),
);
export const fauxqsDisk = make(
  "fauxqs-disk",
  "SQLite in WAL mode, one transaction and one fsync per message (seen with strace)",
  (dataFolder) => ({
    FAUXQS_DATA_DIR: dataFolder,
    FAUXQS_PERSISTENCE: "true",
  }),
);
