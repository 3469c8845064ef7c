// Holds the import walls of ARCHITECTURE.md: which folder may import which, through which door, and which parts of
// the language and of Node stay out of the pure folders. Prints file:line and the reason; exit code 1 when a wall is
// crossed. Tests (*.test.ts) may look over any wall; what they must not be is imported.

import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

export interface SourceFile {
  /** From src, with forward slashes: `engine/decide.ts`. */
  path: string;
  text: string;
}

export interface Crossing {
  path: string;
  line: number;
  reason: string;
}

interface Wall {
  /** Folders under src whose door may be imported. */
  imports: readonly string[];
  /** Node modules that stay out; `*` is all of them. */
  forbiddenNode: readonly string[];
  /** Words of the language that stay out, with what to do instead. */
  forbiddenWords?: readonly (readonly [RegExp, string])[];
}

const SOCKETS = ["http", "https", "http2", "net", "tls", "dgram"];
const FILES = ["fs", "fs/promises"];

const PURE_WORDS: Wall["forbiddenWords"] = [
  [/\bDate\b/, "time reaches the engine inside commands, as nowMs"],
  [/\bMath\.random\b/, "chance reaches the engine inside commands, as ids"],
  [/\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/, "the host owns the timers; answer nextWakeMs instead"],
  [/\b(?:Promise|async|await)\b/, "the engine is a plain function; waiting is the host's"],
  [/\b(?:process|performance|crypto|fetch|console|globalThis)\./, "the engine has no world around it"],
];

const WALLS: Readonly<Record<string, Wall>> = {
  base: { imports: [], forbiddenNode: [...SOCKETS, ...FILES] },
  engine: { imports: ["base"], forbiddenNode: ["*"], forbiddenWords: PURE_WORDS },
  log: { imports: ["base"], forbiddenNode: [...SOCKETS, ...FILES] },
  cluster: { imports: ["base", "log"], forbiddenNode: FILES },
  wire: { imports: ["base"], forbiddenNode: [...SOCKETS, ...FILES] },
  config: { imports: ["base"], forbiddenNode: [...SOCKETS, ...FILES] },
  host: { imports: ["base", "engine", "log", "cluster", "config"], forbiddenNode: [...SOCKETS, ...FILES] },
  functions: { imports: ["base", "host"], forbiddenNode: [] },
  metrics: { imports: ["base", "host"], forbiddenNode: [] },
  doctor: { imports: ["base", "host"], forbiddenNode: [] },
  server: {
    imports: ["base", "log", "cluster", "wire", "host", "functions", "metrics", "doctor", "config"],
    forbiddenNode: [],
  },
  work: { imports: ["base"], forbiddenNode: FILES },
  // The engine's door is for `log dump`, which decodes facts.
  cli: { imports: ["base", "config", "server", "log", "engine", "work", "dev"], forbiddenNode: [] },
  dev: { imports: ["base", "config", "host", "server"], forbiddenNode: SOCKETS },
  testing: { imports: ["base", "config", "host", "server"], forbiddenNode: [] },
  consumer: { imports: ["base"], forbiddenNode: [] },
  console: { imports: ["base"], forbiddenNode: ["*"] },
};

/** Files that may touch what the rest of their folder may not. */
const EXEMPT_NODE: Readonly<Record<string, readonly string[]>> = {
  "log/disk.ts": FILES,
  "log/data-folder.ts": [...FILES, "net"],
  "log/folder-lock.ts": [...FILES, "net"],
};

/** Optional peers, and the one file that may name each. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  "consumer/aws-client.ts": ["@aws-sdk/client-sqs"],
};

/**
 * Code of other people's processes, which are told things through the environment: Lambda's runtime in a function's, and
 * the consumer in a worker's.
 */
const READS_ENVIRONMENT = ["functions/runtime/node-runtime.ts", "consumer/supervisor.ts"];

/** Words that nearly everybody speaks: importable whatever the table says. */
const VOCABULARY = ["engine/command.ts", "engine/refusal.ts", "engine/limits.ts", "engine/function-limits.ts"];
/** Who may not: the log knows nothing of queues, and base of nothing. */
const WITHOUT_VOCABULARY = ["base", "log", "cluster", "config", "consumer", "console", "work"];
/** Interfaces that are as good as a door for those who may come in. */
const SIDE_DOORS = ["host/host.ts", "log/log.ts"];

export function checkWalls(files: readonly SourceFile[]): Crossing[] {
  return files.filter(({ path }) => !path.endsWith(".test.ts")).flatMap(checkFile);
}

function checkFile({ path, text }: SourceFile): Crossing[] {
  const crossings: Crossing[] = [];
  const [folder = ""] = path.split("/");
  const wall = WALLS[folder];
  const code = withoutComments(text);
  const add = (index: number, reason: string) => crossings.push({ path, line: lineAt(text, index), reason });
  if (wall === undefined) {
    add(0, `src/${folder} is not in the table of walls; add it to scripts/check-walls.ts and ARCHITECTURE.md`);
    return crossings;
  }
  for (const { specifier, index } of importsOf(code)) {
    const reason = specifier.startsWith(".")
      ? reasonAgainstFile(path, posix.join(posix.dirname(path), specifier), wall)
      : reasonAgainstModule(path, specifier, wall);
    if (reason !== undefined) add(index, reason);
  }
  const words = withoutStrings(code);
  for (const [pattern, instead] of wall.forbiddenWords ?? []) {
    for (const match of words.matchAll(new RegExp(pattern, "g")))
      add(match.index, `${match[0]} in ${folder}: ${instead}`);
  }
  if (folder !== "config" && !READS_ENVIRONMENT.includes(path)) {
    for (const match of words.matchAll(/\bprocess\.env\b/g))
      add(match.index, "only config reads process.env; make it a setting");
  }
  return crossings;
}

function reasonAgainstFile(from: string, to: string, wall: Wall): string | undefined {
  const [folder = ""] = from.split("/");
  const [target = ""] = to.split("/");
  if (to.startsWith("..")) return `${to} is outside src`;
  if (to.endsWith(".test.ts")) return "tests are not imported by what ships";
  if (!to.endsWith(".ts")) return `"${to}" has no .ts ending, so it cannot be followed`;
  if (target === folder) return undefined;
  if (VOCABULARY.includes(to) && !WITHOUT_VOCABULARY.includes(folder)) return undefined;
  if (!wall.imports.includes(target)) {
    const allowed = wall.imports.length === 0 ? "nothing else of ours" : `only ${wall.imports.join(", ")}`;
    return `${folder} may not import ${target} (${to}): it may import ${allowed}`;
  }
  if (target === "base" || to === `${target}/index.ts` || SIDE_DOORS.includes(to)) return undefined;
  return `${to} is inside ${target}: import its door, ${target}/index.ts`;
}

function reasonAgainstModule(path: string, specifier: string, wall: Wall): string | undefined {
  if (PEERS[path]?.includes(specifier)) return undefined;
  if (!specifier.startsWith("node:")) return `"${specifier}" is a package: the server runs without any`;
  const name = specifier.slice("node:".length);
  if (EXEMPT_NODE[path]?.includes(name)) return undefined;
  if (!wall.forbiddenNode.includes("*") && !wall.forbiddenNode.includes(name)) return undefined;
  return `${specifier} stays out of ${path.split("/")[0]}: it goes through a port`;
}

function importsOf(code: string): { specifier: string; index: number }[] {
  const found: { specifier: string; index: number }[] = [];
  // `from "x"` ends imports and re-exports; the others are bare and dynamic imports.
  for (const match of code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"'\n]+)\1/g)) {
    found.push({ specifier: match[2] as string, index: match.index });
  }
  return found;
}

/** Comments become spaces, so that positions stay and their words do not count. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (whole, string: string | undefined) => string ?? blank(whole),
  );
}

/** Strings go too. What a template computes goes with them: a word hidden only there is not seen. */
function withoutStrings(code: string): string {
  return code.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, blank);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

export function readSources(root: string): SourceFile[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path: relative(root, path).split(sep).join("/"), text: readFileSync(path, "utf8") }));
}

const isMain = process.argv[1]?.endsWith("check-walls.js") ?? false;
if (isMain) {
  const files = readSources("src");
  const crossings = checkWalls(files);
  for (const { path, line, reason } of crossings) console.error(`src/${path}:${line}: ${reason}`);
  if (crossings.length > 0) process.exitCode = 1;
  else console.log(`The walls hold in ${files.length} files.`);
}
