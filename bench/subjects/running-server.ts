// A subject's process: started on a free loopback port, waited for until it answers, pinned, and never left behind.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpClient } from "../load/http-client.ts";
import { encode, type Protocol } from "../load/sqs-protocol.ts";
import { familyOf, pin, residentBytesOf } from "../run/processes.ts";
import type { Subject } from "./subject.ts";

const ANSWER_MS_MAX = 120_000;
const LOOK_AGAIN_MS = 2;
const STOP_MS_MAX = 20_000;
/** The end of what it printed, for the message when it fails. */
const OUTPUT_CHARACTERS_MAX = 300;

export interface RunningServer {
  subject: Subject;
  endpoint: string;
  /** From the start of its process to its first answer. */
  startMs: number;
  /** With its children; looked up anew, since some start them late. */
  pids(): number[];
  residentBytes(): number | undefined;
  /** SIGKILL is at once; any other is given time and then followed by one. Its data stays. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Stops it and removes its data. */
  dispose(): Promise<void>;
}

export interface StartOptions {
  protocol: Protocol;
  core?: number | undefined;
  /** Data to start on; a new folder when absent. */
  dataFolder?: string;
  /** In front of the arguments of a subject that is a Node program. */
  nodeArgs?: readonly string[];
}

const running = new Set<ChildProcess>();
const ownFolders = new Set<string>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of ownFolders) rmSync(folder, { recursive: true, force: true });
});

export async function startServer(subject: Subject, options: StartOptions): Promise<RunningServer> {
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), `millpond-bench-${subject.name}-`));
  if (options.dataFolder === undefined) ownFolders.add(dataFolder);
  const port = await findFreePort();
  const { program, args, env } = subject.commandFor(port, dataFolder);
  const fromMs = performance.now();
  const child = spawn(program, [...(options.nodeArgs ?? []), ...args], {
    cwd: dataFolder,
    stdio: ["ignore", "pipe", "pipe"],
    // Settings of whoever runs the benchmark must not reach the server.
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], LANG: "C.UTF-8", ...env },
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS_MAX);
    });
  }
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      output += error.message;
      running.delete(child);
      resolve();
    });
    child.once("exit", () => {
      running.delete(child);
      resolve();
    });
  });
  if (options.core !== undefined && child.pid !== undefined) pin(child.pid, options.core);
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    const family = child.pid === undefined ? [] : familyOf(child.pid);
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
    await ended;
    clearTimeout(timer);
    for (const pid of family) endQuietly(pid);
  };
  const dispose = async () => {
    await stop("SIGKILL");
    if (ownFolders.delete(dataFolder)) rmSync(dataFolder, { recursive: true, force: true });
  };
  try {
    await waitForAnswer(subject, endpoint, options.protocol, () => running.has(child));
  } catch (error) {
    await dispose();
    throw new Error(`${subject.name}: ${(error as Error).message}; it said: ${output.trim()}`);
  }
  const startMs = performance.now() - fromMs;
  const pids = () => familyOf(child.pid as number);
  if (options.core !== undefined) for (const pid of pids()) pin(pid, options.core);
  return { subject, endpoint, startMs, pids, residentBytes: () => residentBytesOf(pids()), stop, dispose };
}

async function waitForAnswer(subject: Subject, endpoint: string, protocol: Protocol, isRunning: () => boolean) {
  const fromMs = performance.now();
  let last = "no answer";
  while (performance.now() - fromMs < ANSWER_MS_MAX) {
    if (!isRunning()) throw new Error("it ended before it answered");
    const client = new HttpClient(endpoint);
    const request = encode(client, protocol, "ListQueues", {});
    const asked = subject.isEcho
      ? Buffer.from(request.toString("latin1").replace("POST / ", "POST /100 "), "latin1")
      : request;
    try {
      const { status } = await client.send(asked);
      if (status === 200) return;
      last = `its answer was ${status}`;
    } catch (error) {
      last = (error as Error).message;
    } finally {
      client.close();
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`it did not serve within ${ANSWER_MS_MAX / 1000} s: ${last}`);
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended with its parent.
  }
}
