// Reads a config file, JSON with comments or a module, and says with file and line what is wrong with it.

import { readFileSync, statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Fault } from "../base/fault.ts";
import type { ConfigText } from "./config-text.ts";
import { ConfigSyntaxError, parseConfigText } from "./config-text.ts";
import type { Problem } from "./fields.ts";
import type { Project } from "./project.ts";
import { readProject } from "./read-project.ts";

/** Looked for in this order. */
export const CONFIG_NAMES = ["millpond.config.json", "millpond.config.mjs", "millpond.config.js"];

/** The config file of a folder. */
export function findConfig(folder: string): string {
  const found = CONFIG_NAMES.map((name) => resolve(folder, name)).find(isFile);
  if (found !== undefined) return found;
  throw invalid(
    `There is no config file in ${folder}: it would be ${CONFIG_NAMES.join(", ")}. Name another with --config FILE; ` +
      "docs/dev.md says what is in it.",
  );
}

/** Rejects with a Fault whose message has a line for each mistake. */
export async function loadProject(path: string): Promise<Project> {
  const { value, lines } = extname(path) === ".json" ? readJson(path) : await importModule(path);
  const { project, problems } = readProject(value, { folder: dirname(resolve(path)), isFile });
  if (project === undefined) throw invalid(inWords(path, lines, problems));
  return withWholeDataPath(project, path);
}

/** Other when the file was changed; undefined while there is none. */
export function versionOfFile(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
}

function readJson(path: string): ConfigText {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw invalid(`The config file ${path} cannot be read: ${(error as Error).message}.`);
  }
  try {
    return parseConfigText(text);
  } catch (error) {
    if (error instanceof ConfigSyntaxError) throw invalid(`${path}:${error.line}: ${error.message}.`);
    throw error;
  }
}

async function importModule(path: string): Promise<ConfigText> {
  let module: { default?: unknown };
  try {
    // Node keeps a module by its address: a changed file needs another one.
    const version = encodeURIComponent(versionOfFile(path) ?? "");
    module = (await import(`${pathToFileURL(resolve(path))}?version=${version}`)) as { default?: unknown };
  } catch (error) {
    throw invalid(`The config file ${path} cannot be run: ${(error as Error).message}`);
  }
  if (module.default === undefined) throw invalid(`The config file ${path} has no default export; it takes an object.`);
  return { value: module.default, lines: new Map() };
}

function inWords(path: string, lines: ConfigText["lines"], problems: readonly Problem[]): string {
  return problems.map((problem) => `${placeOf(path, lines, problem)} ${problem.text}.`).join("\n");
}

function placeOf(path: string, lines: ConfigText["lines"], problem: Problem): string {
  const line = lines.get(problem.path);
  return `${path}${line === undefined ? "" : `:${line}`}: ${problem.path === "" ? "the file" : problem.path}`;
}

/** Paths in the file start from its folder, wherever the command is started. */
function withWholeDataPath(project: Project, path: string): Project {
  const { data } = project.server;
  if (typeof data !== "string" || data === "") return project;
  return { ...project, server: { ...project.server, data: resolve(dirname(path), data) } };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function invalid(message: string): Fault {
  return new Fault("SettingInvalid", message);
}
