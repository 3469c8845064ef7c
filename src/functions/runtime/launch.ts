// From a function's code to the program that runs it. Node and Python run our own small runtime clients, with the
// machine's `node` (the one that runs the server) and `python3`; `provided` runs the code's own `bootstrap`.

import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { FunctionCode, FunctionSpec } from "./function-spec.ts";

export interface Launch {
  command: string;
  args: string[];
  taskRoot: string;
  handler: string;
  /** As recorded, or as told from the file's name. */
  runtime: string;
  /** What it really is, for the log. */
  runtimeVersion: string;
}

export type LaunchPlan =
  | { ok: true; launch: Launch }
  | { ok: false; problem: "cannotRun"; message: string }
  /** Lambda would have tried, and reported this as the function's error. */
  | { ok: false; problem: "invalidEntrypoint"; path: string };

/** Not told from where this module is: the installed program has it in a file with others. */
const packageFolder = dirname(createRequire(import.meta.url).resolve("millpond/package.json"));
const NODE_CLIENT = join(packageFolder, "dist", "src", "functions", "runtime", "node-runtime.js");
/** The interpreter reads the source itself, so it stays where the sources are, in the checkout and in the package. */
const PYTHON_CLIENT = join(packageFolder, "src", "functions", "runtime", "python_runtime.py");

/** Node keeps some memory outside the heap; Lambda leaves about this share to it. */
const NODE_HEAP_SHARE = 0.9;
const PYTHON_MINOR_MIN = 8;

const EXTENSIONS: Readonly<Record<string, "node" | "python">> = {
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
  ".ts": "node",
  ".mts": "node",
  ".cts": "node",
  ".py": "python",
};

export type ProcessCode = Exclude<FunctionCode, { form: "http" }>;

export async function planLaunch(
  spec: FunctionSpec,
  code: ProcessCode,
  machine: Readonly<Record<string, string>>,
): Promise<LaunchPlan> {
  return code.form === "file" ? planFile(spec, code, machine) : planFolder(spec, code, machine);
}

async function planFile(
  spec: FunctionSpec,
  code: ProcessCode & { form: "file" },
  machine: Readonly<Record<string, string>>,
): Promise<LaunchPlan> {
  const path = resolve(code.path);
  const language = EXTENSIONS[extname(path)];
  if (language === undefined)
    return cannotRun(`${path} cannot be run: its name must end in ${Object.keys(EXTENSIONS).join(" ")}.`);
  if (!existsSync(path)) return cannotRun(`The function's file ${path} does not exist.`);
  const taskRoot = dirname(path);
  const handler = `${basename(path, extname(path))}.${code.handler}`;
  if (language === "node") {
    const major = process.versions.node.split(".")[0];
    return nodeLaunch(spec, { taskRoot, handler, runtime: `nodejs${major}.x` }, [path, code.handler]);
  }
  return pythonLaunch({ taskRoot, handler, runtime: "python3" }, [path, code.handler], machine);
}

async function planFolder(
  spec: FunctionSpec,
  code: ProcessCode & { form: "folder" },
  machine: Readonly<Record<string, string>>,
): Promise<LaunchPlan> {
  const { runtime, handler } = code;
  const facts = { taskRoot: resolve(code.folder), handler, runtime };
  if (!existsSync(facts.taskRoot)) return cannotRun(`The code folder ${facts.taskRoot} does not exist.`);
  if (/^nodejs\d+\.x$/.test(runtime)) return nodeLaunch(spec, facts, []);
  if (/^python3\.\d+$/.test(runtime)) return pythonLaunch(facts, [], machine);
  if (/^provided(\.\w+)?$/.test(runtime)) return bootstrapLaunch(facts);
  return cannotRun(
    `Runtime ${runtime} cannot be run on this machine: Millpond runs nodejsN.x, python3.N and provided. ` +
      `Package the code as a custom runtime (provided.al2023), or run it in a container and name its URL.`,
  );
}

type Facts = Pick<Launch, "taskRoot" | "handler" | "runtime">;

function nodeLaunch(spec: FunctionSpec, facts: Facts, args: string[]): LaunchPlan {
  const heapMb = Math.floor(spec.memoryMb * NODE_HEAP_SHARE);
  return {
    ok: true,
    launch: {
      ...facts,
      command: process.execPath,
      args: [`--max-old-space-size=${heapMb}`, NODE_CLIENT, ...args],
      runtimeVersion: `node ${process.version}`,
    },
  };
}

async function pythonLaunch(
  facts: Facts,
  args: string[],
  machine: Readonly<Record<string, string>>,
): Promise<LaunchPlan> {
  const wanted = facts.runtime === "python3" ? [] : [facts.runtime];
  for (const name of [...wanted, "python3"]) {
    const python = await findPython(name, machine);
    if (python === undefined) continue;
    return {
      ok: true,
      launch: {
        ...facts,
        command: python.path,
        args: ["-u", PYTHON_CLIENT, ...args],
        runtimeVersion: `python ${python.version}`,
      },
    };
  }
  return cannotRun(
    `Runtime ${facts.runtime} cannot be run on this machine: no ${[...wanted, "python3"].join(" or ")} ` +
      `(3.${PYTHON_MINOR_MIN} or newer) on the PATH. Install Python, or run the function in a container and name its URL.`,
  );
}

function bootstrapLaunch(facts: Facts): LaunchPlan {
  const path = join(facts.taskRoot, "bootstrap");
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return { ok: false, problem: "invalidEntrypoint", path };
  }
  return { ok: true, launch: { ...facts, command: path, args: [], runtimeVersion: facts.runtime } };
}

interface Python {
  path: string;
  version: string;
}

/** By name and PATH. Version managers put slow shell scripts on the PATH: ask once for the program behind them. */
const pythons = new Map<string, Promise<Python | undefined>>();

function findPython(name: string, machine: Readonly<Record<string, string>>): Promise<Python | undefined> {
  const key = `${name} ${machine["PATH"]}`;
  const known = pythons.get(key);
  if (known !== undefined) return known;
  const script = "import sys; print(sys.executable); print('.'.join(map(str, sys.version_info[:3])))";
  const found = new Promise<Python | undefined>((done) => {
    execFile(name, ["-c", script], { env: { ...machine }, timeout: 10_000 }, (error, stdout) => {
      const [path = "", version = ""] = stdout.trim().split("\n");
      const minor = Number(version.split(".")[1]);
      done(error === null && path !== "" && minor >= PYTHON_MINOR_MIN ? { path, version } : undefined);
    });
  });
  pythons.set(key, found);
  // One that is installed later is found later.
  void found.then((python) => python === undefined && pythons.delete(key));
  return found;
}

function cannotRun(message: string): LaunchPlan {
  return { ok: false, problem: "cannotRun", message };
}
