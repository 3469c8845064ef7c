// A worker as a child process, the leader of a process group of its own: signals reach what a shell or npm started under
// it, and Ctrl-C at the terminal reaches the supervisor alone, which drains. When the supervisor ends without that (a
// second Ctrl-C, a bug), it takes its workers along; after a SIGKILL of the supervisor they go on by themselves.

import { type ChildProcess, spawn } from "node:child_process";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { isBreakerNews, SUPERVISOR_LISTENS, SUPERVISOR_VARIABLE } from "../base/breaker-news.ts";
import type { StartWorker, WorkerEvents, WorkerProcess } from "./worker-pool.ts";

export interface WorkerCommand {
  program: string;
  args: readonly string[];
  /** Of each worker, besides `MILLPOND_WORKER`: its number. */
  environment: Readonly<Record<string, string | undefined>>;
  /** What workers write to standard error, line by line. Standard output is the supervisor's. */
  onErrorLine: (place: number, line: string) => void;
}

/**
 * Only Node itself gets a channel to the supervisor. Its number is in the environment: another program would pass that on
 * to a Node program that it starts, but not the channel, and Node aborts when it finds none.
 */
const NODE = /^node(js)?(\.exe)?$/i;

export function startWorkers({ program, args, environment, onErrorLine }: WorkerCommand): StartWorker {
  const alive = new Set<WorkerProcess>();
  process.once("exit", () => {
    for (const worker of alive) worker.signal("SIGKILL");
  });
  const hasChannel = NODE.test(basename(program));
  return (place, events) => {
    const child = spawn(program, args, {
      env: {
        ...environment,
        MILLPOND_WORKER: String(place),
        [SUPERVISOR_VARIABLE]: hasChannel ? SUPERVISOR_LISTENS : undefined,
      },
      stdio: ["ignore", "inherit", "pipe", ...(hasChannel ? (["ipc"] as const) : [])],
      detached: true,
    });
    const worker = processOf(child);
    alive.add(worker);
    child.once("exit", () => alive.delete(worker));
    listen(child, events, (line) => onErrorLine(place, line));
    return worker;
  };
}

function listen(child: ChildProcess, events: WorkerEvents, onErrorLine: (line: string) => void): void {
  let isOver = false;
  const end = (how: string) => {
    if (isOver) return;
    isOver = true;
    events.ended(how);
  };
  child.on("error", (error) => end(error.message));
  // Not "close": a grandchild that keeps standard error open would keep a dead worker alive.
  child.on("exit", (code, signal) => end(signal === null ? `exit code ${code}` : `killed by ${signal}`));
  hearBreakers(child, events);
  if (child.stderr === null) return;
  createInterface({ input: child.stderr }).on("line", (line) => {
    onErrorLine(line);
    events.complained(line);
  });
}

/** By consumer: what is told twice counts once. */
function hearBreakers(child: ChildProcess, events: WorkerEvents): void {
  const open = new Set<number>();
  child.on("message", (message) => {
    if (!isBreakerNews(message)) return;
    if (message.millpond === "breakerOpened") open.add(message.consumer);
    else open.delete(message.consumer);
    events.breakersOpen(open.size);
  });
  // What the worker started may hold the other end open for longer than it lives, and its last words may come late.
  child.once("exit", () => {
    child.removeAllListeners("message");
    if (child.connected) child.disconnect();
  });
}

function processOf(child: ChildProcess): WorkerProcess {
  return {
    signal(name) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      try {
        process.kill(-child.pid, name);
      } catch {
        // It ended in this very moment; its exit is on the way.
      }
    },
  };
}
