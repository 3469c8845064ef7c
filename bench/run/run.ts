// One run: starts what is measured, goes through the scenarios, prints each one's table as it is done, and leaves the
// figures as JSON with a chart beside it.

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { projectRoot } from "../../tests/support/project.ts";
import { PEERS } from "../peers/all.ts";
import { drawChart } from "../report/chart.ts";
import type { RunFile } from "../report/run-file.ts";
import { textTable } from "../report/table.ts";
import { SCENARIOS } from "../scenarios/all.ts";
import type { Bench, Row, Scenario } from "../scenarios/scenario.ts";
import { echo, millpond, millpondMemory, withWorkers } from "../subjects/millpond.ts";
import { type RunningServer, startServer } from "../subjects/running-server.ts";
import type { Subject } from "../subjects/subject.ts";
import { LoadProcess } from "./load-process.ts";
import { describeMachine, loadAverage } from "./machine.ts";
import { type Options, readOptions } from "./options.ts";
import { pin } from "./processes.ts";

const SERVER_CORE = 0;
const LOAD_CORE = 1;

export async function run(args: string[]): Promise<number> {
  const options = readOptions(args);
  const scenarios = choose(options);
  const file: RunFile = {
    startedAt: new Date().toISOString(),
    machine: describeMachine(),
    loadAverages: [loadAverage()],
    options,
    subjects: [],
    rows: [],
  };
  const own = [millpond, ...(options.memory ? [millpondMemory] : [])];
  const behindFronts = options.workers.flatMap((count) => own.map((subject) => withWorkers(subject, count)));
  const subjects = [...own, ...behindFronts, ...peersFor(options, file)];
  file.subjects.push(...subjects.map(({ name, onSend }) => ({ name, onSend })));
  const { bench, end } = await open(options, subjects, (row) => {
    file.rows.push(row);
    // Each time: a long run that is broken off keeps what it has.
    write(options, file);
  });
  try {
    for (const scenario of scenarios) {
      const from = file.rows.length;
      await scenario.run(bench);
      const rows = file.rows.slice(from);
      if (rows.length > 0) console.log(`\n${scenario.title} (${scenario.name})\n${textTable(rows)}`);
      file.loadAverages.push(loadAverage());
    }
  } finally {
    await end();
  }
  write(options, file);
  console.log(`\n${pathOf(options)}`);
  return file.rows.some(({ error }) => error !== undefined) ? 1 : 0;
}

function choose({ scenarios, against }: Options): readonly Scenario[] {
  for (const name of scenarios) {
    if (!SCENARIOS.some((scenario) => scenario.name === name))
      throw new Error(`no scenario ${name}; "list" names them`);
  }
  return SCENARIOS.filter(
    ({ name, isComparable }) =>
      (scenarios.length === 0 || scenarios.includes(name)) && (against.length === 0 || isComparable),
  );
}

/** Those that can be had; the others' reasons go into the file. */
function peersFor({ against, protocol }: Options, file: RunFile): Subject[] {
  return against.flatMap((name) => {
    const peer = PEERS.find((known) => known.name === name);
    if (peer === undefined) throw new Error(`no peer ${name}; "list" names them`);
    try {
      if (!peer.protocols.includes(protocol)) throw new Error(`does not speak ${protocol}`);
      if (peer.isInstalled?.() === false) peer.install?.();
      return [peer];
    } catch (error) {
      file.rows.push({ scenario: "install", subject: name, error: (error as Error).message });
      return [];
    }
  });
}

async function open(
  options: Options,
  subjects: Subject[],
  onRow: (row: Row) => void,
): Promise<{ bench: Bench; end(): Promise<void> }> {
  const canPin = options.isPinned && availableParallelism() > 1 && pin(process.pid, LOAD_CORE);
  const core = canPin ? SERVER_CORE : undefined;
  const load = new LoadProcess(canPin ? LOAD_CORE : undefined);
  const shared = new Map<string, Promise<RunningServer>>();
  const start = (subject: Subject) => startServer(subject, { protocol: options.protocol, core });
  const floor = await start(echo);
  let queues = 0;
  const bench: Bench = {
    options,
    subjects,
    load,
    floor,
    shared(subject) {
      const server = shared.get(subject.name) ?? start(subject);
      shared.set(subject.name, server);
      return server;
    },
    start: (subject, more) => startServer(subject, { protocol: options.protocol, core, ...more }),
    target: (server) => ({ endpoint: server.endpoint, protocol: options.protocol, serverPids: server.pids() }),
    newQueueName: (isFifo = false) => `bench-queue-${++queues}${isFifo ? ".fifo" : ""}`,
    add(row) {
      onRow(row);
      if (row.error !== undefined) process.stderr.write(`${row.scenario}, ${row.subject}: FAILED: ${row.error}\n`);
    },
  };
  return {
    bench,
    async end() {
      load.stop();
      const servers = await Promise.allSettled([floor, ...shared.values()]);
      for (const server of servers) if (server.status === "fulfilled") await server.value.dispose();
    },
  };
}

function write(options: Options, file: RunFile): void {
  const path = pathOf(options);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(file, null, 1)}\n`);
  writeFileSync(path.replace(/(\.json)?$/, ".svg"), drawChart([file]));
}

function pathOf({ scenarios, against, out }: Options): string {
  const name = [...(scenarios.length === 0 ? ["all"] : scenarios), ...against].join("-");
  return out ?? join(projectRoot, "bench", "out", `${name.slice(0, 100)}.json`);
}
