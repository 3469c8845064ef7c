// A worker as a child process, the leader of a process group of its own: signals reach what a shell or npm started under
// it, and Ctrl-C at the terminal reaches the supervisor alone, which drains. When the supervisor ends without that (a
// second Ctrl-C, a bug), it takes its workers along; after a SIGKILL of the supervisor they go on by themselves.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { StartWorker, WorkerEvents, WorkerProcess } from "./worker-pool.ts";

export interface WorkerCommand {
  program: string;
  args: readonly string[];
  /** Of each worker, besides `MILLPOND_WORKER`: its number. */
  environment: Readonly<Record<string, string | undefined>>;
  /** What workers write to standard error, line by line. Standard output is the supervisor's. */
  onErrorLine: (place: number, line: string) => void;
}

export function startWorkers({ program, args, environment, onErrorLine }: WorkerCommand): StartWorker {
  const alive = new Set<WorkerProcess>();
  process.once("exit", () => {
    for (const worker of alive) worker.signal("SIGKILL");
  });
  return (place, events) => {
    const child = spawn(program, args, {
      env: { ...environment, MILLPOND_WORKER: String(place) },
      stdio: ["ignore", "inherit", "pipe"],
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
  if (child.stderr === null) return;
  createInterface({ input: child.stderr }).on("line", (line) => {
    onErrorLine(line);
    events.complained(line);
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
