// `millpond` as its own process: started with a ready file, killed or stopped like an operator would, and never left
// behind by a test that failed.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { millpondBinary } from "./project.ts";

const READY_MS_MAX = 60_000;
const LOOK_AGAIN_MS = 10;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface ServerProcess {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Resolves with the endpoint; rejects with what the process said when it ends first. */
  readonly ready: Promise<string>;
  signal(name: NodeJS.Signals): Promise<Ended>;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function runMillpond(args: string[], nodeArgs: string[] = []): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...nodeArgs, millpondBinary, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // Settings of whoever runs the tests must not reach the server.
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
  });
  running.add(child);
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      running.delete(child);
      resolve({ code, signal, ...output });
    });
  });
  return { child, ended };
}

/** Starts `millpond serve` on a free port, or on the one that `args` name. */
export function startServe(args: string[], nodeArgs: string[] = []): ServerProcess {
  const folder = mkdtempSync(join(tmpdir(), "millpond-ready-"));
  const readyFile = join(folder, "ready.json");
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const { child, ended } = runMillpond(["serve", ...port, "--ready-file", readyFile, ...args], nodeArgs);
  void ended.then(() => rmSync(folder, { recursive: true, force: true }));
  const ready = waitUntilReady(readyFile, ended);
  ready.catch(() => undefined);
  return {
    pid: child.pid as number,
    ended,
    ready,
    signal(name) {
      child.kill(name);
      return ended;
    },
  };
}

function waitUntilReady(readyFile: string, ended: Promise<Ended>): Promise<string> {
  return new Promise((resolve, reject) => {
    const startedAtMs = performance.now();
    const look = () => {
      if (existsSync(readyFile)) return done(() => resolve(JSON.parse(readFileSync(readyFile, "utf8")).endpoint));
      if (performance.now() - startedAtMs > READY_MS_MAX)
        done(() => reject(new Error("the server did not become ready")));
    };
    const timer = setInterval(look, LOOK_AGAIN_MS);
    const done = (then: () => void) => {
      clearInterval(timer);
      then();
    };
    void ended.then((end) =>
      done(() => reject(new Error(`the server ended before it was ready: ${JSON.stringify(end)}`))),
    );
  });
}
