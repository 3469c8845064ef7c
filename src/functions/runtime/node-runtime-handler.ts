// Finds and loads a Node function's handler, with the errors that Lambda reports when it cannot. TypeScript loads too:
// node takes the types off by itself where it can, else see node-runtime-typescript.ts.

import { existsSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { takesTypesOff, withTypeScript } from "./node-runtime-typescript.ts";

const EXTENSIONS = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];
const TYPESCRIPT = [".ts", ".mts", ".cts"];

/** Rejects with an error named as Lambda names it. `file` and `exportName` win over `_HANDLER`. */
export async function loadHandler(
  environment: Readonly<Record<string, string>>,
  file: string | undefined,
  exportName: string | undefined,
): Promise<(...parts: unknown[]) => unknown> {
  const { path, name, shown } = locate(environment, file, exportName);
  if (TYPESCRIPT.includes(extname(path)) && !takesTypesOff()) await withTypeScript(path);
  const module = await importModule(path);
  const handler = member(module, name) ?? member((module as { default?: unknown }).default, name);
  if (typeof handler === "function") return handler as (...parts: unknown[]) => unknown;
  const problem = handler === undefined ? "is undefined or not exported" : "is not a function";
  throw named("Runtime.HandlerNotFound", `${shown} ${problem}`);
}

function locate(
  environment: Readonly<Record<string, string>>,
  file: string | undefined,
  exportName: string | undefined,
): { path: string; name: string; shown: string } {
  const shown = environment["_HANDLER"] ?? "";
  if (file !== undefined && exportName !== undefined) return { path: file, name: exportName, shown };
  const [, moduleName, name] = /^([^.]+)\.(.+)$/.exec(basename(shown)) ?? [];
  if (moduleName === undefined || name === undefined || shown.includes(".."))
    throw named("Runtime.MalformedHandlerName", `Bad handler ${shown}`);
  const stem = resolve(environment["LAMBDA_TASK_ROOT"] ?? ".", join(dirname(shown), moduleName));
  const path = EXTENSIONS.map((extension) => stem + extension).find((path) => extname(path) !== "" && existsSync(path));
  if (path === undefined) throw named("Runtime.ImportModuleError", `Error: Cannot find module '${moduleName}'`);
  return { path, name, shown };
}

async function importModule(path: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw named("Runtime.UserCodeSyntaxError", `SyntaxError: ${error.message}`, error);
    const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
    if (code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND")
      throw named("Runtime.ImportModuleError", `Error: ${(error as Error).message}`, error as Error);
    throw error;
  }
}

/** `a.b` reads b of a. */
function member(module: unknown, name: string): unknown {
  let at = module;
  for (const part of name.split(".")) at = (at as Record<string, unknown> | null | undefined)?.[part];
  return at;
}

export function named(name: string, message: string, cause?: Error): Error {
  const error = new Error(message);
  error.name = name;
  if (cause?.stack !== undefined) error.stack = `${name}: ${cause.stack}`;
  return error;
}
