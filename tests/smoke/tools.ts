// The foreign programs, where scripts/install-test-tools.sh puts them, and running them against a server of the test's.

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { projectRoot } from "../support/project.ts";
import { startServe } from "../support/server-process.ts";

export const smokeFolder = join(projectRoot, "tests", "smoke");
const RUN_MS_MAX = 120_000;

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A server in memory, gone after the test. */
export async function startServer(context: TestContext): Promise<string> {
  const server = startServe(["--memory", "--log-level", "warn"]);
  context.after(() => server.signal("SIGKILL"));
  return server.ready;
}

/** A program of a virtual environment under .tools/. */
export function installed(environment: string, program: string): string {
  return join(projectRoot, ".tools", environment, "bin", program);
}

/** Skips the test, audibly, when a program is absent or cannot load what it needs. */
export function isMissing(context: TestContext, program: string, modules: string[] = []): boolean {
  const code = modules.map((module) => `import ${module}`).join("; ");
  const isThere =
    existsSync(program) && (modules.length === 0 || spawnSync(program, ["-c", code], { stdio: "ignore" }).status === 0);
  if (isThere) return false;
  const what = modules.length === 0 ? program : `${program} with ${modules.join(", ")}`;
  const reason = `SKIPPED: ${what} is not installed. Run scripts/install-test-tools.sh.`;
  console.log(reason);
  context.skip(reason);
  return true;
}

/** Dummy credentials and nothing of whoever runs the tests: no profile, no proxy, no endpoint. */
export function toolEnvironment(more: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: "/nonexistent",
    LANG: "C.UTF-8",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_DEFAULT_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
    PYTHONDONTWRITEBYTECODE: "1",
    ...more,
  };
}

export function run(program: string, args: string[], environment = toolEnvironment()): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: environment, stdio: ["ignore", "pipe", "pipe"], timeout: RUN_MS_MAX });
    const ran: Ran = { code: null, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      ran.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      ran.stderr += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...ran, code }));
  });
}
