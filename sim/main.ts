// npm run sim -- --seed N --ticks M [--seeds COUNT] [--shards K] [--shrink] [--only LIST] [--trace] [--plant FAULT]
//
// Runs one seed, or many from it on, in as many processes as there are cores. A seed that fails prints the line that
// runs it again; with --shrink also the shortest history found that breaks the same promise.

import { parseArgs } from "node:util";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    ticks: { type: "string", default: "2000" },
    shards: { type: "string" },
    only: { type: "string" },
    trace: { type: "boolean", default: false },
  },
});

const first = Number(values.seed);
let operations = 0, simulatedMs = 0, bad = 0;
const started = performance.now();
const counts: Record<string, number> = {};
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const report = await simulate({ seed, ticks: Number(values.ticks), keepsTrace: values.trace, shardCount: values.shards === undefined ? undefined : Number(values.shards) });
  operations += report.operations;
  simulatedMs += report.simulatedMs;
  for (const [k, v] of Object.entries(report.counts)) counts[k] = (counts[k] ?? 0) + v;
  if (values.trace) console.log(report.trace.join("\n"));
  if (report.violation) { bad++; console.log(`seed ${seed}: ${report.violation.message}`); }
}
const s = (performance.now() - started) / 1000;
console.log(`${operations} ops in ${s.toFixed(1)} s, ${(operations / s).toFixed(0)}/s, ${(simulatedMs / 3600000).toFixed(1)} h simulated, ${bad} failed`, counts);
