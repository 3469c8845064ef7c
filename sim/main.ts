// npm run sim -- [--seed N] [--seeds COUNT] [--ticks M] [--shards K] [--topics] [--shrink] [--trace] [--only LIST] [--plant FAULT]
//
// Runs one seed, or COUNT of them from N on, in as many processes as there are cores. A seed that fails prints the line
// that runs it again; with --shrink also a shorter history that breaks the same promise. One seed with --trace tells
// what happened, line by line.

import { parseArgs } from "node:util";
import { plantedFault } from "./faults/index.ts";
import { type Outcome, runFleet } from "./fleet.ts";
import { formatIndexes, parseIndexes, shrink } from "./shrink.ts";
import { type Report, type SimulationOptions, simulate } from "./simulate.ts";

const FAILURES_SHOWN_MAX = 20;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    ticks: { type: "string", default: "2000" },
    shards: { type: "string" },
    only: { type: "string" },
    plant: { type: "string" },
    topics: { type: "boolean" },
    shrink: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
  },
});

const first = wholeNumber("seed", values.seed);
const count = wholeNumber("seeds", values.seeds);
const ticks = wholeNumber("ticks", values.ticks);
const shardCount = values.shards === undefined ? undefined : wholeNumber("shards", values.shards);
const fault = values.plant === undefined ? undefined : plantedFault(values.plant);

if (count === 1) await runOne();
else await runMany();

async function runOne(): Promise<void> {
  const options = optionsOf(first);
  const report = await simulate({ ...options, keepsTrace: values.trace });
  if (values.trace) console.log(report.trace.join("\n"));
  const { operations, simulatedMs, traceHash } = report;
  console.log(`Seed ${first}: ${operations} operations, ${hours(simulatedMs)} simulated hours, trace ${traceHash}.`);
  if (report.violation === undefined) return;
  process.exitCode = 1;
  showFailure(first, report.violation.message);
  if (values.shrink) await showShorter(options, report);
}

async function runMany(): Promise<void> {
  const startedAtMs = performance.now();
  const sum = { seeds: 0, operations: 0, simulatedMs: 0 };
  const counts: Record<string, number> = {};
  const failures: Outcome[] = [];
  await runFleet({ first, count, ticks, shardCount, topics: values.topics, fault: values.plant }, (outcome) => {
    sum.seeds += 1;
    sum.operations += outcome.operations;
    sum.simulatedMs += outcome.simulatedMs;
    for (const [name, value] of Object.entries(outcome.counts)) counts[name] = (counts[name] ?? 0) + value;
    if (outcome.violation === undefined) return;
    failures.push(outcome);
    if (failures.length <= FAILURES_SHOWN_MAX) showFailure(outcome.seed, outcome.violation);
  });
  const minutes = (performance.now() - startedAtMs) / 60_000;
  console.log(
    `${sum.seeds} seeds, ${sum.operations} operations and ${hours(sum.simulatedMs)} simulated hours in ${minutes.toFixed(2)} minutes:`,
    `${Math.round(sum.operations / minutes)} operations and ${hours(sum.simulatedMs / minutes)} hours a minute.`,
  );
  console.log(
    Object.entries(counts)
      .map(([name, value]) => `${name} ${value}`)
      .join(", "),
  );
  if (failures.length === 0) return;
  process.exitCode = 1;
  console.log(`${failures.length} seeds failed.`);
  const smallest = failures.sort((a, b) => a.operations - b.operations || a.seed - b.seed)[0] as Outcome;
  if (!values.shrink) return;
  const options = optionsOf(smallest.seed);
  await showShorter(options, await simulate(options));
}

function showFailure(seed: number, violation: string): void {
  console.log(`Seed ${seed} broke a promise. ${violation}`);
  console.log(`  ${line(seed, values.only)}`);
}

async function showShorter(options: SimulationOptions, failed: Report): Promise<void> {
  const { only, report, runs } = await shrink(options, failed);
  const { trace } = await simulate({ ...options, only: new Set(only), keepsTrace: true });
  console.log(`After ${runs} runs ${only.length} of ${failed.operations} actions are left:\n`);
  console.log(trace.join("\n"));
  console.log(`\n${report.violation?.message}\n  ${line(options.seed, formatIndexes(only))} --trace`);
}

function line(seed: number, only: string | undefined): string {
  const words = ["npm run sim --", `--seed ${seed}`, `--ticks ${ticks}`];
  if (shardCount !== undefined) words.push(`--shards ${shardCount}`);
  if (values.topics) words.push("--topics");
  if (values.plant !== undefined) words.push(`--plant ${values.plant}`);
  if (only !== undefined) words.push(`--only ${only}`);
  return words.join(" ");
}

function optionsOf(seed: number): SimulationOptions {
  return {
    seed,
    ticks,
    shardCount,
    topics: values.topics,
    fault,
    only: values.only === undefined ? undefined : parseIndexes(values.only),
  };
}

function hours(ms: number): string {
  return (ms / 3_600_000).toFixed(1);
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new RangeError(`--${name} takes a whole number, not ${text}.`);
  return Number(text);
}
