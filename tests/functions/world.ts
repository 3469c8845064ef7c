// A runtime with functions for one test file: writes their files, starts them, and ends everything afterwards.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after } from "node:test";
import type { Clock } from "../../src/base/clock.ts";
import { systemClock } from "../../src/base/clock.ts";
import type {
  FunctionCode,
  FunctionSpec,
  InvokeOptions,
  InvokeOutcome,
  InvokeResult,
  RunningFunction,
} from "../../src/functions/runtime/index.ts";
import { FunctionRuntime } from "../../src/functions/runtime/index.ts";
import { scratchFolder } from "../support/project.ts";

export interface World {
  folder: string;
  runtime: FunctionRuntime;
  write(path: string, text: string, mode?: number): string;
  start(code: FunctionCode, spec?: Partial<FunctionSpec>): RunningFunction;
  /** A file with this text, and the function that it exports as `handler`. */
  startFile(path: string, text: string, spec?: Partial<FunctionSpec>): RunningFunction;
}

export function openWorld(options: { clock?: Clock; idleKeepMs?: number; concurrencyMax?: number } = {}): World {
  const folder = scratchFolder({ after: (clean) => after(clean) }, "functions");
  const runtime = new FunctionRuntime({
    clock: options.clock ?? systemClock,
    idleKeepMs: options.idleKeepMs ?? 60_000,
    concurrencyMax: options.concurrencyMax ?? 100,
    surroundings: {
      endpointUrl: "http://127.0.0.1:9324",
      accessKeyId: "key",
      secretAccessKey: "secret",
      machineEnvironment: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
    },
  });
  after(() => runtime.stop(0));
  const world: World = {
    folder,
    runtime,
    write(path, text, mode = 0o644) {
      const whole = join(folder, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, text, { mode });
      return whole;
    },
    start: (code, spec = {}) =>
      runtime.start({
        name: "orders",
        arn: "arn:aws:lambda:eu-central-1:000000000000:function:orders",
        version: "$LATEST",
        code,
        timeoutMs: 10_000,
        memoryMb: 256,
        environment: {},
        ...spec,
      }),
    startFile: (path, text, spec = {}) =>
      world.start({ form: "file", path: world.write(path, text), handler: "handler", watch: false }, spec),
  };
  return world;
}

let requestCount = 0;

export function invoke(
  running: RunningFunction,
  event: unknown,
  options: Partial<InvokeOptions> = {},
): Promise<InvokeOutcome> {
  requestCount += 1;
  return running.invoke(Buffer.from(JSON.stringify(event)), { requestId: `request-${requestCount}`, ...options });
}

/** For a function that is expected to run, well or not. */
export async function ran(
  running: RunningFunction,
  event: unknown = {},
  options: Partial<InvokeOptions> = {},
): Promise<InvokeResult> {
  const outcome = await invoke(running, event, options);
  if (outcome.status !== "ran") throw new Error(`it did not run: ${JSON.stringify(outcome)}`);
  return outcome;
}

// biome-ignore lint/suspicious/noExplicitAny: what a function answers has any shape
export function answer(result: InvokeResult): any {
  return JSON.parse(Buffer.from(result.payload).toString());
}

export function logOf(result: InvokeResult): string {
  return Buffer.from(result.logTail, "base64").toString();
}

/** Waits for what happens in another process, in real time; fails after ten seconds. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`It did not come about: ${what}`);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
