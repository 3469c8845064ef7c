// Where peers are put, beside these sources and never committed, and how their installers are run. Each ecosystem's own
// client finds its registry by its own configuration.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../tests/support/project.ts";

const INSTALL_MS_MAX = 15 * 60_000;

export function placeOf(peer: string, ...path: string[]): string {
  return join(projectRoot, "bench", "peers", ".installed", peer, ...path);
}

export function isThere(peer: string, ...path: string[]): boolean {
  return existsSync(placeOf(peer, ...path));
}

/** Runs an installer within the peer's folder, its output to standard error. */
export function runInstaller(peer: string, program: string, args: string[], env: Record<string, string> = {}): void {
  mkdirSync(placeOf(peer), { recursive: true });
  execFileSync(program, args, {
    cwd: placeOf(peer),
    env: { ...process.env, ...env },
    stdio: ["ignore", process.stderr, process.stderr],
    timeout: INSTALL_MS_MAX,
  });
}

/** Into a virtual environment of its own, made by BENCH_PYTHON where python3 is too old for a peer. */
export function installWithPip(peer: string, ...requirements: string[]): void {
  runInstaller(peer, process.env["BENCH_PYTHON"] ?? "python3", ["-m", "venv", "venv"]);
  runInstaller(peer, placeOf(peer, "venv", "bin", "python"), ["-m", "pip", "install", "--quiet", ...requirements]);
}
