// Tables and chart of runs made before: npm run bench -- report FILE … [--svg FILE]. Prints Markdown.

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { SCENARIOS } from "../scenarios/all.ts";
import { drawChart } from "./chart.ts";
import type { RunFile } from "./run-file.ts";
import { markdownTable } from "./table.ts";

export async function report(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { svg: { type: "string" } } });
  const files = positionals.map((path): RunFile => JSON.parse(readFileSync(path, "utf8")));
  if (values.svg !== undefined) writeFileSync(values.svg, drawChart(files));
  for (const { name, title } of [{ name: "install", title: "Could not be had" }, ...SCENARIOS]) {
    const rows = files.flatMap((file) => file.rows.filter(({ scenario }) => scenario === name));
    if (rows.length > 0) console.log(`### ${title}\n\n${markdownTable(rows)}\n`);
  }
  for (const { startedAt, machine, loadAverages, subjects } of files) {
    const load = loadAverages.map((average) => average.toFixed(1)).join(", ");
    console.log(
      `- ${startedAt}: ${subjects.map(({ name }) => name).join(", ")}; ${machine.cores} cores, Node ${machine.node}, ` +
        `a synced write ${machine.syncedWriteMs.toFixed(2)} ms, load averages ${load}`,
    );
  }
  return 0;
}
