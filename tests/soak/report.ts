// One page on a soak run: was everything bounded, how long did answers take, and how it went over time.

import type { Latencies } from "./meter.ts";
import { type Mark, plot } from "./plot.ts";
import type { Judged } from "./verdict.ts";
import type { Usage } from "./watch.ts";

const MiB = 1024 * 1024;
export const TERMINATED_COLOR = "#2a7a2a";
export const KILLED_COLOR = "#b03030";

export interface Interval {
  atSeconds: number;
  /** Undefined while no server was up. */
  usage: Usage | undefined;
  latencies: Latencies;
}

export interface Soak {
  seed: number;
  minutes: number;
  shards: number;
  intervals: Interval[];
  restarts: { atSeconds: number; how: "SIGTERM" | "SIGKILL"; downMs: number }[];
  counts: ReadonlyMap<string, number>;
  lostCount: number;
  judged: Judged[];
  /** What should not have happened. */
  findings: string[];
}

export function plotOf({ intervals, restarts }: Soak): string {
  const seconds = intervals.map(({ atSeconds }) => atSeconds);
  const usages = (value: (usage: Usage) => number) =>
    intervals.map(({ usage }) => (usage === undefined ? undefined : value(usage)));
  const times = (value: (latencies: Latencies) => number) =>
    intervals.map(({ latencies }) => (latencies.count === 0 ? undefined : value(latencies)));
  const marks: Mark[] = restarts.map(({ atSeconds, how }) => ({
    atSeconds,
    color: how === "SIGTERM" ? TERMINATED_COLOR : KILLED_COLOR,
  }));
  return plot(
    seconds,
    [
      {
        title: "Resident memory",
        unit: "MiB",
        scale: "linear",
        series: [{ label: "memory", color: "#1f5fa8", values: usages((usage) => usage.residentBytes / MiB) }],
      },
      {
        title: "Data folder",
        unit: "MiB",
        scale: "linear",
        series: [{ label: "disk", color: "#8a5a00", values: usages((usage) => usage.diskBytes / MiB) }],
      },
      {
        title: "Open files and sockets",
        unit: "count",
        scale: "linear",
        series: [{ label: "handles", color: "#6a3d9a", values: usages((usage) => usage.fileHandles) }],
      },
      {
        title: "Time to answer",
        unit: "ms, logarithmic",
        scale: "logarithmic",
        series: [
          { label: "median", color: "#2a7a2a", values: times(({ p50Ms }) => p50Ms) },
          { label: "99th of 100", color: "#d98200", values: times(({ p99Ms }) => p99Ms) },
          { label: "longest", color: "#b03030", values: times(({ maxMs }) => maxMs) },
        ],
      },
    ],
    marks,
  );
}

export function pageOf(soak: Soak): string {
  const { seed, minutes, shards, intervals, restarts, counts, lostCount, judged, findings } = soak;
  const requests = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const isWell = findings.length === 0 && judged.every(({ isBounded }) => isBounded);
  const medians = intervals.filter(({ latencies }) => latencies.count > 0).map(({ latencies }) => latencies.p50Ms);
  const tails = intervals.filter(({ latencies }) => latencies.count > 0).map(({ latencies }) => latencies.p99Ms);
  return [
    `# Soak: ${isWell ? "bounded" : "NOT bounded"}`,
    "",
    `${minutes} minutes of mixed load on ${shards} ${shards === 1 ? "shard" : "shards"}, seed ${seed}: ${requests} measured requests ` +
      `(${Math.round(requests / (minutes * 60))} a second), ${restarts.length} restarts, ${lostCount} requests lost their connection to them.`,
    "",
    "| | highest | in the middle third | in the last third | limit | bounded |",
    "|---|---|---|---|---|---|",
    ...judged.map(
      ({ name, unit, max, middleMax, lastMax, limit, isBounded }) =>
        `| ${name}, ${unit} | ${Math.round(max)} | ${Math.round(middleMax)} | ${Math.round(lastMax)} | ${limit} | ${isBounded ? "yes" : "NO"} |`,
    ),
    "",
    "| time to answer, ms | middle interval | worst interval |",
    "|---|---|---|",
    `| median | ${middle(medians).toFixed(1)} | ${Math.max(0, ...medians).toFixed(1)} |`,
    `| 99th of 100 | ${middle(tails).toFixed(1)} | ${Math.max(0, ...tails).toFixed(1)} |`,
    "",
    ...(findings.length === 0
      ? ["Nothing happened that should not have."]
      : ["What should not have happened:", "", ...findings.map((finding) => `- ${finding}`)]),
    "",
    "![Memory, disk, handles and time to answer](soak.svg)",
    "",
    "Green marks are restarts by SIGTERM, red ones by kill -9.",
    "",
    "| restart at, s | how | until it answered again, ms |",
    "|---|---|---|",
    ...restarts.map(({ atSeconds, how, downMs }) => `| ${Math.round(atSeconds)} | ${how} | ${Math.round(downMs)} |`),
    "",
    "| request | measured |",
    "|---|---|",
    ...[...counts].sort((a, b) => b[1] - a[1]).map(([action, count]) => `| ${action} | ${count} |`),
    "",
  ].join("\n");
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
