// millpond esm show: what an event source mapping is, does and has met since the server was started.

import { formatDuration } from "../config/index.ts";
import type { MappingReport } from "../server/index.ts";
import type { Command } from "./command.ts";
import { functionName, lastPart } from "./esm-ls.ts";
import { operandsOf } from "./operands.ts";
import type { Output } from "./output.ts";
import { QueueClient } from "./queue-client.ts";
import { CLIENT_FLAGS } from "./service-client.ts";

type Quantiles = NonNullable<MappingReport["durationMs"]>;

export const esmShow: Command = {
  examples: ["esm show 2f0b1c9e-5d7a-4c1e-9a55-0c6a8f3f8a10", "esm show 2f0b1c9e-5d7a-4c1e-9a55-0c6a8f3f8a10 --json"],
  flags: CLIENT_FLAGS,
  async run(call) {
    const [id] = operandsOf(call, ["ID"], "esm show ID");
    const report = await new QueueClient(call).admin<MappingReport>(`/_millpond/mappings/${encodeURIComponent(id)}`);
    if (call.output.isJson) call.output.json(report);
    else print(report, call.output);
  },
};

function print(report: MappingReport, output: Output): void {
  output.table(rowsOf(report), [
    { title: "EVENT SOURCE MAPPING", value: ([name]) => name },
    { title: report.mapping.uuid, value: ([, value]) => value },
  ]);
  if (report.failures.length > 0) {
    output.line();
    output.table(report.failures, [
      { title: "FAILED WITH", value: ({ kind }) => kind },
      { title: "MESSAGES", value: ({ messages }) => String(messages), align: "right" },
    ]);
  }
  if (report.lastErrors.length === 0) return;
  output.line();
  output.table(report.lastErrors, [
    { title: "LAST ERRORS", value: ({ atMs }) => new Date(atMs).toISOString() },
    { title: "MESSAGES", value: ({ messages }) => String(messages), align: "right" },
    { title: "REASON", value: ({ reason }) => reason.split("\n", 1)[0] ?? "", isElastic: true },
  ]);
}

function rowsOf({ mapping, lanes, counts, batchSize, durationMs, waitedMs }: MappingReport): [string, string][] {
  const rows: [string, string][] = [
    ["queue", lastPart(mapping.eventSourceArn)],
    ["function", functionName(mapping.functionArn)],
    ["state", mapping.state],
    ["batches of", sizesOf(mapping)],
    ["at once", `${lanes.calling} calling, ${lanes.waiting} waiting, ${lanes.target} wanted${limitOf(mapping)}`],
    ["received", `${counts.received} messages, ${counts.filteredOut} filtered out`],
    ["batches", batchesOf(counts)],
    ["messages", `${counts.deleted} deleted, ${counts.failed} failed${tooLate(counts.deletedTooLate)}`],
    ["throttled", String(counts.throttles)],
  ];
  if (batchSize !== undefined) rows.push(["batch size", quantilesOf(batchSize, String)]);
  if (durationMs !== undefined) rows.push(["duration", quantilesOf(durationMs, formatSpan)]);
  if (waitedMs !== undefined) rows.push(["sent before", quantilesOf(waitedMs, formatSpan)]);
  return rows;
}

function sizesOf({ batchSize, batchingWindowMs, reportsBatchItemFailures, filters }: MappingReport["mapping"]): string {
  const parts = [`up to ${batchSize}`];
  if (batchingWindowMs > 0) parts.push(`within ${formatDuration(batchingWindowMs)}`);
  if (filters.length > 0) parts.push(`${filters.length} filter${filters.length === 1 ? "" : "s"}`);
  if (reportsBatchItemFailures) parts.push("reports item failures");
  return parts.join(", ");
}

function limitOf({ maximumConcurrency, provisionedPollers }: MappingReport["mapping"]): string {
  if (maximumConcurrency !== undefined) return `, ${maximumConcurrency} at most`;
  if (provisionedPollers === undefined) return "";
  return `, ${provisionedPollers.minimum} to ${provisionedPollers.maximum} pollers`;
}

function batchesOf({ batches, batchesFailed, batchesPartlyFailed }: MappingReport["counts"]): string {
  return `${batches}, ${batchesFailed} failed whole, ${batchesPartlyFailed} in part`;
}

function tooLate(messages: number): string {
  return messages === 0 ? "" : `, ${messages} deleted too late`;
}

function quantilesOf({ p50, p99, max }: Quantiles, format: (value: number) => string): string {
  return `${format(p50)} median, ${format(p99)} of 99 %, ${format(max)} at most`;
}

/** Calls take seconds and less: a tenth of one says something. */
function formatSpan(spanMs: number): string {
  return spanMs >= 1000 && spanMs < 60_000 ? `${(spanMs / 1000).toFixed(1)}s` : formatDuration(spanMs);
}
