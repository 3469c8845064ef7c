// npm run bench -- profile [--connections N] [--top N]
//
// Where the server's time goes: runs it under Node's sampling profiler, once for each kind of load, and lists the functions
// with the most time of their own. Time in a socket write or a sync call shows under the function that Node names.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SCENARIOS } from "../scenarios/all.ts";
import type { Bench } from "../scenarios/scenario.ts";
import { echo, millpond } from "../subjects/millpond.ts";
import { startServer } from "../subjects/running-server.ts";
import { LoadProcess } from "./load-process.ts";
import { readOptions } from "./options.ts";

const PROFILED = ["send", "batch", "receive-1", "receive-10"];
const SECONDS = "4";

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

export async function profile(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { connections: { type: "string", default: "64" }, top: { type: "string", default: "15" } },
  });
  for (const name of positionals.length === 0 ? PROFILED : positionals) {
    const folder = mkdtempSync(join(tmpdir(), "millpond-bench-profile-"));
    try {
      await runUnderProfiler(name, values.connections, folder);
      const [file] = readdirSync(folder).filter((path) => path.endsWith(".cpuprofile"));
      if (file === undefined) throw new Error("the server left no profile");
      console.log(`\n${name}, ${values.connections} connections: share of active time, self`);
      for (const line of topOf(JSON.parse(readFileSync(join(folder, file), "utf8")), Number(values.top)))
        console.log(line);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return 0;
}

async function runUnderProfiler(name: string, connections: string, folder: string): Promise<void> {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  const options = readOptions([
    "--connections",
    connections,
    "--rounds",
    "1",
    "--seconds",
    SECONDS,
    "--backlog",
    "200000",
  ]);
  const nodeArgs = ["--cpu-prof", "--cpu-prof-interval", "500", "--cpu-prof-dir", folder];
  const server = await startServer(millpond, { protocol: options.protocol, core: 0, nodeArgs });
  const floor = await startServer(echo, { protocol: options.protocol, core: 0 });
  const load = new LoadProcess(1);
  let queues = 0;
  const bench: Bench = {
    options,
    subjects: [millpond],
    load,
    floor,
    shared: async () => server,
    start: () => Promise.reject(new Error("profiled scenarios share a server")),
    target: ({ endpoint, pids }) => ({ endpoint, protocol: options.protocol, serverPids: pids() }),
    newQueueName: (isFifo = false) => `bench-queue-${++queues}${isFifo ? ".fifo" : ""}`,
    add(row) {
      if (row.error !== undefined) throw new Error(row.error);
    },
  };
  try {
    await scenario.run(bench);
    await server.stop("SIGTERM");
  } finally {
    load.stop();
    await floor.dispose();
    await server.dispose();
  }
}

function topOf({ nodes, samples, timeDeltas }: Profile, count: number): string[] {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const file = url.replace(/^.*\/(?=(?:src|node_modules)\/)/, "").replace(/\.js$/, "");
      return [
        id,
        `${functionName === "" ? "(anonymous)" : functionName}${file === "" ? "" : `  ${file}:${lineNumber + 1}`}`,
      ];
    }),
  );
  const selfMicros = new Map<string, number>();
  let activeMicros = 0;
  for (const [index, sample] of samples.entries()) {
    const name = names.get(sample) ?? "?";
    if (name === "(idle)") continue;
    const micros = timeDeltas[index] ?? 0;
    activeMicros += micros;
    selfMicros.set(name, (selfMicros.get(name) ?? 0) + micros);
  }
  return [...selfMicros]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name, micros]) => `${((100 * micros) / activeMicros).toFixed(1).padStart(6)} %  ${name}`);
}
