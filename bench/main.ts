// npm run bench -- matcher …: the event matcher alone, see matcher/matcher.ts; otherwise
// npm run bench -- [--memory] [--json] [--rounds N] [--seconds S] [--connections 1,16,64] [--no-pin]
//
// Measures a real server in its own process, over HTTP, from a load generator in another. README.md says how and why.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type ServerProcess, startServe } from "../tests/support/server-process.ts";
import type { LoadOrder, LoadResult, Work } from "./load.ts";
import { matcher } from "./matcher/matcher.ts";
import { cpuSeconds, machineBusySeconds, pin } from "./processes.ts";

if (process.argv[2] === "matcher") process.exit(await matcher(process.argv.slice(3)));

const WARM_UP_SECONDS = 0.5;
const loadProgram = fileURLToPath(new URL("./load.js", import.meta.url));

const TITLES: Record<Work, string> = {
  send: "SendMessage",
  batch: "SendMessageBatch of 10",
  receive: "receive 1 + delete",
};

interface Subject {
  name: "durable" | "memory";
  server: ServerProcess;
  endpoint: string;
}

interface Run {
  messagesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  serverMicrosPerMessage: number | undefined;
  /** Cores that neither server nor load generator used. */
  othersCores: number | undefined;
}

interface Cell extends Run {
  subject: Subject["name"];
  work: Work;
  connections: number;
  rounds: number;
}

const { values } = parseArgs({
  options: {
    memory: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1.5" },
    connections: { type: "string", default: "1,16,64" },
    "no-pin": { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connectionCounts = values.connections.split(",").map(Number);

const folder = mkdtempSync(join(tmpdir(), "millpond-bench-"));
const subjects = [await start("durable", ["--data", join(folder, "data")])];
if (values.memory) subjects.push(await start("memory", ["--memory"]));
const isPinned = !values["no-pin"] && availableParallelism() > 1 && subjects.every(({ server }) => pin(server.pid, 0));

try {
  const runs = new Map<string, Run[]>();
  for (let round = 0; round < rounds; round++) {
    for (const connections of connectionCounts) {
      for (const work of Object.keys(TITLES) as Work[]) {
        // Subjects take turns within the round, so that a noisy minute hits all of them.
        for (const subject of subjects) {
          const key = JSON.stringify([subject.name, work, connections]);
          runs.set(key, [...(runs.get(key) ?? []), await measure(subject, work, connections)]);
        }
      }
    }
    if (!values.json) process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
  const cells = [...runs].map(([key, ofCell]): Cell => {
    const [subject, work, connections] = JSON.parse(key);
    return { subject, work, connections, rounds: ofCell.length, ...medianOf(ofCell) };
  });
  if (values.json) console.log(JSON.stringify({ node: process.version, isPinned, rounds, seconds, cells }));
  else printTable(cells);
} finally {
  for (const { server } of subjects) await server.signal("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}

async function start(name: Subject["name"], args: string[]): Promise<Subject> {
  const server = startServe([...args, "--log-level", "warn"]);
  return { name, server, endpoint: await server.ready };
}

async function measure({ endpoint, server }: Subject, work: Work, connections: number): Promise<Run> {
  const order: LoadOrder = { endpoint, work, connections, seconds, warmUpSeconds: WARM_UP_SECONDS };
  let serverBefore = cpuSeconds(server.pid);
  let busyBefore = machineBusySeconds();
  const result = await load(order, () => {
    serverBefore = cpuSeconds(server.pid);
    busyBefore = machineBusySeconds();
  });
  const serverCpu = minus(cpuSeconds(server.pid), serverBefore);
  const busy = minus(machineBusySeconds(), busyBefore);
  return {
    messagesPerSecond: result.messages / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    serverMicrosPerMessage: serverCpu === undefined ? undefined : (serverCpu * 1e6) / result.messages,
    othersCores:
      serverCpu === undefined || busy === undefined
        ? undefined
        : Math.max(0, (busy - serverCpu - result.cpuSeconds) / result.seconds),
  };
}

/** Runs the load generator; `onMeasuring` is called when its warm-up is over. */
function load(order: LoadOrder, onMeasuring: () => void): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [loadProgram, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (isPinned) pin(child.pid as number, 1);
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (text.startsWith("measuring")) onMeasuring();
      output += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      const last = output.trim().split("\n").at(-1) as string;
      if (code === 0) resolve(JSON.parse(last));
      else reject(new Error(`the load generator ended with ${code}`));
    });
  });
}

function minus(after: number | undefined, before: number | undefined): number | undefined {
  return after === undefined || before === undefined ? undefined : after - before;
}

function medianOf(ofCell: Run[]): Run {
  const median = (of: (run: Run) => number | undefined) => {
    const sorted = ofCell
      .map(of)
      .filter((value) => value !== undefined)
      .sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)];
  };
  return {
    messagesPerSecond: median((run) => run.messagesPerSecond) as number,
    p50Ms: median((run) => run.p50Ms) as number,
    p99Ms: median((run) => run.p99Ms) as number,
    serverMicrosPerMessage: median((run) => run.serverMicrosPerMessage),
    othersCores: median((run) => run.othersCores),
  };
}

function printTable(cells: Cell[]): void {
  const header = [
    "work",
    "connections",
    "server",
    "messages/s",
    "p50 ms",
    "p99 ms",
    "server µs/message",
    "other load, cores",
  ];
  const rows = cells.map((cell) => [
    TITLES[cell.work],
    String(cell.connections),
    cell.subject,
    Math.round(cell.messagesPerSecond).toLocaleString("en"),
    cell.p50Ms.toFixed(2),
    cell.p99Ms.toFixed(2),
    cell.serverMicrosPerMessage?.toFixed(1) ?? "-",
    cell.othersCores?.toFixed(2) ?? "-",
  ]);
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] as string).length)),
  );
  const line = (row: string[]) =>
    row
      .map((text, column) => (column === 0 ? text.padEnd : text.padStart).call(text, widths[column] as number))
      .join("  ");
  console.log([line(header), ...rows.map(line)].join("\n"));
  console.log(
    `\nMedians of ${rounds} rounds of ${seconds} s, bodies of 256 bytes, ${isPinned ? "server and load on a core each" : "not pinned"}, Node ${process.version}.`,
  );
}
