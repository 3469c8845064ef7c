// Closed-loop scenarios: the same work on every subject and its sizes on the echo, in turn within each round, so that a
// noisy minute hits all of them. The figures are medians over the rounds.

import type { LoopResult } from "../load/orders.ts";
import type { Protocol } from "../load/sqs-protocol.ts";
import type { Work } from "../load/steps.ts";
import { median } from "../report/statistics.ts";
import type { Subject } from "../subjects/subject.ts";
import type { Bench, Row, Scenario } from "./scenario.ts";

interface Throughput {
  name: string;
  title: string;
  isComparable?: boolean;
  work: Work;
  /** A queue per run for sends; one with a backlog, kept at its depth, for receives. */
  queue: "fresh" | "backlog";
  isFifo?: boolean;
  /** Groups of the backlog's messages. */
  groups?: number;
  connections?: readonly number[];
  protocol?: Protocol;
  /** Of the backlog; the option's when absent. */
  backlogMin?: number;
}

export const FIFO_ATTRIBUTES = { FifoQueue: "true" };
/** All connections together may hold a batch each, and the queue must not look empty to any of them. */
const BACKLOG_MIN_PER_CONNECTION = 40;
/** Of a backlog, what one run may take: the depth is part of the measurement. */
const BACKLOG_SHARE = 0.5;

export function throughput(definition: Throughput): Scenario {
  const { name, title, isComparable = true } = definition;
  return {
    name,
    title,
    isComparable,
    async run(bench) {
      for (const connections of definition.connections ?? bench.options.connections) {
        if (bench.options.connections.includes(connections)) await runCell(bench, definition, connections);
      }
    },
  };
}

interface Cell {
  subject: Subject;
  runs: LoopResult[];
  error?: string;
}

async function runCell(bench: Bench, definition: Throughput, connections: number): Promise<void> {
  const cells: Cell[] = bench.subjects
    .filter(({ protocols }) => definition.protocol === undefined || protocols.includes(definition.protocol))
    .map((subject) => ({ subject, runs: [] }));
  const floor: LoopResult[] = [];
  for (let round = 0; round < bench.options.rounds; round++) {
    for (const cell of cells) {
      if (cell.error !== undefined) continue;
      try {
        cell.runs.push(await runOnce(bench, definition, cell.subject, connections));
      } catch (error) {
        cell.error = (error as Error).message;
      }
    }
    const sizes = cells.find(({ error, runs }) => error === undefined && runs.length > 0)?.runs.at(-1);
    if (sizes !== undefined) floor.push(await runFloor(bench, sizes, connections));
  }
  report(bench, definition, connections, cells, floor);
}

async function runOnce(
  bench: Bench,
  definition: Throughput,
  subject: Subject,
  connections: number,
): Promise<LoopResult> {
  const { options, load } = bench;
  const target = { ...bench.target(await bench.shared(subject)) };
  target.protocol = definition.protocol ?? target.protocol;
  const { work, isFifo = false, groups } = definition;
  const backlog = Math.max(
    options.backlog,
    options.isQuick ? 0 : (definition.backlogMin ?? 0),
    connections * BACKLOG_MIN_PER_CONNECTION,
  );
  const hasBacklog = definition.queue === "backlog";
  const queue = hasBacklog ? `bench-${definition.name}${isFifo ? ".fifo" : ""}` : bench.newQueueName(isFifo);
  const { queueUrl } = await load.ask({
    kind: "fill",
    ...target,
    queue,
    depth: hasBacklog ? backlog : 0,
    bodyBytes: "bodyBytes" in work ? work.bodyBytes : 0,
    ...(isFifo ? { attributes: FIFO_ATTRIBUTES } : {}),
    ...(groups === undefined ? {} : { groups }),
  });
  const result = await load.ask({
    kind: "loop",
    ...target,
    work,
    queueUrl,
    connections,
    seconds: options.seconds,
    warmUpSeconds: options.warmUpSeconds,
    ...(hasBacklog ? { messagesMax: Math.floor(backlog * BACKLOG_SHARE) } : {}),
  });
  if (!hasBacklog) await load.ask({ kind: "deleteQueue", ...target, queueUrl });
  return result;
}

function runFloor(bench: Bench, { exchanges, stepMessages }: LoopResult, connections: number): Promise<LoopResult> {
  const { options, load, floor } = bench;
  return load.ask({
    kind: "loop",
    ...bench.target(floor),
    work: { kind: "echo", exchanges, messages: stepMessages },
    queueUrl: "",
    connections,
    seconds: options.seconds / 2,
    warmUpSeconds: options.warmUpSeconds / 2,
  });
}

function report(bench: Bench, { name }: Throughput, connections: number, cells: Cell[], floor: LoopResult[]): void {
  const floorMicros = median(floor.map(serverMicros));
  const [first] = cells;
  const firstRuns = first === undefined || first.error !== undefined ? [] : first.runs;
  const firstRate = median(firstRuns.map(rate));
  const firstMicros = median(firstRuns.map(serverMicros));
  for (const { subject, runs, error } of cells) {
    const row: Row = { scenario: name, subject: subject.name, connections, rounds: runs.length };
    if (error !== undefined) bench.add({ ...row, error });
    else {
      const ownRate = median(runs.map(rate));
      const micros = median(runs.map(serverMicros));
      bench.add({
        ...row,
        ...figuresOf(runs),
        timesFloor: over(micros, floorMicros),
        ...(subject === first?.subject
          ? {}
          : { firstIsTimes: over(firstRate, ownRate), timesFirstCpu: over(micros, firstMicros) }),
      });
    }
  }
  if (floor.length > 0) {
    bench.add({ scenario: name, subject: "floor", connections, rounds: floor.length, ...figuresOf(floor) });
  }
}

function over(value: number | undefined, of: number | undefined): number | undefined {
  return value === undefined || of === undefined || of === 0 ? undefined : value / of;
}

export function figuresOf(runs: readonly LoopResult[]) {
  return {
    messagesPerSecond: median(runs.map(rate)),
    p50Ms: median(runs.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(runs.map(({ p99Ms }) => p99Ms)),
    serverMicrosPerMessage: median(runs.map(serverMicros)),
    loadCores: median(runs.map(({ loadCpuSeconds, seconds }) => loadCpuSeconds / seconds)),
    othersCores: median(runs.map(others)),
  };
}

export function rate({ messages, seconds }: LoopResult): number {
  return messages / seconds;
}

function serverMicros({ serverCpuSeconds, messages }: LoopResult): number | undefined {
  return serverCpuSeconds === undefined || messages === 0 ? undefined : (serverCpuSeconds * 1e6) / messages;
}

function others({ machineBusySeconds, serverCpuSeconds, loadCpuSeconds, seconds }: LoopResult): number | undefined {
  if (machineBusySeconds === undefined || serverCpuSeconds === undefined) return undefined;
  return Math.max(0, (machineBusySeconds - serverCpuSeconds - loadCpuSeconds) / seconds);
}
