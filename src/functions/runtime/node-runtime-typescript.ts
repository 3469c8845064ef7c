// TypeScript for Node versions that do not take types off themselves (before 22.18): module hooks that hand each file to
// the esbuild that is installed beside the function, or to TypeScript's own compiler up to version 6. Most projects in
// TypeScript have one of the two, so the server brings none along. Paths resolve as bundlers do: `./price` and
// `./price.js` find `price.ts`.

import { existsSync, readFileSync } from "node:fs";
import type { LoadHookContext, ResolveHookContext } from "node:module";
import { createRequire, register } from "node:module";
import { extname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const TYPESCRIPT = [".ts", ".mts", ".cts"];
/** What an import may leave out or call by the name it will be compiled to. */
const REPLACEMENTS: Readonly<Record<string, string>> = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts", "": ".ts" };

type Transform = (source: string, path: string) => string;

let transform: Transform | undefined;

/** True for a Node that needs no help. */
export function takesTypesOff(): boolean {
  return Boolean((process.features as { typescript?: unknown }).typescript);
}

/** From now on imports may be TypeScript. Throws, saying what to install, when nothing here can compile it. */
export async function withTypeScript(path: string): Promise<void> {
  if (findTransform(path) === undefined) {
    throw new Error(
      `${path} is TypeScript, and Node ${process.version} cannot run it. Use Node 22.18 or newer, ` +
        "or install esbuild where the function is (npm install --save-dev esbuild).",
    );
  }
  process.setSourceMapsEnabled(true);
  register(import.meta.url, { data: { path } });
}

/** What the function brings along comes first, then what is installed beside the server. */
function findTransform(path: string): Transform | undefined {
  return transformFrom(createRequire(path)) ?? transformFrom(createRequire(import.meta.url));
}

function transformFrom(require: NodeJS.Require): Transform | undefined {
  const esbuild = attempt<{ transformSync(source: string, options: object): { code: string } }>(require, "esbuild");
  if (esbuild !== undefined) {
    const options = { loader: "ts", format: "esm", target: "node20", sourcemap: "inline" };
    return (source, file) => esbuild.transformSync(source, { ...options, sourcefile: file }).code;
  }
  const typescript = attempt<{
    transpileModule?(source: string, options: object): { outputText: string };
  }>(require, "typescript");
  const transpile = typescript?.transpileModule;
  if (transpile === undefined) return undefined;
  const compilerOptions = { module: "esnext", target: "es2022", inlineSourceMap: true };
  return (source, file) => transpile(source, { compilerOptions, fileName: file }).outputText;
}

function attempt<Module>(require: NodeJS.Require, name: string): Module | undefined {
  try {
    return require(name) as Module;
  } catch {
    return undefined;
  }
}

// Below here runs on node's thread for hooks, which loads this file again.

export function initialize({ path }: { path: string }): void {
  transform = findTransform(path);
}

export async function resolve(
  specifier: string,
  context: ResolveHookContext,
  next: (specifier: string, context: ResolveHookContext) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await next(specifier, context);
  } catch (error) {
    const written = sourceOf(specifier, context.parentURL);
    if (written === undefined) throw error;
    return next(written, context);
  }
}

function sourceOf(specifier: string, parentUrl: string | undefined): string | undefined {
  if (!specifier.startsWith(".") || parentUrl === undefined) return undefined;
  const path = fileURLToPath(new URL(specifier, parentUrl));
  const extension = extname(path);
  const replacement = REPLACEMENTS[extension] ?? undefined;
  const written =
    replacement === undefined ? `${path}.ts` : path.slice(0, path.length - extension.length) + replacement;
  return existsSync(written) ? pathToFileURL(written).href : undefined;
}

export async function load(
  url: string,
  context: LoadHookContext,
  next: (url: string, context: LoadHookContext) => Promise<unknown>,
): Promise<unknown> {
  if (!url.startsWith("file:") || transform === undefined) return next(url, context);
  const path = fileURLToPath(url);
  if (!TYPESCRIPT.includes(extname(path))) return next(url, context);
  return { format: "module", shortCircuit: true, source: transform(readFileSync(path, "utf8"), path) };
}
